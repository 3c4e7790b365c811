"""The spine between legs and arms as a limb of two bones; the bones between these two move with the lower one."""

from collections.abc import Sequence

from bpy.types import Bone

from .bone_names import Label
from .limb_bones import LimbBones, bones_named


def spine(legs: Sequence[LimbBones], arms: Sequence[LimbBones]) -> list[LimbBones]:
    """The spine from the bone that carries the legs to the bone that carries the arms, if it has two bones or more."""
    hips, chest = _carrier(legs), _carrier(arms)
    if hips is None or chest is None or hips not in chest.parent_recursive:
        return []
    above = [chest, *chest.parent_recursive]
    bones = above[: above.index(hips)][::-1]
    if len(bones) < 2:
        return []
    # With three or more the chest is the tip, so that it can turn as the target is turned.
    end, tip = (bones[1], None) if len(bones) == 2 else (bones[(len(bones) - 1) // 2], chest)
    why = f"From {bones_named(hips)}, which carries the legs, to {bones_named(chest)}, which carries the arms"
    return [LimbBones(label=Label("Spine"), root=bones[0], end=end, tip=tip, why=why)]


def _carrier(limbs: Sequence[LimbBones]) -> Bone | None:
    """The nearest bone that is an ancestor of all these limbs."""
    if not limbs:
        return None
    first, *others = (limb.root.parent_recursive for limb in limbs)
    return next((bone for bone in first if all(bone in above for above in others)), None)

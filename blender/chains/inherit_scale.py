"""Inherit Scale of the bones of chains that stretch: with Full, which is Blender's default, a turned bone shears."""

from ..armatures import Rig
from ..bake.build_plan import Names, with_bones
from ..bake.chain import chain_bones, scales, sheared_bones, twists_found
from ..messages.refused import Refused
from ..scene.checks import refuse_unposable


def sheared(rig: Rig, names: Names) -> dict[str, list[str]]:
    """The bones that the stretch of these chains would shear, by the name of the chain; no chain without such bones."""
    stretching = [chain for chain in with_bones(rig, names).chains if scales(rig, chain)]
    by_chain = {}
    for chain in stretching:
        bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
        twists = twists_found(rig, chain).bones if chain.use_twist else []
        turns_tip = chain.use_rotation or any(part.in_line and not part.upper for part in twists)
        carried = (part.name for part in twists if not (part.upper and part.in_line))
        turned = (chain.hock_bone, chain.tip_bone if turns_tip else "", *carried)
        by_chain[chain.name] = sheared_bones(rig, bones, turned)
    return {name: bones for name, bones in by_chain.items() if bones}


def set_aligned(rig: Rig, names: Names) -> list[str]:
    """Set Inherit Scale to Aligned where the stretch of these chains would shear a bone; names of the bones.

    raises : Refused if the bones are a library's
    """
    refuse_unposable(rig)
    bones = [bone for bone_names in sheared(rig, names).values() for bone in bone_names]
    if bones and (rig.data.override_library or not rig.data.is_editable):
        raise Refused("LIBRARY_ALIGNED", object=rig, bone=bones[0])
    for bone in bones:
        rig.data.bones[bone].inherit_scale = "ALIGNED"
    return list(dict.fromkeys(bones))

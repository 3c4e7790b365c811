"""Inherit Scale of the bones of chains that stretch: with Full, which is Blender's default, a turned bone shears."""

from ..armatures import Rig
from ..bake.build_plan import Names, with_bones
from ..bake.chain import chain_bones, scales, sheared_bones, twists_found
from ..messages.refused import Refused
from ..scene.checks import refuse_unposable
from ..settings.properties import TwoBoneIKChain


def set_aligned(rig: Rig, names: Names) -> list[str]:
    """Set Inherit Scale to Aligned where the stretch of these chains would shear a bone; names of the bones.

    raises : Refused if the bones are a library's
    """
    refuse_unposable(rig)
    stretching = [chain for chain in with_bones(rig, names).chains if scales(rig, chain)]
    bones = [bone for chain in stretching for bone in _sheared(rig, chain)]
    if bones and (rig.data.override_library or not rig.data.is_editable):
        raise Refused("LIBRARY_ALIGNED", object=rig, bone=bones[0])
    for bone in bones:
        rig.data.bones[bone].inherit_scale = "ALIGNED"
    return list(dict.fromkeys(bones))


def _sheared(rig: Rig, chain: TwoBoneIKChain) -> list[str]:
    """The bones that the stretch of the chain would shear."""
    bones = chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
    twists = twists_found(rig, chain).bones if chain.use_twist else []
    turns_tip = chain.use_rotation or any(part.in_line and not part.upper for part in twists)
    carried = (part.name for part in twists if not (part.upper and part.in_line))
    return sheared_bones(rig, bones, (chain.hock_bone, chain.tip_bone if turns_tip else "", *carried))

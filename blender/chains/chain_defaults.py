"""Settings that fit the work, for chains that are set up now; what users have chosen stays.

The defaults of the fields never change: with others, chains of older files would pose otherwise.
"""

from typing import Any

from ...solver.values import Reference
from .. import versions
from ..armatures import Rig
from ..bake.chain import chain_bones
from ..rna_paths import bone_and_property
from ..settings.properties import TwoBoneIKChain


def fitting(chain: TwoBoneIKChain) -> dict[str, Any]:
    """Fields that fit this chain better than their defaults, without those that users have set.

    Hand or foot follow the rotation of their target: a foot that turns with the shin would sink into the floor. Bones
    with keys keep their twist: carried over from the rest pose, they would lose it.
    """
    rig = chain.id_data
    fields: dict[str, Any] = {}
    if chain.tip_bone:
        fields["use_rotation"] = True
    if _animated(rig).intersection(chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)):
        fields["reference"] = Reference.POSE
    return {name: value for name, value in fields.items() if not chain.is_property_set(name)}


def _animated(rig: Rig) -> set[str]:
    """Names of the bones whose rotation has keys, in the action or in NLA strips."""
    played = [versions.curves(rig), *(curves for _, curves in versions.strips(rig))]
    places = [bone_and_property(curve.data_path) for curves in played for curve in curves]
    return {bone for bone, path in places if path.startswith("rotation_")}

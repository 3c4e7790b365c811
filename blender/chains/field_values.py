"""Sets the fields of chains: all that are asked for or none, those that fit the work, and shares of twist bones.

Shares that were set by hand belong to the bones, and not to the chain: so they stay where the chain is removed. Setup
files and Copy Settings take them along.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
from bpy.types import Object

from ...solver.values import Reference
from .. import versions
from ..armatures import Rig
from ..bake.chain import chain_bones, twists_found
from ..messages.refused import Refused, unknown_word
from ..messages.translation import nearest_name, translated
from ..options import rows
from ..rna_paths import bone_and_property
from ..settings import bone_marks, keyed_options
from ..settings.properties import TwoBoneIKChain, chain_fields

_TYPES: dict[str, Any] = {
    "BOOLEAN": bool | np.bool_,
    "FLOAT": Real,
    "ENUM": str,
    "STRING": str,
    "POINTER": Object | None,
}

BY_PLACE: float = rows("pose_bone")["twist"]["default"]
"""The share of a bone for which none was set."""


def set_fields(chain: TwoBoneIKChain, values: Mapping[str, Any]) -> None:
    """Set these fields of the chain; Refused for an unknown field, or a value that it cannot have."""
    fields, rig = chain_fields(), chain.id_data
    where = translated("part.chain_of_rig", chain=chain.name or chain.end_bone, object=rig.name)
    for name, value in values.items():
        # Blender would take any name, and never read it.
        if name not in fields:
            raise Refused("UNKNOWN_KEY", chain=chain, value=name, where=where, nearest=nearest_name(name, fields))
        refuse_value(where, name, fields[name], value)
        setattr(chain, name, bool(value) if isinstance(value, np.bool_) else value)


def set_fitting(chain: TwoBoneIKChain) -> None:
    """Set what fits this chain better than the defaults of its fields; what users have set stays.

    These defaults never change: with others, chains of older files would pose otherwise. Hand or foot follow the
    rotation of their target: a foot that turns with the shin would sink into the floor. Bones with keys keep their
    twist: carried over from the rest pose, they would lose it.
    """
    rig = chain.id_data
    fields: dict[str, Any] = {}
    if chain.tip_bone:
        fields["use_rotation"] = True
    if _animated(rig).intersection(chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)):
        fields["reference"] = Reference.POSE
    set_fields(chain, {name: value for name, value in fields.items() if not chain.is_property_set(name)})


def _animated(rig: Rig) -> set[str]:
    """Names of the bones whose rotation has keys, in the action or in NLA strips."""
    played = [versions.curves(rig), *(curves for _, curves in versions.strips(rig))]
    places = [bone_and_property(curve.data_path) for curves in played for curve in curves]
    return {bone for bone, path in places if path.startswith("rotation_")}


def refuse_value(where: str, key: str, field: Any, value: Any, *, by_name: bool = False) -> None:
    """Raise `Refused` for a value that this field of a chain cannot have; objects may be given `by_name`."""
    kind = "STRING" if by_name and field.type == "POINTER" else field.type
    named: dict[str, Any] = {"where": where, "key": key}
    if kind == "ENUM" and not (isinstance(value, str) and value in field.enum_items):
        raise unknown_word(translated("part.field", **named), value, field.enum_items.keys())
    if not isinstance(value, _TYPES[kind]) or (kind == "FLOAT" and isinstance(value, bool)):
        raise Refused("WRONG_TYPE.field", value=value, wanted=_wanted(kind), **named)
    if kind == "FLOAT" and not field.hard_min <= value <= field.hard_max:
        limits = {"low": field.hard_min, "high": field.hard_max}
        is_angle = field.subtype == "ANGLE"
        raise Refused("OUT_OF_RANGE.angle" if is_angle else "OUT_OF_RANGE.number", value=value, **limits, **named)


def _wanted(kind: str) -> str:
    """The type of a field's values, in words."""
    if kind == "BOOLEAN":
        return translated("part.bool")
    if kind == "FLOAT":
        return translated("part.number")
    return translated("part.object") if kind == "POINTER" else translated("part.text")


@contextmanager
def unchanged_on_error(rig: Rig) -> Iterator[None]:
    """If what is done meanwhile raises an error, the armature gets back the chains that it had, as they were."""
    restore = chains_restorer(rig)
    try:
        yield
    except Exception:
        restore()
        raise


def chains_restorer(rig: Rig) -> Callable[[], None]:
    """Returns what gives the armature back the chains that it has now, as they are."""
    chains: Any = rig.two_bone_ik_chains
    before = [
        {name: getattr(chain, name) for name in chain_fields() if chain.is_property_set(name)} for chain in chains
    ]
    options = keyed_options.on_bones(rig)
    marked, marks = bone_marks.marked(rig), [chain.bone_marks for chain in chains]
    layers: list[Any] = [layer for scene in rig.users_scene for layer in scene.view_layers]
    in_hand = [layer.two_bone_ik_in_hand for layer in layers]
    active = rig.two_bone_ik_active if rig.is_property_set("two_bone_ik_active") else None

    def restore() -> None:
        while len(chains) > len(before):
            chains.remove(len(chains) - 1)
        for chain, values in zip(chains, before, strict=True):
            for name in chain_fields().keys() - values.keys():
                chain.property_unset(name)
            for name, value in values.items():
                setattr(chain, name, value)
        keyed_options.put_back(rig, options)
        bone_marks.unmark_others(rig, marked)
        for chain, mark in zip(chains, marks, strict=True):
            chain.bone_marks = mark
        if active is None:
            rig.property_unset("two_bone_ik_active")
        else:
            rig.two_bone_ik_active = active
        for layer, limb in zip(layers, in_hand, strict=True):
            layer.two_bone_ik_in_hand = limb

    return restore


def shares_by_hand(rig: Rig, chain: TwoBoneIKChain) -> dict[str, float]:
    """By name of a twist bone the share that was set by hand; none where the chain's bones make no chain."""
    bones: Any = rig.pose.bones
    by_hand = {bone.name: bone.two_bone_ik_twist for bone in bones if bone.two_bone_ik_twist >= 0.0}
    try:
        return {name: by_hand[name] for name in twists_found(rig, chain).names if name in by_hand} if by_hand else {}
    except Refused:
        return {}


def set_shares(rig: Rig, chains: Iterable[TwoBoneIKChain], wanted: Mapping[str, float]) -> None:
    """Give the twist bones of these chains these shares, and no others."""
    bones: Any = rig.pose.bones
    unset = (name for chain in chains for name in shares_by_hand(rig, chain))
    for name, value in (dict.fromkeys(unset, BY_PLACE) | dict(wanted)).items():
        bones[name].two_bone_ik_twist = value

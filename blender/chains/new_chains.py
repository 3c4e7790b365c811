"""Chains are added to the list: one for a bone, or one for each limb that detect finds."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..armatures import Chain, Rig
from ..bake.chain import bones_below, chain_bones, undecided
from ..messages.refused import Refused
from ..scene.checks import refuse_unposable
from ..settings import keyed_options
from ..settings.properties import POINTS, chain_of
from . import hinge_side, hock_fit
from .detect.find_limbs import Kind, Limb, limbs
from .field_values import set_fields, set_fitting, unchanged_on_error


def add_chain(rig: Rig, end_bone: str, **fields: Any) -> Chain:
    """Add a chain that ends in this bone, named after it, with these fields; Refused where they make no chain."""
    refuse_unposable(rig)
    chain_bones(rig, end_bone, str(fields.get("root_bone", "")))
    twin = chain_of(rig, end_bone)
    if twin and not (twin.mute or fields.get("mute")):
        raise Refused("HAS_CHAIN", object=rig, bone=end_bone, value=twin.name)
    with unchanged_on_error(rig):
        if twin is None:
            keyed_options.reset(rig.pose.bones[end_bone])
        chain = rig.two_bone_ik_chains.add()
        set_fields(chain, {"end_bone": end_bone, "name": end_bone, **fields})
        bones_below(rig, chain, end_bone)
        if undecided(rig, chain) is not None and not {"bend", "hinge_axis"} & fields.keys():
            axis = hinge_side.by_keys(rig, chain)
            if axis:
                hinge_side.decide(chain, axis)
    rig.two_bone_ik_active = len(rig.two_bone_ik_chains) - 1
    return chain


def add_limb(rig: Rig, limb: Limb) -> Chain:
    """Add the chain of a limb that detect has found."""
    chain = add_chain(rig, **limb.fields)
    # Only now: with reference POSE no side would be decided by keys.
    set_fitting(chain)
    if fits := hock_fit.by_keys(rig, chain):
        chain.hock = next(iter(fits))
    for field, bone_field in POINTS.items():
        if bone := getattr(limb, bone_field):
            set_fields(chain, {field: rig, bone_field: bone})
    return chain


def add_detected(rig: Rig, kinds: Collection[str]) -> tuple[Limb, ...]:
    """Add a chain for each limb of these kinds that has none; Refused where there is no such limb at all."""
    refuse_unposable(rig)
    found = limbs(rig, Kind.several(kinds))
    if not found:
        raise Refused("NO_LIMBS", object=rig)
    added = [replace(limb, chain=add_limb(rig, limb).name) for limb in found if not limb.chain]
    return tuple(replace(limb, hock=limb.hock and rig.two_bone_ik_chains[limb.chain].hock) for limb in added)

"""The IK constraints of a known rig pose bones of its own making, and are not taken over: Switch keys its controls."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.rigify import generated, metarig
from support.rigs import arm, empty


def test_constraints_of_a_known_rig_are_not_taken_over() -> None:
    rig = generated("basic_human")
    with pytest.raises(api.Refused) as refused:
        api.chains_from_constraints(rig)
    assert (refused.value.kind, refused.value.object, refused.value.value) == ("KNOWN_RIG", rig.name, "rigify")
    assert "Switch" in str(refused.value)
    assert not rig.two_bone_ik_chains


def test_a_metarig_is_no_known_rig_and_is_taken_over() -> None:
    rig = metarig("human")
    constraint = rig.pose.bones["forearm.L"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Target"), 2
    assert [takeover.chain for takeover in api.chains_from_constraints(rig)] == ["forearm.L"]


def test_a_known_rig_beside_another_does_not_stop_it() -> None:
    known = generated("basic_human")
    chain = arm()
    rig, target = chain.id_data, chain.target
    rig.two_bone_ik_chains.clear()
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 2
    bpy.ops.object.select_all(action="DESELECT")
    for item in (known, rig):
        item.select_set(True)
    bpy.context.view_layer.objects.active = known
    with pytest.raises(RuntimeError, match=f'"{known.name}" is a known rig'):
        bpy.ops.two_bone_ik.chains_from_constraints()
    assert [chain.end_bone for chain in rig.two_bone_ik_chains] == ["lower"]
    assert not known.two_bone_ik_chains

"""Targets that Plant leaves are refused before anything is keyed, and followed by nothing half done."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.captured_walk import imported_walk, skating_walk
from support.rigs import animate, empty
from support.walker import captured, file_of, walker


@pytest.fixture
def rig() -> Object:
    return walker(captured("walk", 1.0))


def state(rig: Object) -> tuple:
    return file_of(rig), [(chain.name, chain.target, chain.pole_target) for chain in rig.two_bone_ik_chains]


def test_a_target_that_cannot_be_sampled_is_refused_first(rig: Object) -> None:
    target, carrier = empty("Target"), empty("Carrier")
    target.parent = carrier
    carrier.constraints.new("COPY_LOCATION").target = empty("Leader")
    api.add_chain(rig, "shin.L", name="Left", tip_bone="foot.L", target=target)
    before = state(rig)
    with pytest.raises(api.Refused) as refused:
        api.plant(rig, leave_targets=True, sampling="CURVES")
    print(refused.value)
    assert refused.value.kind == "NOT_ONLY_CURVES"
    assert state(rig) == before


def test_a_bone_removed_meanwhile_leaves_no_targets(rig: Object) -> None:
    request = api.plant.request(rig, leave_targets=True)
    list(request.prepare())
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["foot.R"])
    bpy.ops.object.mode_set(mode="OBJECT")
    before = state(rig)
    with pytest.raises(api.Refused):
        request.write()
    assert state(rig) == before


def test_targets_that_chains_have_are_moved(rig: Object) -> None:
    target = empty("Target")
    animate(target, location={1: (0, 0, 0), 30: (1, 2, 3)})
    api.add_chain(rig, "shin.L", name="Left", tip_bone="foot.L", target=target)
    report = api.plant(rig, leave_targets=True)
    assert report.posed
    assert {chain.name for chain in rig.two_bone_ik_chains} == {"Left", "Leg.R"}
    for frame in (1, 12, 31):
        bpy.context.scene.frame_set(frame)
        for chain, side in zip(rig.two_bone_ik_chains, "LR", strict=True):
            foot = rig.matrix_world @ rig.pose.bones[f"foot.{side}"].head
            assert (chain.target.matrix_world.translation - foot).length < 1e-5


def most_bytes(folder: Path, seconds: float = 18.0, **options: object) -> int:
    """That arrays took at a time while a take of a whole body was planted."""
    rig = imported_walk(folder, skating_walk(seconds=seconds))
    tracemalloc.start()
    try:
        api.plant(rig, limbs=("LEGS", "ARMS"), **options)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.once
def test_samples_of_feet_are_gone_while_targets_are_keyed(tmp_path: Path) -> None:
    most_bytes(tmp_path, 1.0)  # what is imported then stays
    # Otherwise it is 1.3 times as much.
    assert most_bytes(tmp_path, leave_targets=True) < 1.1 * most_bytes(tmp_path)

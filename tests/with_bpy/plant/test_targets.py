"""Targets that Plant leaves are refused before anything is keyed, and followed by nothing half done."""

from __future__ import annotations

import operator
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.captured_walk import imported_walk, skating_walk
from support.held import everything
from support.refused import refused
from support.rigs import animate, empty
from support.truth import on_frame
from support.walker import captured, shown, walker


@pytest.fixture
def rig() -> Object:
    return walker(captured("walk", 1.0))


def test_targets_are_neither_needed_nor_changed(rig: Object) -> None:
    target = empty("Target")
    animate(target, location={1: (0, 0, 0), 30: (1, 2, 3)})
    api.add_chain(rig, "shin.L", name="Left", tip_bone="foot.L", target=target, softness=0.5)
    fields = operator.attrgetter("end_bone", "target", "softness", "plane")
    said = fields(rig.two_bone_ik_chains[0])
    before = everything(target)
    report = api.plant(rig)
    assert [foot.name for foot in report.feet] == ["Left", "Leg.R"]
    assert [chain.name for chain in rig.two_bone_ik_chains] == ["Left"]
    assert fields(rig.two_bone_ik_chains[0]) == said
    assert everything(target) == before


@pytest.mark.parametrize("given", [False, True], ids=["none", "one"])
def test_targets_are_left_where_planted_limbs_are(rig: Object, given: bool) -> None:
    """One that a chain has is moved; baked from all of them, the limbs are posed as they were planted."""
    target = empty("Target")
    animate(target, location={1: (0, 0, 0), 30: (1, 2, 3)})
    if given:
        api.add_chain(rig, "shin.L", name="Left", tip_bone="foot.L", target=target, use_rotation=True)
    assert api.plant(rig, leave_targets=True).posed
    left, right = rig.two_bone_ik_chains
    assert (left.name, right.name) == ("Left" if given else "Leg.L", "Leg.R")
    assert (left.target == target) == given
    planted = shown(rig, 31)
    for row, frame in enumerate(range(1, 32)):
        on_frame(frame)
        places = [tuple(chain.target.matrix_world.translation) for chain in (left, right)]
        np.testing.assert_allclose(places, planted.ankles[row], atol=1e-5)
    versions.remove_curves(
        versions.ensure_channelbag(rig), [f"{bone}.{side}" for bone in ("thigh", "shin", "foot") for side in "LR"]
    )
    api.bake(rig, frames=(1, 31))
    # The plane of an aimed pole is found from the pose in single precision.
    assert np.abs(shown(rig, 31).points - planted.points).max() < 1e-4


def hung(target: Object) -> None:
    target.parent = empty("Carrier")
    target.parent.constraints.new("COPY_LOCATION").target = empty("Leader")


def locked(target: Object) -> None:
    target.lock_location = True, True, True


@pytest.mark.parametrize(("spoil", "kind"), [(hung, "NOT_ONLY_CURVES"), (locked, "LOCKED_TARGET")])
def test_targets_that_cannot_be_left_are_refused_first(rig: Object, spoil: Callable[[Object], None], kind: str) -> None:
    target = empty("Target")
    spoil(target)
    api.add_chain(rig, "shin.L", name="Left", tip_bone="foot.L", target=target)
    with refused(kind):
        api.plant(rig, leave_targets=True, sampling="CURVES")


def test_a_bone_removed_meanwhile_leaves_no_targets(rig: Object) -> None:
    request = api.plant.request(rig, leave_targets=True)
    list(request.prepare())
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["foot.R"])
    bpy.ops.object.mode_set(mode="OBJECT")
    with refused():
        request.write()


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

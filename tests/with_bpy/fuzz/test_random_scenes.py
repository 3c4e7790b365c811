"""Random scenes, a few hundred of those that `make fuzz` plays by the thousand; and lies that its oracle has to see."""

from __future__ import annotations

import os
from dataclasses import replace

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from fuzz import acts, changes, oracle, state
from fuzz.kinds import KINDS
from fuzz.scenes import draw
from fuzz.trial import trial

from support import rigs

# A landing plays twice as many as `make test` does.
SHARE = 2.0 / 3.0 if os.environ.get("CI") else 1.0 / 3.0
FEW = pytest.param(range(1, 61), marks=pytest.mark.versions, id="few")


@pytest.mark.parametrize("seeds", [FEW, pytest.param(range(61, round(61 + 190 * SHARE)), id="more")])
def test_random_scenes_are_refused_untouched_or_posed_as_told(seeds: range) -> None:
    assert {seed: faults for seed in seeds if (faults := trial(draw(seed)).faults)} == {}


RARE = {"switch", "plant", "take"}
ACTS = [name for name, kind in KINDS.items() if kind in acts.KINDS]


@pytest.mark.parametrize("kind", ACTS)
def test_random_acts_are_refused_untouched_or_done_as_told(kind: str) -> None:
    seeds = range(1, 4 if kind.partition(" ")[2] in RARE else round(1 + 30 * SHARE))
    assert {seed: faults for seed in seeds if (faults := trial(draw(seed, [kind])).faults)} == {}


@pytest.fixture
def rig(empty_file: None) -> Object:
    """An arm that follows a target with keys."""
    chain = rigs.arm()
    rigs.animate(chain.target, location={1: (1.2, 0.6, 1.3), 6: (1.0, -0.6, 1.3)})
    return chain.id_data


def faults(report: api.Report) -> list[str]:
    return list(oracle.bake_faults(report, {}, []))


def test_a_true_report_has_no_fault(rig: Object) -> None:
    assert faults(api.bake(rig, frames=(1, 6))) == []


def test_a_miss_that_is_not_told_is_found(rig: Object) -> None:
    report = api.bake(rig, frames=(1, 6))
    rig.pose.bones["spine"].rotation_quaternion = (1.0, 0.01, 0.0, 0.0)
    assert [fault.partition(":")[0] for fault in faults(report)] == ["silent miss"] * 6


def test_a_limb_that_could_have_reached_is_found(rig: Object) -> None:
    report = api.bake(rig, frames=(1, 1))
    bones = rig.pose.bones
    bones["lower"].rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    bones["lower"].keyframe_insert("rotation_quaternion", frame=1)
    oracle.on_frame(1)
    limb = oracle.Limb.of("lower")
    off = np.array([np.linalg.norm(limb.joints()[2] - limb.goal())])
    [chain] = report.chains
    lying = replace(report, chains=(replace(chain, miss=off, status=np.array([1], np.uint8)),))
    assert [fault.partition(":")[0] for fault in faults(lying)] == ["falls short"]


def test_a_status_that_is_not_so_is_found(rig: Object) -> None:
    report = api.bake(rig, frames=(1, 1))
    lying = replace(report, chains=(replace(report.chains[0], status=np.array([1], np.uint8)),))
    assert [fault.partition(":")[0] for fault in faults(lying)] == ["wrong status"]


def test_a_key_that_is_no_number_is_found(rig: Object) -> None:
    api.bake(rig, frames=(1, 6))
    next(state.curves(rig.animation_data.action)).keyframe_points[0].co.y = float("nan")
    assert len(list(oracle.key_faults())) == 1


def test_changes_that_nobody_asked_for_are_found(rig: Object) -> None:
    before = state.state()
    report = api.bake(rig, frames=(1, 6))
    assert list(changes.unasked(before, {}, changes.keyed(report, {}), report)) == []
    rig.pose.bones["hand"].location.x = 1.0
    bpy.context.scene.frame_end = 7
    found = list(changes.unasked(before, {}, changes.keyed(report, {}), report))
    assert [fault.partition(": ")[2].partition(":")[0] for fault in found] == [
        "objects[Rig].pose[hand].location",
        "scenes[Scene].",
    ]


def test_keys_outside_that_are_otherwise_are_found(rig: Object) -> None:
    target = rig.two_bone_ik_chains[0].target
    rigs.animate(target, location={1: (1.2, 0.6, 1.3), 4: (1.1, 0.1, 1.2), 9: (1.0, -0.6, 1.3), 12: (1.0, 0.0, 1.0)})
    *_, curve = state.curves(target.animation_data.action)
    key = curve.keyframe_points[-2]
    key.handle_left_type = key.handle_right_type = "FREE"
    before = state.state()
    report = api.bake_targets(rig, frames=(1, 6))
    assert list(changes.unasked(before, {}, changes.targets(report), report)) == []
    *_, curve = state.curves(target.animation_data.action)
    curve.keyframe_points[-2].handle_right[1] += 0.01
    curve.keyframe_points[-1].easing = "EASE_IN"
    found = list(changes.unasked(before, {}, changes.targets(report), report))
    assert [fault.rpartition("]: ")[2].partition(":")[0] for fault in found] == ["handle_right on 9", "easing on 12"]


def test_a_frame_without_a_key_is_found(rig: Object) -> None:
    report = api.bake(rig, frames=(1, 6))
    assert list(changes.without_key(report, {})) == []
    first = next(state.curves(rig.animation_data.action))
    first.keyframe_points.remove(first.keyframe_points[3])
    assert [fault.rpartition(": ")[2] for fault in changes.without_key(report, {})] == ["[4.0]"]

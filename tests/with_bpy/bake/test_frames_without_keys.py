"""Frames that get no key: what a report says of them is what plays there, or that nobody has looked.

The truth is what Blender evaluates on every frame, read by the names of bones and objects.
"""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import ARM, animate, arm, armature, chain
from support.truth import Limb

FRAMES = np.arange(1.0, 21.0)
CLOSE = 1e-5
"""Single precision, in Blender's matrices and in the F-curves."""


def arm_of_three_keys(**fields: object) -> Object:
    """An arm whose target has three keys, all within reach."""
    found = arm(**fields)
    animate(found.target, location={1: (1.2, -0.5, 1.2), 10: (0.3, -1.2, 1.9), 20: (-0.8, -0.9, 1.1)})
    return found.id_data


def leaving(found: object) -> Object:
    """The armature of this chain, whose target leaves its reach and comes back."""
    animate(found.target, location={1: (1.2, -0.5, 1.2), 10: (2.9, -1.2, 1.9), 20: (-0.8, -0.9, 1.1)})
    return found.id_data


def of_json(report: api.Report) -> api.ChainReport:
    """The report of the first chain, written and read again."""
    return api.Report.from_json(json.dumps(json.loads(report.to_json()), allow_nan=False)).chains[0]


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED", "SCENE"])
@pytest.mark.parametrize("measure", ["ALL", "AUTO"])
def test_the_miss_between_target_keys_is_what_plays(measure: str, way: str) -> None:
    rig = arm_of_three_keys()
    report = api.bake(rig, frames=(1, 20), keys="TARGET_KEYS", measure=measure, sampling=way)
    truth = Limb().offs(FRAMES)
    off = truth > 0.01
    for found in (report.chains[0], of_json(report)):
        np.testing.assert_allclose(found.miss, truth, atol=CLOSE)
        assert off.sum() > 10
        np.testing.assert_array_equal(found.status[off], -1)
        np.testing.assert_array_equal(found.status[[0, 9, 19]], 0)
        assert found.measured.all()
        assert np.isnan(found.angles[off]).all()
    assert report.posed
    assert not report.reached
    [worst] = [line for line in report.findings() if "between its keys" in line.text]
    assert worst.text.startswith("  between its keys on 17 frames (2-9, 11-19) the tip is up to ")
    assert f"{1000 * truth.max():.3g} mm off its target" in worst.text
    summary = report.chains[0].summary()
    assert summary["worst_miss"] == pytest.approx(truth.max(), abs=CLOSE)
    assert summary["reached"] == 3


@pytest.mark.parametrize("measure", ["ALL", "AUTO"])
@pytest.mark.parametrize("pole", [None, (1, 3, 1)])
def test_the_miss_on_skipped_frames_is_what_plays(pole: tuple[float, float, float] | None, measure: str) -> None:
    rig = leaving(arm(unreachable="SKIP", pole=pole))
    report = api.bake(rig, frames=(1, 20), measure=measure)
    truth, found = Limb().offs(FRAMES), of_json(report)
    np.testing.assert_allclose(found.miss, truth, atol=CLOSE)
    skipped = truth > CLOSE
    np.testing.assert_array_equal(found.status, np.where(skipped, 1, 0))
    assert 0 < skipped.sum() < 20
    assert f"by up to {truth.max():.3g} m" in str(report)
    assert np.isnan(found.angles[skipped]).all()
    assert not np.isnan(found.angles[~skipped]).any()


def test_a_follower_of_a_skipping_limb_is_told_as_it_plays() -> None:
    leaving(arm(unreachable="SKIP"))
    follower = armature((*ARM,), "Follower")
    follower.location = (1.2, -0.3, 0.2)
    chain(follower, "lower", target=bpy.data.objects["Rig"], subtarget="hand", unreachable="SKIP")
    for report in [api.bake(rig, frames=(1, 20)) for rig in (bpy.data.objects["Rig"], follower)]:
        limb = Limb() if report.rig == "Rig" else Limb(rig="Follower", target="Rig", subtarget="hand")
        truth = limb.offs(FRAMES)
        np.testing.assert_allclose(report.chains[0].miss, truth, atol=CLOSE)
        assert truth.max() > 0.01


@pytest.mark.parametrize("keys", ["TARGET_KEYS", "EVERY_FRAME"])
def test_frames_that_nobody_measured_have_no_miss(keys: str) -> None:
    """Nor has a check of what a limb skips, which does not know how it will play."""
    rig = leaving(arm(unreachable="SKIP"))
    found = of_json(api.bake(rig, frames=(1, 20), keys=keys, measure="NONE"))
    checked = of_json(api.check(rig, frames=(1, 20)))
    keyed = FRAMES % 1 == 0 if keys == "EVERY_FRAME" else np.isin(FRAMES, (1, 10, 20))
    np.testing.assert_array_equal(np.isnan(found.miss), ~keyed | (checked.status != 0))
    np.testing.assert_array_equal(found.status, np.where(keyed | (checked.status != 0), checked.status, -1))
    np.testing.assert_array_equal(np.isnan(checked.miss), checked.status != 0)
    assert not found.reached
    assert "out of reach and without keys" in str(found.lines())
    assert "out of reach and without keys" in str(checked.lines())


def test_targets_met_on_keys_are_reached_if_nobody_looks_between() -> None:
    report = api.bake(arm_of_three_keys(), frames=(1, 20), keys="TARGET_KEYS", measure="NONE")
    assert report.reached
    unmeasured = "between its keys not measured on 17 frames (2-9, 11-19)"
    assert report.lines()[:2] == ["lower: 3 of 3 frames reached", f"  {unmeasured}"]


def test_of_many_frames_those_between_keys_are_measured_too() -> None:
    found = arm()
    animate(found.target, location={1: (1.2, -0.5, 1.2), 200: (0.3, -1.2, 1.9), 400: (-0.8, -0.9, 1.1)})
    report = api.bake(found.id_data, frames=(1, 400), keys="TARGET_KEYS")
    [limb] = report.chains
    looked = np.isfinite(limb.miss)
    np.testing.assert_array_equal(looked, limb.measured | np.isin(limb.frames, (1, 200, 400)))
    assert {1, 200, 400} < {*limb.frames[limb.measured].tolist()}
    assert 10 < looked.sum() < 64
    np.testing.assert_allclose(limb.miss[looked], Limb().offs(limb.frames[looked]), atol=CLOSE)
    assert limb.miss[looked].max() > 0.9 * Limb().offs(limb.frames).max()
    assert f"not measured on {400 - looked.sum()} frames" in str(report)


def test_what_stays_on_its_target_between_keys_is_reached() -> None:
    found = arm()
    animate(found.target, location={1: (1.2, -0.5, 1.2), 8: (1.2, -0.5, 1.2)})
    report = api.bake(found.id_data, frames=(1, 8), keys="TARGET_KEYS")
    assert report.reached
    np.testing.assert_allclose(report.chains[0].miss, Limb().offs(FRAMES[:8]), atol=CLOSE)


def test_a_limb_left_alone_that_moves_between_keys_is_told() -> None:
    """Its Influence is 0 from frame 1 to 8, and the keys on its ends move it in between."""
    rig = arm_of_three_keys()
    for name in ("upper", "lower"):
        animate(rig.pose.bones[name], rotation_quaternion={1: (1, 0, 0, 0), 4: (1, 0.4, 0.1, 0.3), 20: (1, 0, 0, 0.1)})
    for frame, value in {1: 0.0, 8: 0.0, 12: 1.0, 20: 1.0}.items():
        rig.pose.bones["lower"].two_bone_ik_influence = value
        rig.pose.bones["lower"].keyframe_insert("two_bone_ik_influence", frame=frame)
    before = Limb().played(FRAMES[:8])
    [found] = api.bake(rig, frames=(1, 20), keys="TARGET_KEYS").chains
    moved = np.linalg.norm(Limb().played(FRAMES[:8]) - before, axis=-1).max(axis=-1)
    assert moved.max() > 0.01
    np.testing.assert_allclose(found.miss, Limb().offs(FRAMES), atol=CLOSE)
    np.testing.assert_allclose(found.off[:8], moved, atol=2e-4)  # a ten-thousandth of its length is none
    np.testing.assert_array_equal(found.status[:8] == -1, moved > 2e-4)
    assert found.posed

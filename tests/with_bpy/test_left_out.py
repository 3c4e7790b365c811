"""A chain without a target does not stop the others: it is left out, and everybody who asked for all is told so."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.command import run
from support.rigs import animate, armature, chain, empty
from support.skeletons import NAMINGS
from support.truth import Limb, on_frame

NAMING = NAMINGS["plain English, .L and .R"]
OTHERS = ("Arm.L", "Arm.R", "Leg.L")
TOLD = "Left out, without a target: Leg.R"


@pytest.fixture
def hero(empty_file: None) -> Object:
    """Four limbs whose targets move, but for the right leg, which has none."""
    rig = NAMING.armature()
    api.add_detected(rig)
    bpy.context.view_layer.update()
    api.create_targets(rig, OTHERS)
    for name in OTHERS:
        target = rig.two_bone_ik_chains[name].target
        x, y, z = target.location
        animate(target, location={1: (x, y, z), 5: (0.8 * x, y - 0.1, z + 0.1)})
    bpy.context.scene.frame_end = 5
    return rig


def limb(rig: Object, name: str) -> Limb:
    root, end, tip = NAMING.limbs[name]
    return Limb(rig=rig.name, root=root, end=end, tip=tip, target=rig.two_bone_ik_chains[name].target.name)


def keyed_bones(rig: Object) -> set[str]:
    return {curve.group.name for curve in versions.curves(rig)}


def test_the_other_limbs_reach_their_targets(hero: Object) -> None:
    report = api.bake(hero)
    assert keyed_bones(hero) == {bone for name in OTHERS for bone in NAMING.limbs[name]}
    for frame in range(1, 6):
        depsgraph = on_frame(frame)
        for name in OTHERS:
            found = limb(hero, name)
            assert np.linalg.norm(found.joints(depsgraph)[2] - found.goal(depsgraph)) < 1e-5
    assert [one.name for one in report.chains] == list(OTHERS)


@pytest.mark.parametrize("request_", [api.bake, api.check, api.solve, api.bake_targets, api.snap_targets])
def test_every_request_for_all_says_which_it_left_out(hero: Object, request_) -> None:
    report = request_(hero)
    assert report.left_out == ("Leg.R",)
    assert TOLD in report.lines()
    assert TOLD in report.headline()


def test_json_holds_what_older_reports_lack(hero: Object) -> None:
    fields = json.loads(api.check(hero).to_json())
    assert fields["left_out"] == ["Leg.R"]
    assert api.Report.from_dict(fields).left_out == ("Leg.R",)
    del fields["left_out"]
    assert api.Report.from_dict(fields).left_out == ()


def test_a_chain_that_is_named_is_not_left_out(hero: Object) -> None:
    with pytest.raises(api.Refused) as refused:
        api.bake(hero, ["Arm.L", "Leg.R"])
    assert (refused.value.kind, refused.value.bone) == ("NO_TARGET", "LowerLeg.R")
    assert not keyed_bones(hero)
    assert api.bake(hero, ["Arm.L"]).left_out == ()


def test_it_is_refused_if_no_chain_has_a_target(hero: Object) -> None:
    for one in hero.two_bone_ik_chains:
        one.target = None
    with pytest.raises(api.Refused) as refused:
        api.bake(hero)
    assert (refused.value.kind, refused.value.bone) == ("NO_TARGET", "LowerArm.L")


def test_a_muted_chain_is_not_told_of(hero: Object) -> None:
    hero.two_bone_ik_chains["Leg.R"].mute = True
    assert api.check(hero).left_out == ()


def test_who_asks_before_learns_what_a_bake_takes(hero: Object) -> None:
    assert api.taking_part(hero) == (list(OTHERS), ["Leg.R"])
    assert api.taking_part(hero, ["Leg.R"]) == (["Leg.R"], [])


def test_what_is_left_out_falls_short_under_strict(hero: Object, tmp_path: Path, capfd) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    for options, status in (((), 0), (("--strict",), 3)):
        report = tmp_path / f"report-{status}.json"
        baked = tmp_path / f"baked-{status}.blend"
        assert run("bake", tmp_path / "shot.blend", "--output", baked, "--report", report, *options) == status
        assert baked.exists()
        told = capfd.readouterr()
        assert TOLD in told.out
        assert ("left out, without a target: Leg.R" in told.err) == (status == 3)
        assert json.loads(report.read_text())["reports"][0]["left_out"] == ["Leg.R"]


def test_the_order_of_armatures_heeds_those_that_are_left_out() -> None:
    first, second = armature(name="First"), armature(name="Second")
    chain(first, "lower", target=empty("Target", (1.2, 0.6, 1.3)))
    follower = chain(second, "lower", target=first)
    follower.subtarget = "lower"
    api.add_chain(second, "hand")
    assert api.followed_first([second, first]) == [first, second]

"""A chain without a target or a bone does not stop the others: it is left out, and whoever asked for all is told so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.command import run
from support.refused import refused
from support.rigs import animate, armature, chain, editing, empty
from support.skeletons import NAMINGS
from support.truth import Limb

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


def assert_baked(rig: Object, names: Sequence[str]) -> None:
    """These limbs and no others are keyed, and reach their targets."""
    report = api.bake(rig)
    assert [one.name for one in report.chains] == list(names)
    assert keyed_bones(rig) == {bone for name in names for bone in NAMING.limbs[name]}
    assert max(limb(rig, name).offs(range(1, 6)).max() for name in names) < 1e-5


def test_the_other_limbs_reach_their_targets(hero: Object) -> None:
    assert_baked(hero, OTHERS)


def test_who_checks_before_learns_what_a_bake_takes(hero: Object) -> None:
    checked = api.check(hero)
    assert ([chain.name for chain in checked.chains], checked.left_out) == (list(OTHERS), ("Leg.R",))
    hero.two_bone_ik_chains["Leg.R"].mute = True
    assert api.check(hero).left_out == ()
    for one in hero.two_bone_ik_chains:
        one.target = None
    with refused("NO_TARGET") as found:
        api.bake(hero)
    assert found.value.bone == "LowerArm.L"


def test_the_order_of_armatures_heeds_those_that_are_left_out() -> None:
    first, second = armature(name="First"), armature(name="Second")
    chain(first, "lower", target=empty("Target", (1.2, 0.6, 1.3)))
    follower = chain(second, "lower", target=first)
    follower.subtarget = "lower"
    api.add_chain(second, "hand")
    assert api.followed_first([second, first]) == [first, second]


LACKS = 'Left out, lacking a bone: Leg.L ("LowerLeg.L")'


def remove_bone(rig: Object, name: str) -> None:
    with editing(rig) as bones:
        bones.remove(bones[name])


@pytest.fixture
def lacking(hero: Object) -> Object:
    """Of four limbs one without a target and one without its end bone."""
    remove_bone(hero, NAMING.limbs["Leg.L"][1])
    return hero


def test_the_others_are_keyed_where_a_chain_lacks_a_bone(lacking: Object) -> None:
    assert_baked(lacking, OTHERS[:2])


REQUESTS = {
    **{f.__name__: f for f in (api.check, api.solve, api.flip_bend, api.snap_targets, api.bake_targets)},
    "bake": api.bake,
    "space": lambda rig: api.change_target_space(rig, frames=(1, 5), space=None),
    "hold": lambda rig: api.hold(rig, frames=(2, 4)),
    "update": lambda rig: api.hold(rig, OTHERS[:2], frames=(2, 4)) and api.update_holds(rig),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_each_request_for_all_says_which_it_left_out(lacking: Object, name: str) -> None:
    report = REQUESTS[name](lacking)
    assert {one.name for one in report.chains} == set(OTHERS[:2])
    if name not in ("hold", "update"):  # these tell of the chains that are held
        assert (set(report.left_out), report.lacking) == ({"Leg.L", "Leg.R"}, ("Leg.L",))
        assert {LACKS, TOLD} <= set(report.lines())
        assert TOLD in report.headline()


def test_targets_are_created_beside_a_chain_without_a_bone(lacking: Object) -> None:
    lacking.two_bone_ik_chains["Leg.L"].target = None
    report = api.create_targets(lacking)
    assert lacking.two_bone_ik_chains["Leg.R"].target
    assert lacking.two_bone_ik_chains["Leg.L"].target is None
    assert (report.left_out, report.lacking) == (("Leg.L",), ("Leg.L",))
    assert LACKS in report.lines()
    assert LACKS in api.create_targets(lacking).lines(), "also where no other chain needs one"


def test_limbs_are_pinned_beside_a_chain_without_a_bone(lacking: Object) -> None:
    lacking.two_bone_ik_chains["Leg.R"].mute = True
    report = api.pin(lacking)
    assert [one.name for one in report.chains] == list(OTHERS[:2])
    assert report.lines().count(LACKS) == 1
    assert lacking.two_bone_ik_live


@pytest.mark.parametrize("field", ["root_bone", "tip_bone", "subtarget", "pole_subtarget"])
def test_each_bone_that_is_not_there_leaves_its_chain_out(hero: Object, field: str) -> None:
    chain_ = hero.two_bone_ik_chains["Leg.L"]
    if "subtarget" in field:
        setattr(chain_, field.replace("subtarget", "target"), armature(name="Other"))
    setattr(chain_, field, "nose")
    report = api.check(hero)
    assert (report.left_out, report.lacking) == (("Leg.L", "Leg.R"), ("Leg.L",))
    assert 'Left out, lacking a bone: Leg.L ("nose")' in report.lines()


def test_a_chain_whose_upper_bone_is_gone_is_left_out(hero: Object) -> None:
    with editing(hero) as bones:
        bones[NAMING.limbs["Leg.L"][1]].parent = None
    hero.two_bone_ik_chains["Leg.L"].root_bone = ""
    assert api.check(hero).lacking == ("Leg.L",)


@pytest.mark.parametrize(
    ("name", "kind", "bone"), [("Leg.R", "NO_TARGET", "LowerLeg.R"), ("Leg.L", "NO_BONE", "LowerLeg.L")]
)
def test_a_chain_that_is_named_is_refused(lacking: Object, name: str, kind: str, bone: str) -> None:
    with refused(kind) as found:
        api.bake(lacking, ["Arm.L", name])
    assert found.value.bone == bone
    assert api.bake(lacking, ["Arm.L"]).left_out == ()


def test_it_is_refused_if_all_chains_lack_a_bone(lacking: Object) -> None:
    for name in ("Arm.L", "Arm.R"):
        remove_bone(lacking, NAMING.limbs[name][1])
    lacking.two_bone_ik_chains["Leg.R"].mute = True
    lacking.two_bone_ik_chains["Arm.L"].target = None
    for request_ in (api.bake, api.create_targets):
        with refused("NO_BONE") as found:
            request_(lacking)
        assert found.value.bone == "LowerArm.L"


def test_live_goes_on_beside_a_chain_that_lacks_a_bone(lacking: Object) -> None:
    lacking.two_bone_ik_live = True
    target = lacking.two_bone_ik_chains["Arm.L"].target
    target.animation_data_clear()
    x, y, z = target.location
    target.location = 0.8 * x, y - 0.1, z + 0.1
    assert limb(lacking, "Arm.L").off() < 1e-5


def test_a_chain_lacking_a_bone_falls_short_under_strict(lacking: Object, tmp_path: Path, capfd) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    for command, options, status in (("bake", (), 0), ("bake", ("--strict",), 3), ("snap", (), 0)):
        report, baked = tmp_path / "report.json", tmp_path / "baked.blend"
        files = ("--output", baked, "--force", "--report", report)
        assert run(command, tmp_path / "shot.blend", *files, *options) == status
        told = capfd.readouterr()
        assert LACKS in told.out
        assert TOLD in told.out
        short = "left out, without a target: Leg.R; left out, lacking a bone: Leg.L"
        assert (short in told.err) == ("--strict" in options)
        found = json.loads(report.read_text())
        assert found["reports"][0]["lacking"] == found["summary"][0]["lacking"] == ["Leg.L"]
        assert set(found["reports"][0]["left_out"]) == {"Leg.L", "Leg.R"}

"""Rigs of known kinds are told by what they have; kinds are files, to which users add their own."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.rigs import rig_files
from bpy.types import Object

from support.refused import refused
from support.rig_file import own_rig_file
from support.rigify import generated
from support.rigs import Bone, animate, armature
from support.twisted import shown

OWN_KIND = """
[[limb]]
name = "Crane ?"
switch_bone = "hook ik ?"
switch = "fk"
fk = ["boom fk ?", "jib fk ?", "hook fk ?"]
ik = ["boom ik ?", "jib ik ?", "hook ik ?"]
control = "hook ik ?"
"""


@pytest.fixture
def own_file() -> Iterator[Path]:
    """With OWN_KIND in it."""
    with own_rig_file(OWN_KIND) as path:
        yield path


def crane() -> Object:
    """A rig with three layers; the first copies the second or the third, as "fk" of the hook says."""
    places = {"boom": ((0, 0, 0), (0.3, 0, 1)), "jib": ((0.3, 0, 1), (0, 0, 2)), "hook": ((0, 0, 2), (0.3, 0, 2))}
    bones, above = [], ""
    for layer in ("", " fk", " ik"):
        above = ""
        for name, (head, tail) in places.items():
            bones.append(Bone(f"{name}{layer} L", head, tail, "" if (name, layer) == ("hook", " ik") else above))
            above = f"{name}{layer} L"
    rig = armature(bones, "Crane")
    posed = rig.pose.bones
    reach = posed["jib ik L"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, "hook ik L", 2
    posed["hook ik L"]["fk"] = 0.0
    for name in places:
        for layer in (" fk", " ik"):
            copied = posed[f"{name} L"].constraints.new("COPY_TRANSFORMS")
            copied.target, copied.subtarget = rig, f"{name}{layer} L"
        driver = copied.driver_add("influence").driver
        variable = driver.variables.new()
        variable.targets[0].id, variable.targets[0].data_path = rig, 'pose.bones["hook ik L"]["fk"]'
        driver.expression = f"1 - {variable.name}"
    return rig


@pytest.mark.parametrize(
    ("kind", "limbs"),
    [
        ("human", {"Arm", "Leg"}),
        ("basic_human", {"Arm", "Leg"}),
        ("basic_quadruped", {"Hind Leg", "Front Leg"}),
        ("horse", {"Hind Leg", "Front Leg"}),
        ("bird", {"Leg"}),
    ],
)
def test_a_generated_rig_is_known_by_another_name(empty_file: None, kind: str, limbs: set[str]) -> None:
    rig = generated(kind)
    rig.name = rig.data.name = "Hero"
    names = {limb.name for limb in api.known_limbs(rig)}
    assert names == {f"{limb}.{side}" for limb in limbs for side in "LR"}
    # They are called as Detect Limbs calls them.
    assert names <= {limb.name for limb in api.detect(rig)}


def test_a_limb_is_known_by_any_of_its_bones(empty_file: None) -> None:
    rig = generated("basic_human")
    limb = next(limb for limb in api.known_limbs(rig) if limb.name == "Leg.L")
    named = {*limb.named}
    assert named <= set(rig.data.bones.keys())
    assert limb.zero == ("foot_spin_ik.L", "foot_heel_ik.L")
    assert rig.pose.bones[limb.switch_bone][limb.switch] == 0.0
    for bone in ("thigh_fk.L", "foot_ik.L", "foot_heel_ik.L", "thigh_ik_target.L", "ORG-toe.L", "thigh_parent.L"):
        assert api.known_limb_of(rig, bone).name == "Leg.L"
    with refused("NO_KNOWN_LIMB", "select one of Arm.L"):
        api.known_limb_of(rig, "torso")
    with refused("UNKNOWN_LIMB", "it has Arm.L, Arm.R, Leg.L, Leg.R"):
        api.known_limbs(rig, ["Tail"])
    # What another limb lacks is no obstacle; what this one lacks is.
    rig.data.bones["hand_fk.R"].name = "paw_fk.R"
    assert api.known_limb_of(rig, "hand_ik.L").name == "Arm.L"
    with refused("ALMOST_KNOWN", 'no bone "hand_fk.R"'):
        api.known_limb_of(rig, "hand_ik.R")


def test_what_a_generated_rig_lacks_is_told_with_the_nearest(empty_file: None) -> None:
    rig = generated("basic_human")
    rig.data.bones["hand_fk.L"].name = "hand_fk2.L"
    with refused("ALMOST_KNOWN", 'the nearest is "hand_fk2.L"') as found:
        api.known_limbs(rig)
    assert (found.value.value, found.value.bone) == ("Arm.L", "hand_fk.L")
    # The other limbs can be named.
    assert [limb.name for limb in api.known_limbs(rig, ["Leg.R"])] == ["Leg.R"]
    assert api.known_limbs(rig, "Leg.R") == api.known_limbs(rig, ["Leg.R"])
    rig.data.bones["hand_fk2.L"].name = "hand_fk.L"
    del rig.pose.bones["upper_arm_parent.L"]["IK_FK"]
    with refused("ALMOST_KNOWN", 'property "IK_FK" of "upper_arm_parent.L"'):
        api.known_limbs(rig)
    rig.pose.bones["upper_arm_parent.L"]["IK_FK"] = 0.0
    shown = rig.pose.bones["ORG-hand.L"]
    shown.constraints.remove(shown.constraints[0])
    with refused("ALMOST_KNOWN", 'a constraint of bone "ORG-hand.L" on "hand_fk.L"'):
        api.known_limbs(rig)


def test_a_rig_of_no_known_kind_is_refused(empty_file: None) -> None:
    rig = armature()
    with refused("UNKNOWN_RIG", "rigify"):
        api.known_limbs(rig)
    kinds = {kind for kind, _ in rig_files.layouts()}
    assert kinds == {"rigify", "auto_rig_pro", "cloudrig", "mixamo_control_rig", "mmd"}


def test_a_rig_of_a_users_own_kind_switches(empty_file: None, own_file: Path) -> None:
    rig = crane()
    assert [limb.name for limb in api.known_limbs(rig)] == ["Crane L"]
    animate(rig.pose.bones["hook ik L"], location={1: (0, 0, 0), 10: (0.2, 0.3, -0.6)})

    before = poses_of(rig)
    for to in ("FK", "IK"):
        assert api.switch(rig, to, frames=(1, 10)).posed
        np.testing.assert_allclose(poses_of(rig), before, atol=1e-4)
        assert rig.pose.bones["hook ik L"]["fk"] == (to == "FK")
    api.switch(rig, "FK", frames=(1, 10))
    action = rig.animation_data.action
    before = {curve.data_path: len(curve.keyframe_points) for curve in versions.curves(rig)}
    api.switch(rig, "IK", frames=(1, 10), new_action=True)
    assert rig.animation_data.action != action
    rig.animation_data.action = action
    assert {curve.data_path: len(curve.keyframe_points) for curve in versions.curves(rig)} == before


def poses_of(rig: Object) -> np.ndarray:
    """(10, 3, 4, 4) of what shows of the crane."""
    return shown(rig, range(1, 11), [f"{name} L" for name in ("boom", "jib", "hook")])


@pytest.mark.parametrize("axis", [0, 2], ids=["in the plane", "out of it"])
def test_ik_controls_of_a_users_kind_follow_fk_keys(empty_file: None, own_file: Path, axis: int) -> None:
    rig = crane()
    posed = rig.pose.bones
    posed["hook ik L"]["fk"] = 1.0
    for name, turn in (("boom fk L", 0.3), ("jib fk L", 0.7), ("hook fk L", 0.4)):
        posed[name].rotation_mode = "XYZ"
        bend = {1: 0.0, 10: turn} if axis == 0 else {1: 0.0, 10: 0.2}
        animate(posed[name], rotation_euler={frame: np.eye(3)[axis] * value for frame, value in bend.items()})
    before = poses_of(rig)
    report = api.switch(rig, "IK", frames=(1, 10))
    off = np.abs(poses_of(rig) - before).max()
    assert np.abs(before[-1] - before[0]).max() > 0.1
    assert rig.pose.bones["hook ik L"]["fk"] == 0.0
    # No pole and no swivel: Blender's IK alone says which way the crane bends.
    assert report.posed == (off < 1e-3)


def test_source_keys_between_hundredths_have_both_ends(empty_file: None, own_file: Path) -> None:
    rig = crane()
    animate(rig.pose.bones["hook ik L"], location={1: (0, 0, 0), 10: (0.2, 0.3, -0.6)})
    report = api.switch(rig, "FK", frames=(1.125, 3.125), keys="SOURCE")
    assert report.posed
    times = {
        key.co.x for curve in versions.curves(rig) if "boom fk" in curve.data_path for key in curve.keyframe_points
    }
    assert {1.125, 3.125} <= times


@pytest.mark.parametrize(
    ("old", "new", "kind", "says"),
    [
        ("switch_bone", "switch_bones", "UNKNOWN_KEY", 'the nearest is "switch_bone"'),
        ('switch = "fk"', "switch = 1", "WRONG_TYPE", "text in quotes"),
        ('control = "hook ik ?"', 'fk_value = "1"', "WRONG_TYPE", "a number"),
        ('control = "hook ik ?"', "zero = [1]", "WRONG_TYPE", "a list of names"),
        ('switch = "fk"', "", "NO_KEY", "has no switch"),
        (', "hook fk ?"]', "]", "BONE_COUNT", "2 bones in fk"),
        ("fk = [", "ik_value = 1\nfk = [", "SAME_VALUES", "1 for both fk_value and ik_value"),
        ("fk = [", "fk_value = nan\nfk = [", "WRONG_TYPE", "fk_value = nan, but it takes a number"),
        ("fk = [", f"fk_value = 1{'0' * 400}\nfk = [", "WRONG_TYPE", "but it takes a number"),
        ('"boom ik ?"', '"boom ik *"', "OTHER_WILDCARDS", '"boom ik *"'),
    ],
)
def test_a_fault_in_a_users_file_is_told(own_file: Path, old: str, new: str, kind: str, says: str) -> None:
    own_file.write_text(OWN_KIND.replace(old, new), "utf-8")
    rig = armature()
    with refused(kind, says, str(own_file)):
        api.known_limbs(rig)


def test_a_limb_that_shows_the_layer_already_keeps_its_keys(empty_file: None, own_file: Path) -> None:
    rig = crane()
    rig.pose.bones["hook ik L"]["fk"] = 1.0
    animate(rig.pose.bones["jib fk L"], rotation_quaternion={1: (1, 0, 0, 0), 10: (0.9, 0.4, 0, 0)})
    report = api.switch(rig, "FK", frames=(1, 10))
    assert report.notes == ("Show FK already, and stay as they are: Crane L",)
    assert {len(curve.keyframe_points) for curve in versions.curves(rig)} == {2}
    assert {curve.data_path for curve in versions.curves(rig)} == {'pose.bones["jib fk L"].rotation_quaternion'}

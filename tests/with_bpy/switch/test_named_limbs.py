"""Limbs of users' own rigs: wildcards, influences as switches, controls on what shakes; IK of toes that is left off."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.rigs import rig_files
from bpy.types import Object

from support.published_rigs import deforming, limbs, published
from support.rig_file import CRANE, own_rig_file
from support.rigs import ARM, Bone, animate, armature
from support.walking import off, pose_of

KNEE, FOOT, HEEL, TOES = "ひざ.L", "足首.L", "足ＩＫ.L", "つま先ＩＫ.L"
ONE_SWITCH = """
[[limb]]
name = "Own Leg.?"
switch_bone = "hips"
switch = "IK"
fk_value = 0.0
ik_value = 1.0
fk = ["足.?", "ひざ.?", "足首.?"]
ik = ["足.?", "ひざ.?", "足首.?"]
control = "足ＩＫ.?"
"""


def test_one_bone_may_have_the_switches_of_both_sides() -> None:
    rig = published("mmd")
    rig.pose.bones["hips"]["IK"] = 1.0
    influence = rig.pose.bones[KNEE].constraints["IK"].driver_add("influence").driver
    influence.expression = "ik"
    variable = influence.variables.new()
    variable.name = "ik"
    variable.targets[0].id = rig
    variable.targets[0].data_path = 'pose.bones["hips"]["IK"]'
    with own_rig_file(ONE_SWITCH):
        assert [limb.name for limb in api.known_limbs(rig)] == ["Own Leg.L", "Leg.L"]
        assert api.known_limbs(rig)[0].switch_bone == "hips"


def test_limbs_with_one_switch_key_it_as_one_limb_does() -> None:
    arms = "".join(
        f"""
[[limb]]
name = "Arm.{side}"
switch_bone = "root"
switch = "fk"
fk = ["upper fk.{side}", "lower fk.{side}", "hand fk.{side}"]
ik = ["upper ik.{side}", "lower ik.{side}", "hand ik.{side}"]
control = "hand ik.{side}"
"""
        for side in "LR"
    )
    keyed = []
    for names in (["Arm.L"], ["Arm.L", "Arm.R"]):
        rig = two_layers()
        with own_rig_file(arms):
            api.switch(rig, "FK", names, frames=(11, 50))
        curve = versions.curve_finder(rig)('pose.bones["root"]["fk"]', index=0)
        keyed.append([tuple(key.co) for key in curve.keyframe_points])
        bpy.data.objects.remove(rig)
    assert keyed[0] == keyed[1]


def two_layers() -> Object:
    """Two arms with FK and IK controls, all of which show by one property of the root."""
    bones = [Bone("root", (0, 0, -1), (0, 0, 0))]
    for side, x in (("L", 0.2), ("R", -0.2)):
        places = {
            "upper": ((x, 0, 0), (x, 0.1, 1)),
            "lower": ((x, 0.1, 1), (x, 0, 2)),
            "hand": ((x, 0, 2), (x, 0, 2.3)),
        }
        for layer in ("", " fk", " ik"):
            above = "root"
            for name, (head, tail) in places.items():
                parent = "root" if (name, layer) == ("hand", " ik") else above
                bones.append(Bone(f"{name}{layer}.{side}", head, tail, parent))
                above = f"{name}{layer}.{side}"
    rig = armature(bones, "Layers")
    rig.pose.bones["root"]["fk"] = 0.0
    for side in "LR":
        reach = rig.pose.bones[f"lower ik.{side}"].constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count = rig, f"hand ik.{side}", 2
        for name in ("upper", "lower", "hand"):
            for layer in (" fk", " ik"):
                copied = rig.pose.bones[f"{name}.{side}"].constraints.new("COPY_TRANSFORMS")
                copied.target, copied.subtarget = rig, f"{name}{layer}.{side}"
            driver = copied.driver_add("influence").driver
            variable = driver.variables.new()
            variable.targets[0].id, variable.targets[0].data_path = rig, 'pose.bones["root"]["fk"]'
            driver.expression = f"1 - {variable.name}"
    return rig


def test_a_shared_bone_alone_makes_no_rig_a_known_one() -> None:
    rig = armature([*ARM, Bone("hips", (0, 0, 0), (0, 0, 1))])
    with own_rig_file(ONE_SWITCH), pytest.raises(api.Refused) as refused:
        api.known_limbs(rig)
    assert refused.value.kind == "UNKNOWN_RIG"


@pytest.mark.parametrize("key", ["pole_switch", "stretch_switch"])
def test_properties_have_the_wildcards_of_the_limb(key: str) -> None:
    with own_rig_file(f'{ONE_SWITCH}{key} = "own_*_?"\n'):
        assert [fault.kind for fault in rig_files.faults()] == ["OTHER_WILDCARDS"]


ARM_NAMES = ("upper", "lower", "hand")
BETWEEN = np.arange(1, 20) + 0.5


@pytest.mark.parametrize("carried", ["hook", "jib"])
def test_controls_on_what_shakes_are_right_between_frames(carried: str) -> None:
    above = {carried: "carrier"}
    rig = armature(
        [
            *ARM,
            Bone("carrier", (3, 0, 0), (3, 0, 1)),
            Bone("hook", (1.8, 0, 1.1), (2, 0, 1.1), above.get("hook", "")),
            Bone("jib", (1, 1, 1), (1, 1.2, 1), above.get("jib", "")),
        ]
    )
    reach = rig.pose.bones["lower"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count, reach.influence = rig, "hook", 2, 0.0
    reach.pole_target, reach.pole_subtarget = rig, "jib"
    animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 20: (0.9, 0.2, 0.2, 0.1)})
    animate(rig.pose.bones["lower"], rotation_quaternion={1: (0.9, 0.4, 0, 0), 20: (0.8, 0.5, 0, 0)})
    places = np.random.default_rng(1).normal(scale=0.1, size=(20, 3))
    animate(rig.pose.bones["carrier"], location=dict(enumerate(places.tolist(), 1)))
    for curve in versions.curves(rig):
        for key in curve.keyframe_points if "carrier" in curve.data_path else ():
            key.interpolation = "LINEAR"
    before = pose_of(rig, ARM_NAMES, BETWEEN)
    with own_rig_file(f'{CRANE}pole = "jib"\n'):
        assert api.switch(rig, "IK", frames=(1, 20)).posed
    moved = np.linalg.norm((pose_of(rig, ARM_NAMES, BETWEEN) - before)[..., :3, 3], axis=-1)
    assert moved.max() < 1e-3


@pytest.fixture
def model() -> Object:
    """One whose foot its own IK does not aim, while its leg shows IK."""
    rig = published("mmd")
    rig.pose.bones[FOOT].constraints["IK"].influence = 0.0
    animate(rig.pose.bones[HEEL], location={1: (0, 0, 0), 8: (0.02, -0.05, 0.1), 15: (-0.05, 0.05, 0.2)})
    animate(rig.pose.bones[FOOT], rotation_quaternion={1: (1, 0, 0, 0), 15: (0.95, 0.3, 0, 0)})
    return rig


def keyed(rig: Object) -> dict[str, list[float]]:
    """By path of what is animated the frames of its keys."""
    return {curve.data_path: [key.co.x for key in curve.keyframe_points] for curve in versions.curves(rig)}


def test_a_leg_that_shows_ik_keeps_its_keys_with_toes_off(model: Object) -> None:
    before = keyed(model)
    again = api.switch(model, "IK", frames=(1, 15))
    assert "Show IK already" in str(again)
    assert again.headline() == str(again)  # "Switched" would not be true
    assert keyed(model) == before


@pytest.mark.parametrize("frames", [(4, 10), (1, 15)])
@pytest.mark.parametrize("later", [0, 1])
def test_toes_that_are_off_stay_off_there_and_back(model: Object, frames: tuple[int, int], later: int) -> None:
    pose = deforming(model, limbs("mmd"))
    for to, (start, end) in (("FK", frames), ("IK", (frames[0] + later, frames[1] - later))):
        assert api.switch(model, to, frames=(start, end)).posed
        assert off(deforming(model, limbs("mmd")), pose)[0] < 1e-4
    aim = model.pose.bones[FOOT].constraints["IK"]
    assert not {f"{aim.path_from_id()}.influence", f'pose.bones["{TOES}"].rotation_quaternion'} & keyed(model).keys()
    assert aim.influence == 0.0


def test_toes_that_aim_on_some_frames_are_switched(model: Object) -> None:
    aim = model.pose.bones[FOOT].constraints["IK"]
    for frame, value in ((1, 0.0), (7, 1.0)):
        aim.influence = value
        aim.keyframe_insert("influence", frame=frame)
    api.switch(model, "FK", frames=(4, 10))
    bpy.context.scene.frame_set(9)
    assert aim.influence == 0.0


FRAMES = range(1, 11)


@pytest.fixture
def rig() -> Iterator[Object]:
    """IK of three bones moves the spine too, which carries the limb."""
    rig = armature([*ARM, Bone("hook", (1.8, 0, 1.1), (2, 0, 1.1))])
    reach = rig.pose.bones["lower"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, "hook", 3
    reach.iterations = 500
    animate(rig.pose.bones["hook"], location={1: (0, 0, 0), 10: (-0.6, 0.3, 0.2)})
    with own_rig_file(CRANE):
        yield rig


def test_what_ik_moves_ahead_of_a_limb_falls_back_with_it(rig: Object) -> None:
    before = pose_of(rig, ("upper", "lower", "hand"), FRAMES)
    assert abs(pose_of(rig, ("spine",), FRAMES) - pose_of(rig, ("spine",), [1])).max() > 0.05
    report = api.switch(rig, "FK", frames=(1, 10))
    assert abs(pose_of(rig, ("upper", "lower", "hand"), FRAMES) - before).max() < 1e-4
    assert report.posed
    assert abs(pose_of(rig, ("spine",), FRAMES) - pose_of(rig, ("spine",), [1])).max() < 1e-6

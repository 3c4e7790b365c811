"""What hides a limb on some frames is told with just these frames, whatever the current frame is."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Constraint, FCurve, Object, PropertyGroup

from support.rigify import generated
from support.rigs import ARM, Bone, animate, arm, armature, chain, empty
from support.truth import on_frame

pytestmark = pytest.mark.versions

HOLDER, SWITCH = "upper_arm_parent.L", "IK_FK"
PATH = f'pose.bones["{HOLDER}"]["{SWITCH}"]'
BAKES = [(30, (1, 19)), (12, (1, 19)), (30, (20, 40)), (12, (20, 40)), (30, (10, 40)), (12, (10, 40)), (40, (7, 7))]
"""Current frames, and what is baked: FK shows from 20 to 40."""


@pytest.fixture
def rig(empty_file: None) -> Object:
    """A generated rig with a chain on an arm, which is elsewhere than IK, and whose FK shows from 20 to 40."""
    rig = generated("basic_human")
    animate(rig.pose.bones["hand_ik.L"], location={1: (0, 0, 0), 40: (0, -0.2, 0.1)})
    api.switch(rig, "FK", ["Arm.L"], frames=(20, 40))
    api.add_chain(rig, "forearm_fk.L", tip_bone="hand_fk.L", name="Arm.L")
    api.create_targets(rig)
    rig.two_bone_ik_chains["Arm.L"].target.location.z += 0.1
    return rig


def hidden(rig: Object, frames: Sequence[int], posed: str = "hand_fk.L", shown: str = "DEF-hand.L") -> list[int]:
    """The frames on which the bone that deforms the character is not where the posed one is."""
    found = []
    for frame in frames:
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        if (bones[posed].head - bones[shown].head).length > 1e-3:
            found.append(frame)
    return found


def spans(frames: Sequence[int]) -> str:
    """Frames that follow each other, as reports name them."""
    return f"on {len(frames)} frames ({frames[0]}-{frames[-1]})" if len(frames) > 1 else f"on 1 frame ({frames[0]})"


def notes(report: api.Report) -> list[str]:
    return [note for note in report.notes if "does not show" in note]


def down_to_strip(rig: Object, start: int) -> None:
    animation = rig.animation_data
    animation.nla_tracks.new().strips.new("Strip", start, animation.action)
    animation.action = None


def follow(curve: FCurve, rig: Object, path: str, expression: str = "var") -> None:
    """Let a driver read this property of the rig."""
    variable = curve.driver.variables.new()
    variable.name = "var"
    variable.targets[0].id, variable.targets[0].data_path = rig, path
    curve.driver.expression = expression


def driven(rig: Object) -> None:
    """A property of the armature drives the switch, and has its keys."""
    rig["master"] = 0.0
    for frame, value in ((19, 0.0), (20, 1.0), (40, 1.0), (41, 0.0)):
        rig["master"] = value
        rig.keyframe_insert('["master"]', frame=frame)
    for curve in versions.curves(rig):
        if curve.data_path == PATH:
            curve.mute = True
    follow(rig.pose.bones[HOLDER].driver_add(f'["{SWITCH}"]'), rig, '["master"]')


@pytest.mark.parametrize("by", ["keys", "strips", "driver"])
@pytest.mark.parametrize(("now", "frames"), BAKES)
def test_a_switch_that_is_animated_hides_a_limb_on_its_frames(
    rig: Object, by: str, now: int, frames: tuple[int, int]
) -> None:
    if by == "strips":
        down_to_strip(rig, 1)
    if by == "driver":
        driven(rig)
    on_frame(now)
    told = [api.check(rig, frames=frames), api.bake(rig, frames=frames)]
    found = hidden(rig, range(frames[0], frames[1] + 1))
    assert found == [frame for frame in range(frames[0], frames[1] + 1) if frame < 20]
    remedy = f'its property "{SWITCH}" is animated, so use To FK over these frames, and then do this again'
    if by != "keys":
        remedy = f'let its property "{SWITCH}", which is animated, be 1 there'
    wanted = [f'The rig does not show chain "Arm.L" {spans(found)}: {remedy}'] if found else []
    assert [notes(report) for report in told] == [wanted, wanted]


def test_what_the_note_asks_for_lets_the_limb_show(rig: Object) -> None:
    on_frame(30)
    assert notes(api.bake(rig, frames=(10, 40)))
    api.switch(rig, "FK", ["Arm.L"], frames=(10, 19))
    on_frame(1)
    assert notes(api.bake(rig, frames=(10, 40))) == []
    assert hidden(rig, range(10, 41)) == []


def test_a_pose_that_the_rig_does_not_show_now_is_told(rig: Object) -> None:
    on_frame(30)
    assert notes(api.solve(rig)) == []
    on_frame(12)
    assert len(notes(api.solve(rig))) == 1
    rig.pose.bones[HOLDER][SWITCH] = 1.0
    rig.update_tag()
    assert notes(api.solve(rig)) == [], "the switch is turned, without a key"


@pytest.mark.parametrize(("now", "frames"), [(1, (1, 30)), (20, (1, 30)), (12, (1, 30)), (20, (1, 9)), (1, (15, 30))])
@pytest.mark.parametrize("kind", ["passes on", "inverts", "polynomial"])
def test_a_switch_of_an_unknown_rig_hides_a_limb_on_its_frames(
    empty_file: None, kind: str, now: int, frames: tuple[int, int]
) -> None:
    rig = armature((*ARM, *(Bone(f"{name} {bone.name}", *bone[1:3]) for bone in ARM[1:] for name in ("ik", "shown"))))
    rig["switch"] = 1.0
    rig.id_properties_ui("switch").update(min=0.0, max=1.0)
    for name in ("upper", "lower", "hand"):
        for followed in (name, f"ik {name}"):
            tie = rig.pose.bones[f"shown {name}"].constraints.new("COPY_TRANSFORMS")
            tie.target, tie.subtarget = rig, followed
        curve = tie.driver_add("influence")
        follow(curve, rig, '["switch"]', "var" if kind == "passes on" else "1 - var")
        if kind == "polynomial":
            curve.driver.type = "AVERAGE"
            curve.keyframe_points.clear()
            curve.modifiers.new("GENERATOR").coefficients = (1.0, -1.0)
    shows = 0.0 if kind == "passes on" else 1.0
    for frame, value in ((1, shows), (10, shows), (11, 1.0 - shows), (30, 1.0 - shows)):
        rig["switch"] = value
        rig.keyframe_insert('["switch"]', frame=frame)
    chain(rig, "lower", target=(0.9, 0.6, 1.6), tip_bone="hand", root_bone="upper")
    on_frame(now)
    told = notes(api.bake(rig, frames=frames))
    found = hidden(rig, range(frames[0], frames[1] + 1), "hand", "shown hand")
    assert found == [frame for frame in range(frames[0], frames[1] + 1) if frame > 10]
    remedy = f'let its property "switch", which is animated, be {shows:g} there'
    assert told == ([f'The rig does not show chain "lower" {spans(found)}: {remedy}'] if found else [])


def key(constraint: Constraint, name: str, values: dict[int, float]) -> None:
    for frame, value in values.items():
        setattr(constraint, name, value)
        constraint.keyframe_insert(name, frame=frame)


@pytest.mark.parametrize("now", [2, 8])
@pytest.mark.parametrize(
    ("name", "values", "acting"),
    [
        ("influence", {1: 0.0, 5: 0.0, 6: 1.0}, (6, 9)),
        ("mute", {1: False, 5: False, 6: True}, (1, 5)),
        ("enabled", {1: False, 5: False, 6: True}, (6, 9)),
        ("influence", {1: 0.0}, ()),
        ("influence", {1: 0.5}, (1, 9)),
    ],
)
@pytest.mark.parametrize("kind", ["IK", "COPY_ROTATION"])
def test_a_constraint_that_is_animated_is_told_with_its_frames(
    empty_file: None, kind: str, name: str, values: dict[int, float], acting: tuple[int, ...], now: int
) -> None:
    arm_chain: PropertyGroup = arm(target=(1.2, 0.6, 1.3))
    rig = arm_chain.id_data
    constraint = rig.pose.bones["lower"].constraints.new(kind)
    constraint.target = empty("Elsewhere", (0.2, -1.5, 0.4))
    constraint.target.rotation_euler = (1.0, 0.5, 0.3)
    if kind == "IK":
        constraint.chain_count = 2
    key(constraint, name, values)
    on_frame(now)
    told = api.bake(rig, frames=(1, 9), mute_constraints=False, measure="ALL")
    off = [int(frame) for frame, off in zip(told.chains[0].frames, told.chains[0].misposed, strict=True) if off]
    frames = list(range(acting[0], acting[1] + 1)) if acting else []
    assert off == frames
    words, remedy = ("hides the keys", ": mute it") if kind == "IK" else ("acts on top of the keys", "")
    when = f" {spans(frames)}" if 0 < len(frames) < 9 else ""
    sentence = f'Constraint "{constraint.name}" of bone "lower" {words}{when}{remedy}'
    assert [note for note in told.notes if "Constraint" in note] == ([sentence] if frames else [])
    np.testing.assert_array_equal(told.chains[0].measured, np.ones(9))
    assert bpy.context.scene.frame_current == now

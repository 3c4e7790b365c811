"""Which targets can be held and to what, what is refused, and that a hold is a request as others are."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support import file_data
from support.held import DRIFT, KEYED, OUTSIDE, drift, everything, outside, scene, values, world
from support.refused import refused
from support.rigs import ARM, Bone, animate, arm, armature, chain, empty
from support.truth import on_frame

CONTROLS = (Bone("root", (0, 0, 0), (0, 0.3, 0)), Bone("control", (1.2, 0.6, 1.3), (1.2, 0.9, 1.3), "root", 0.4))


def as_bone(rig: Object, target: Object) -> None:
    one = rig.two_bone_ik_chains[0]
    one.target, one.subtarget = rig, "control"
    for frame in KEYED:
        animate(rig.pose.bones["control"], location={frame: (0.1 * np.sin(frame), 0, 0.1 * np.cos(frame / 3))})
        animate(rig.pose.bones["root"], rotation_quaternion={frame: (1, 0.1 * np.sin(frame), 0, 0)})


def as_bone_with_child_of(rig: Object, target: Object) -> None:
    as_bone(rig, target)
    constraint = rig.pose.bones["control"].constraints.new("CHILD_OF")
    constraint.target = moving()


def parented(_rig: Object, target: Object) -> None:
    target.parent = moving()


def with_child_of(_rig: Object, target: Object) -> None:
    target.constraints.new("CHILD_OF").target = moving()


def moving() -> Object:
    base = empty("Base")
    for frame in KEYED:
        animate(base, location={frame: (0.1 * np.sin(frame), 0, 0)}, rotation_euler={frame: (0, 0.1, frame / 200)})
    base.scale = (1.1, 1.1, 1.1)
    return base


@pytest.mark.parametrize("place", [as_bone, as_bone_with_child_of, parented, with_child_of], ids=lambda f: f.__name__)
def test_targets_are_held_whatever_carries_them(place: Callable[[Object, Object], None]) -> None:
    rig, target, cup = armature((*ARM, *CONTROLS)), empty("Target"), empty("Cup")
    for frame in KEYED:
        animate(target, location={frame: (1.1 + 0.1 * np.sin(frame), 0.5, 1.2)})
        animate(
            cup, location={frame: (1.1, 0.5 + 0.1 * np.sin(frame / 2), 1.2)}, rotation_euler={frame: (frame / 30, 0, 0)}
        )
    chain(rig, "lower", target=target)
    place(rig, target)
    bpy.context.view_layer.update()  # with the first one, Child Of sets its inverse
    assert not api.hold(rig, frames=(20, 40), space=cup).notes
    one, found = rig.two_bone_ik_chains[0], []
    for frame in range(20, 41):
        depsgraph = on_frame(frame)
        item = one.target.evaluated_get(depsgraph)
        there = item.matrix_world @ item.pose.bones["control"].matrix if one.subtarget else item.matrix_world
        found.append(np.linalg.inv(world("Cup", frame)) @ np.array(there))
    assert np.abs(np.array(found) - found[0])[..., 3].max() < 2 * DRIFT


def test_a_target_that_is_carried_in_part_is_refused_there() -> None:
    rig, target, cup = scene()
    carried = target.constraints.new("CHILD_OF")
    carried.target = moving()
    bpy.context.view_layer.update()  # with the first one, Child Of sets its inverse
    for frame, influence in ((1, 0.0), (10, 0.0), (15, 1.0), (60, 1.0), (61, 0.5)):
        carried.influence = influence
        carried.keyframe_insert("influence", frame=frame)
    for frames in ((12, 40), (40, 70)):
        with refused("BLENDED_TARGET", 'constraint "Child Of"'):
            api.hold(rig, frames=frames, space=cup)
    assert not api.hold(rig, frames=(20, 40), space=cup).notes


def test_a_hand_cannot_hold_what_it_carries() -> None:
    rig, _, cup = scene()
    cup.parent, cup.parent_type, cup.parent_bone = rig, "BONE", "hand"
    with refused("HOLD_CIRCLE", '"lower"') as found:
        api.hold(rig, frames=(20, 40), space=cup)
    assert found.value.bone == "upper"


def test_two_hands_cannot_hold_on_to_each_other() -> None:
    bones = [bone._replace(name=f"{bone.name}.R", parent=f"{bone.parent}.R") for bone in ARM[1:]]
    bones[0] = bones[0]._replace(parent="spine")
    rig, left, right = armature((*ARM, *bones)), empty("L", (1.2, 0.3, 1.2)), empty("R", (1.2, -0.3, 1.2))
    chain(rig, "lower", target=left)
    chain(rig, "lower.R", target=right)
    api.hold(rig, ["lower"], (20, 40), space=(rig, "hand.R"))
    api.hold(rig, ["lower.R"], (60, 70), space=(rig, "hand"))  # later: a thing goes from hand to hand
    with refused("HOLD_CIRCLE", "lower (upper)", "lower.R (upper.R)"):
        api.hold(rig, ["lower.R"], (30, 50), space=(rig, "hand"))


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"at": 50}, "HOLD_FRAMES", ""),
        ({"ease": (-1, 4)}, "HOLD_EASE", ""),
        ({"space": ("Rig", "hnd")}, "NO_BONE", ""),
        ({"space": ("Target", "")}, "HOLD_CIRCLE", '"Target"'),
        ({"target": None}, "NO_TARGET", "create it"),
    ],
    ids=str,
)
def test_what_cannot_be_held_is_refused(wrong: dict[str, object], kind: str, words: str) -> None:
    rig, _, _ = scene()
    wrong = dict(wrong)
    if "target" in wrong:
        rig.two_bone_ik_chains[0].target = wrong.pop("target")
    if "space" in wrong:
        name, bone = wrong["space"]
        wrong["space"] = (bpy.data.objects[name], bone) if bone else bpy.data.objects[name]
    with refused(kind, words):
        api.hold(rig, frames=(20, 40), **wrong)


def test_a_cut_is_as_sharp_as_asked() -> None:
    rig, target, cup = scene()
    frames = outside(20, 40)
    evaluated = values(target, frames[(frames != 20) & (frames != 40)])
    api.hold(rig, frames=(20, 40), at=30, space=cup, ease=(0, 0))
    assert np.abs(values(target, frames[(frames != 20) & (frames != 40)]) - evaluated).max() < OUTSIDE
    assert drift(20, 40, "Cup") < DRIFT


def test_a_thing_that_turns_round_and_round_is_held() -> None:
    rig, target, cup = scene()
    for frame in (20, 40):
        animate(cup, rotation_euler={frame: (0, 0, frame)})
    for mode in ("XYZ", "QUATERNION"):
        target.rotation_mode = mode
        api.hold(rig, frames=(20, 40), space=cup)
        assert drift(20, 40, "Cup") < DRIFT
        for frame in np.arange(40, 50, 0.25):
            step = np.abs(world("Target", frame + 0.25)[:3, :3] - world("Target", frame)[:3, :3]).max()
            assert step < 0.5, frame
        api.remove_hold(rig, "lower")


@pytest.fixture
def rig() -> Object:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 40: (0.5, -0.8, 1.5)})
    bpy.context.view_layer.update()
    return chain.id_data


def holding(rig: Object) -> api.Request:
    return api.hold.request(rig, frames=(10, 20))


def updating(rig: Object) -> api.Request:
    api.hold(rig, frames=(10, 20))
    api.hold(rig, frames=(25, 30))
    return api.update_holds.request(rig)


def solving(rig: Object) -> api.Request:
    return api.solve.request(rig, insert_keys=True)


def target_at(rig: Object, frame: int) -> tuple[float, ...]:
    bpy.context.scene.frame_set(frame)
    return tuple(rig.two_bone_ik_chains[0].target.matrix_world.translation)


def test_a_hold_tells_the_part_that_is_done(rig: Object) -> None:
    # A driver keeps the target from being read by its curves alone.
    rig.two_bone_ik_chains[0].target.driver_add("scale", 0).driver.expression = "1"
    done = list(holding(rig).prepare())
    assert len(done) > 5
    assert done == sorted(done)
    assert 0.0 <= done[0] < done[-1] < 1.0


@pytest.mark.parametrize("request_of", [holding, updating, solving])
def test_given_up_before_it_writes_it_changes_nothing(rig: Object, request_of: Callable) -> None:
    request = request_of(rig)
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    before = file_data.dump()
    for _ in request.prepare():
        pass
    request.close()
    bpy.context.view_layer.update()
    assert not file_data.changed(before)


def test_a_hold_that_waited_holds_as_one_made_at_once(rig: Object) -> None:
    start = target_at(rig, 10)
    request = holding(rig)
    assert all(done < 1.0 for done in request.prepare())
    assert target_at(rig, 20) != pytest.approx(start, abs=1e-3)
    report = request.write()
    assert report.operation == "Hold"
    assert target_at(rig, 20) == pytest.approx(start, abs=1e-5)


def test_what_a_hold_needs_may_be_removed_before_it_writes(rig: Object) -> None:
    request = holding(rig)
    list(request.prepare())
    bpy.data.objects.remove(rig.two_bone_ik_chains[0].target)
    with pytest.raises(api.Refused) as refused:
        request.write()
    assert refused.value.kind.startswith("REMOVED")


def strip(target: Object) -> None:
    track = target.animation_data.nla_tracks.new()
    track.strips.new("Moved", 1, target.animation_data.action)
    target.animation_data.action = None


def cycle(target: Object) -> None:
    next(iter(versions.curves(target))).modifiers.new("CYCLES")


def bounce(target: Object) -> None:
    curve = next(iter(versions.curves(target)))
    for key in curve.keyframe_points:
        key.interpolation = "BOUNCE"


@pytest.mark.parametrize(
    ("animated", "kind", "told"),
    [
        (strip, "HELD_STRIPS", 'NLA strips act on location of "Target"'),
        (cycle, "HELD_MODIFIER", 'F-curve modifier CYCLES acts on location of "Target"'),
        (bounce, "HELD_EASING", 'Interpolation BOUNCE of location of "Target"'),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_hold_refuses_what_it_would_change_outside(animated: Callable[[Object], None], kind: str, told: str) -> None:
    rig, target, cup = scene()
    animated(target)
    with refused(kind, told):
        api.hold(rig, frames=(20.5, 40.5), space=cup)


def test_a_hold_is_made_over_muted_strips() -> None:
    rig, target, cup = scene()
    track = target.animation_data.nla_tracks.new()
    track.strips.new("Stashed", 1, target.animation_data.action)
    track.mute = True
    versions.copy_action(target)
    assert not api.hold(rig, frames=(20, 40), space=cup).notes


KINDS = [("LINEAR",), ("CONSTANT",), ("BEZIER", "LINEAR"), ("LINEAR", "BEZIER")]


@pytest.mark.parametrize(
    ("kinds", "span", "update"),
    [
        *((KINDS[0], span, False) for span in ((1, 3), (2, 6), (7, 11), (12, 17), (14, 20), (14, 24), (20, 30))),
        *((KINDS[row % 4], span, False) for row, span in enumerate(((1, 3), (2, 6), (12, 17), (20, 30)))),
        *((KINDS[row], span, False) for row in (2, 3) for span in ((7, 11), (14, 20), (14, 24), (20, 30))),
        *((kinds, span, True) for kinds, span in zip(KINDS, ((2, 6), (14, 20), (20, 30), (2, 6)), strict=True)),
    ],
    ids=str,
)
def test_far_from_a_hold_lines_go_on_as_before(kinds: tuple[str, ...], span: tuple[int, int], update: bool) -> None:
    rig, target, cup = armature(), empty("Target"), empty("Cup")
    for number, frame in enumerate((1, 6, 11, 17, 24)):  # spans begin and end on the first key and the last, and beside
        animate(target, location={frame: (1.1, 0.4 + 0.05 * (-1) ** number, 1.2 + 0.01 * number**2)})
        animate(cup, location={frame: (1.2, 0.1 * number, 1.0)})
    for curve in versions.curves(target):
        curve.extrapolation = "LINEAR"
        for number, key in enumerate(curve.keyframe_points):
            key.interpolation = kinds[number % len(kinds)]
        curve.keyframe_points[-1].interpolation = kinds[0]
        curve.update()
    chain(rig, "lower", target=target)
    first, last = span
    near = [frame for frame in range(-40, 80) if not first <= frame <= last]
    frames = np.array([*range(-300, -40, 20), *near, *range(80, 301, 20)], dtype=float)
    before, all_keys = values(target, frames), everything(target)
    start, end = (first + 1, last - 1) if last - first > 2 else (first + 1, first + 1)
    api.hold(rig, frames=(start, end), space=cup, rotation=False, ease=(start - first, last - end))
    if update:
        for curve in versions.curves(cup):
            for key in curve.keyframe_points:
                key.co_ui.y += 0.3
        api.update_holds(rig)
    # Blender draws such a line through two keys that float32 rounds, 300 frames from here.
    assert np.abs(values(target, frames) - before).max() < 300 * OUTSIDE
    api.remove_hold(rig, "lower")
    assert everything(target) == all_keys


def test_a_hold_is_as_on_a_frame_close_to_a_whole_one() -> None:
    rig, _, cup = scene()
    animate(cup, rotation_euler={27: (-0.9, 0.4, -0.8), 33: (0.9, -0.1, -0.3)})
    grip = np.linalg.inv(world("Cup", 29.993)) @ world("Target", 29.993)
    api.hold(rig, frames=(22, 30), space=cup, at=29.993)
    for frame in range(22, 31):
        assert np.abs(np.linalg.inv(world("Cup", frame)) @ world("Target", frame) - grip).max() < 2 * DRIFT

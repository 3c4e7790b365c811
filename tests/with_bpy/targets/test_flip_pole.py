"""Flip with a pole target moves the pole to the other side, keys and all: the limb still bends towards it."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object, PropertyGroup

from support import rigs
from support.refused import refused
from support.rigs import animate, empty
from support.truth import Limb, on_frame

CLOSE = 1e-5
POLE = (0.3, 3.0, 1.4)
WAY = {1: (1.2, 0.6, 1.3), 5: (0.9, -0.5, 1.8), 10: (1.1, 0.2, 0.4)}
KEYS = {2: (0.3, 3.0, 1.4), 6: (0.5, 2.0, 2.9), 9: (-0.4, 2.5, -0.3)}


def arm(**fields: object) -> PropertyGroup:
    chain = rigs.arm(pole=POLE, **fields)
    bpy.context.view_layer.update()
    return chain


def joints(frame: float = 1) -> np.ndarray:
    """(3, 3) root, mid and tip as Blender evaluates them."""
    return Limb().joints(on_frame(frame))


def pole_at(frame: float = 1) -> np.ndarray:
    """(3,) in the world, as evaluated."""
    return np.array(bpy.data.objects["Pole"].evaluated_get(on_frame(frame)).matrix_world.translation)


def turned(point: np.ndarray, limb: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The point half a turn about the line from the limb's root to its goal on: plain geometry."""
    line = (goal - limb[0]) / np.linalg.norm(goal - limb[0])
    along = limb[0] + (point - limb[0]) @ line * line
    return 2 * along - point


def goal_at(frame: float = 1) -> np.ndarray:
    return Limb().goal(on_frame(frame))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"pole_angle": 0.7},
        {"plane": "POLE", "bend": "NEGATIVE"},
        {"plane": "REST", "pole_influence": 0.5},
        {"bend": "POSITIVE", "reference": "POSE"},
        {"bend": "NEAREST"},
        {"bend": "LIMITS", "use_bend_limits": True, "bend_min": -2.0, "bend_max": 2.5},
        {"use_bend_limits": True, "bend_min": 0.2, "bend_max": 2.5},
        {"target": (2.4, 0.3, 1.9)},
    ],
    ids=str,
)
def test_the_pole_goes_half_a_turn_about_the_limb(fields: dict) -> None:
    chain = arm(**fields)
    animate(chain.pole_target, rotation_euler={1: (0, 0, 0), 5: (0, 0, 1)})
    api.solve(chain.id_data)
    before, pole, goal = joints(), pole_at(), goal_at()
    report = api.flip_bend(chain.id_data)
    np.testing.assert_allclose(pole_at(), turned(pole, before, goal), atol=CLOSE)
    after = joints()
    np.testing.assert_allclose(after[[0, 2]], before[[0, 2]], atol=CLOSE)
    np.testing.assert_allclose(after[1], turned(before[1], before, before[2]), atol=CLOSE)
    assert 'Pole target "Pole" of chain "lower" was moved to the other side' in report.notes
    # A pole whose place has no keys gets none.
    assert {curve.data_path for curve in versions.curves(chain.pole_target)} == {"rotation_euler"}
    if fields.get("bend") not in ("NEAREST", "LIMITS"):
        assert chain.bend == fields.get("bend", "REST")
    api.flip_bend(chain.id_data)
    np.testing.assert_allclose(joints(), before, atol=CLOSE)
    np.testing.assert_allclose(pole_at(), pole, atol=CLOSE)


def on_a_parent(pole: Object) -> None:
    pole.parent = empty("Parent", (0.5, -0.4, 0.2))
    pole.parent.scale, pole.parent.rotation_euler = (1, 2, 0.5), (0.5, 0, 0.3)
    pole.delta_location = (0.3, 0.2, 0.1)


def turned_by_a_driver(pole: Object) -> None:
    pole.driver_add("rotation_euler", 0).driver.expression = "0.3"


@pytest.mark.parametrize("arrange", [on_a_parent, turned_by_a_driver])
def test_a_pole_moves_whatever_carries_and_turns_it(arrange: Callable[[Object], None]) -> None:
    rig = arm().id_data
    rig.scale, rig.rotation_euler = (1.5, 1.5, 1.5), (0.2, 0.3, 0.4)
    arrange(bpy.data.objects["Pole"])
    bpy.context.view_layer.update()
    api.solve(rig)
    before, place, goal = joints(), pole_at(), goal_at()
    api.flip_bend(rig)
    np.testing.assert_allclose(pole_at(), turned(place, before, goal), atol=2 * CLOSE)
    np.testing.assert_allclose(joints()[1], turned(before[1], before, before[2]), atol=CLOSE)


def test_a_pole_that_is_a_bone_moves_as_well() -> None:
    chain = arm()
    rig = rigs.armature([*rigs.ARM, rigs.Bone("pole", POLE, (0.3, 3.0, 2), "spine")], "Boned")
    one = rigs.chain(rig, "lower", target=bpy.data.objects["Target"], pole_target=rig, pole_subtarget="pole")
    bpy.context.view_layer.update()
    api.solve(rig)
    limb = Limb(rig="Boned")
    before = limb.joints(on_frame(1))
    api.flip_bend(rig)
    after = limb.joints(on_frame(1))
    head = np.array(rig.evaluated_get(on_frame(1)).pose.bones["pole"].head)
    np.testing.assert_allclose(head, turned(np.array(POLE), before, goal_at()), atol=CLOSE)
    np.testing.assert_allclose(after[1], turned(before[1], before, before[2]), atol=CLOSE)
    assert (one.bend, chain.bend) == ("REST", "REST")


def keyed_arm() -> PropertyGroup:
    """Target and pole target move, and the pole's keys are of all kinds."""
    chain = arm()
    animate(chain.target, location=WAY)
    animate(chain.pole_target, location=KEYS)
    for curve in versions.curves(chain.pole_target):
        for key, interpolation, kind in zip(
            curve.keyframe_points, ("CONSTANT", "LINEAR", "BEZIER"), ("BREAKDOWN", "EXTREME", "KEYFRAME"), strict=True
        ):
            key.interpolation, key.type = interpolation, kind
    bpy.context.scene.frame_set(1)
    return chain


def pole_keys(pole: Object) -> dict[tuple[str, int], list[tuple]]:
    return {
        (curve.data_path, curve.array_index): [(key.co.x, key.interpolation, key.type) for key in curve.keyframe_points]
        for curve in versions.curves(pole)
    }


@pytest.mark.parametrize("current", [1, 2, 4, 6.5, 20])
def test_a_keyed_pole_moves_on_each_of_its_keys(current: float) -> None:
    chain = keyed_arm()
    rig, pole = chain.id_data, chain.pole_target
    api.bake(rig, frames=(1, 10))
    before, places, goals = ({frame: act(frame) for frame in KEYS} for act in (joints, pole_at, goal_at))
    kinds = pole_keys(pole)
    on_frame(current)
    report = api.flip_bend(rig)
    assert any("on all 3 frames with keys" in note for note in report.notes)
    assert pole_keys(pole) == kinds
    assert chain.bend == "REST"
    api.bake(rig, frames=(1, 10))
    for frame in KEYS:
        np.testing.assert_allclose(pole_at(frame), turned(places[frame], before[frame], goals[frame]), atol=CLOSE)
        found = joints(frame)
        np.testing.assert_allclose(found[1], turned(before[frame][1], before[frame], before[frame][2]), atol=CLOSE)


def shared(chain: PropertyGroup) -> None:
    other = rigs.armature(name="Other")
    api.add_chain(other, "lower", target=chain.target, pole_target=chain.pole_target)


def carries_target(chain: PropertyGroup) -> None:
    chain.target.parent = chain.pole_target
    chain.target.matrix_parent_inverse = chain.pole_target.matrix_world.inverted()


def having(**fields: object) -> Callable[[PropertyGroup], None]:
    return lambda chain: [setattr(chain, name, value) for name, value in fields.items()]


def constrained(chain: PropertyGroup) -> None:
    chain.pole_target.constraints.new("COPY_LOCATION").target = empty("Leader", POLE)


@pytest.mark.parametrize(
    ("obstacle", "told"),
    [
        *((constrained, True), (shared, True), (carries_target, True)),
        *((having(pole_influence=0.5), False), (having(plane="AIM"), False)),
    ],
)
def test_where_the_pole_cannot_move_bend_does_it(obstacle: Callable[[PropertyGroup], None], told: bool) -> None:
    chain = arm()
    obstacle(chain)
    bpy.context.view_layer.update()
    api.solve(chain.id_data)
    before, place = joints(), pole_at()
    report = api.flip_bend(chain.id_data)
    assert chain.bend in {"NEGATIVE", "POSITIVE"}
    np.testing.assert_allclose(pole_at(), place, atol=1e-12)
    np.testing.assert_allclose(joints()[1], turned(before[1], before, before[2]), atol=CLOSE)
    assert any(note.startswith('Chain "lower": Bend is changed. ') for note in report.notes) == told


def test_a_refused_flip_moves_neither_pole_nor_key() -> None:
    chain = keyed_arm()
    chain.unreachable = "ERROR"
    chain.target.animation_data_clear()
    chain.target.location = (9, 0, 1)
    bpy.context.view_layer.update()
    with refused("UNREACHABLE"):
        api.flip_bend(chain.id_data)

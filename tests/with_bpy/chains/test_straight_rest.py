"""A limb straight at rest says about which axis it will bend, and offers the other: in a drawing that to the viewer."""

from __future__ import annotations

from math import pi

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.chain import StraightRest, straight_rest
from bpy.types import Object
from mathutils import Vector

from support.rigs import Bone, animate, armature, chain, empty
from support.truth import Limb, on_frame

AXES = {"X": (1, 0, 0), "Z": (0, 0, 1), "NEG_Z": (0, 0, -1)}
FRAMES = range(1, 6)
DIRECTIONS = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0.6, 0, -0.8), (-0.6, 0, 0.8)]


def straight(direction: tuple[float, float, float], roll: float = 0.0) -> Object:
    """A limb straight along this direction, whose target comes nearer within the drawing, x and z."""
    mid, tip = np.array(direction), 1.8 * np.array(direction)
    rig = armature([Bone("upper", (0, 0, 0), mid, roll=roll), Bone("lower", mid, tip, "upper", roll)])
    chain(rig, "lower", target=empty("Target"))
    animate(bpy.data.objects["Target"], location={1: 0.9 * tip, 5: 0.4 * tip})
    bpy.context.view_layer.update()
    return rig


def bent_about(rig: Object) -> np.ndarray:
    """(3,) the axis about which the end bone has turned, in its own space, as Blender evaluates it."""
    on_frame(5)
    axis, angle = rig.pose.bones["lower"].matrix_basis.to_quaternion().to_axis_angle()
    assert angle > 0.5
    return np.array(axis)


@pytest.mark.parametrize("roll", [0.0, 0.4, pi / 2, pi])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_it_bends_about_the_axis_that_is_said(direction: tuple, roll: float) -> None:
    rig = straight(direction, roll)
    (one,) = rig.two_bone_ik_chains
    said = straight_rest(rig, one)
    (note,) = api.bake(rig, frames=(1, 5)).notes
    assert f"bends about the axis {said.axis} of its end bone" in note
    np.testing.assert_allclose(np.abs(bent_about(rig)), AXES[said.axis], atol=1e-5)
    api.decide_side(rig, axis=said.other)
    assert straight_rest(rig, one) is None
    assert not api.bake(rig, frames=(1, 5)).notes
    np.testing.assert_allclose(bent_about(rig), AXES[said.other], atol=1e-5)


@pytest.mark.parametrize("turned", [0.0, 0.7])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_in_a_drawing_it_bends_about_the_line_of_sight(direction: tuple, turned: float) -> None:
    """With the axis that points to the viewer of the front view, the limb stays within the drawing."""
    rig = straight(direction)
    if 0.0 not in direction[::2]:
        # Blender gives an oblique bone a roll with which none of its axes points at the viewer.
        assert straight_rest(rig, rig.two_bone_ik_chains[0]).to_viewer == ""
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.armature.select_all(action="SELECT")
        bpy.ops.armature.calculate_roll(type="GLOBAL_NEG_Y")
        bpy.ops.object.mode_set(mode="OBJECT")
    page = rig.parent = bpy.data.objects["Target"].parent = empty("Page")
    page.rotation_euler = (0, turned, 0)
    bpy.context.view_layer.update()
    said = straight_rest(rig, rig.two_bone_ik_chains[0])
    assert said.to_viewer in (said.axis, said.other)
    if said.to_viewer == said.other:
        api.decide_side(rig, axis=said.other)
        to_world = (rig.matrix_world @ rig.data.bones["lower"].matrix_local).to_3x3()
        assert (to_world @ Vector(AXES[said.other])).y < -0.99
    api.bake(rig, frames=(1, 5))
    for frame in FRAMES:
        joints = Limb().joints(on_frame(frame))
        np.testing.assert_allclose(joints[:, 1], 0.0, atol=1e-5)
    assert np.linalg.norm(np.cross(joints[1], joints[2])) > 0.1, "it bends"


def test_no_axis_is_said_to_point_at_the_viewer_in_space() -> None:
    rig = straight((0.5, 0.6, 0.7), 0.5)
    assert straight_rest(rig, rig.two_bone_ik_chains[0]).to_viewer == ""


def test_a_drawn_leg_is_offered_the_axis_to_the_viewer() -> None:
    """A bone that stands upright has its z axis towards the viewer, one that hangs has it away."""
    upright, hanging = straight((0, 0, 1)), straight((0, 0, -1))
    assert straight_rest(upright, upright.two_bone_ik_chains[0]) == StraightRest("X", "Z", "Z")
    assert straight_rest(hanging, hanging.two_bone_ik_chains[0]) == StraightRest("X", "NEG_Z", "NEG_Z")


@pytest.mark.parametrize("fields", [{"hinge_axis": "Z"}, {"bend": "NEGATIVE"}, {"reference": "POSE"}])
def test_what_was_chosen_is_not_asked_again(fields: dict) -> None:
    rig = straight((0, 0, 1))
    for name, value in fields.items():
        setattr(rig.two_bone_ik_chains[0], name, value)
    assert straight_rest(rig, rig.two_bone_ik_chains[0]) is None


def test_a_limb_that_bends_a_little_is_not_called_straight() -> None:
    rig = armature([Bone("upper", (0, 0, 0), (0, 0, 1)), Bone("lower", (0, 0, 1), (0.01, 0, 1.8), "upper")])
    (one,) = [chain(rig, "lower", target=empty("Target", (0.2, 0, 1.2)))]
    assert straight_rest(rig, one) is None
    assert "bends by 0.716 degrees at rest" in api.check(rig, frames=(1, 1)).notes[0]

"""In whichever order frames are visited and edited, a live limb shows on each what a bake keys there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from random import Random

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import rigs
from support.live import CLOSE, live_arm, tip
from support.truth import on_frame

FRAMES = range(1, 41)
PATH = {1: (1.2, 0.6, 1.3), 9: (0.9, -0.5, 1.8), 20: (1.1, 0.2, 0.4), 40: (0.4, 0.9, 1.9)}
TURNS = {1: (1, 0, 0, 0), 20: (0.9, 0.2, -0.3, 0.1), 40: (1, 0, 0.2, 0)}


def arm(**fields: object) -> Object:
    """A live arm whose target moves and whose spine turns, on the second frame."""
    rig = live_arm(**fields)
    rigs.animate(bpy.data.objects["Target"], location=PATH)
    rigs.animate(rig.pose.bones["spine"], rotation_quaternion=TURNS)
    on_frame(1)
    on_frame(2)
    return rig


def shuffled() -> list[int]:
    frames = [*FRAMES]
    Random(7).shuffle(frames)
    return frames


def off() -> float:
    """How far the tip is from the target as Blender evaluates them; and the bones have what is evaluated."""
    graph = bpy.context.evaluated_depsgraph_get()
    rig = bpy.data.objects["Rig"]
    shown = rig.evaluated_get(graph).pose.bones
    for bone in rig.pose.bones:
        assert bone.matrix_basis == shown[bone.name].matrix_basis
        assert bone.matrix == shown[bone.name].matrix
    return float(np.linalg.norm(tip() - bpy.data.objects["Target"].evaluated_get(graph).matrix_world.translation))


FIELDS = [
    {},
    {"bend": "NEGATIVE", "softness": 0.3},
    {"bend": "LIMITS", "use_bend_limits": True, "bend_min": -1.0},
    {"unreachable": "STRETCH"},
    {"plane": "REST"},
    {"tip_bone": "hand", "use_rotation": True},
    {"pole": (0.5, -2.0, 1.0), "pole_angle": 0.4, "pole_influence": 0.7},
    {"pole": (0.5, -2.0, 1.0), "pole_pin": 1.0, "tip_bone": "hand", "max_stretch": 1.2},
    {"reference": "POSE", "influence": 0.6},
    {"hock_bone": "hand", "hock_angle": 0.3, "influence": 0.6},
    {"hock_bone": "hand", "hock": "PARALLEL"},
    {"tip_bone": "hand", "use_rotation": True, "reach_with": "TAIL", "influence": 0.7},
]
MODES = ("QUATERNION", "XZY", "AXIS_ANGLE")


@pytest.mark.parametrize(("fields", "mode"), [*zip(FIELDS, cycle(MODES), strict=False)])
def test_frames_in_any_order_are_those_of_a_bake(fields: dict, mode: str) -> None:
    rig = rigs.arm(**fields).id_data
    rigs.animate(bpy.data.objects["Target"], location={**PATH, 40: (4.0, 0.9, 1.9)})
    rigs.animate(rig.pose.bones["spine"], rotation_quaternion=TURNS)
    bones = [rig.pose.bones[name] for name in ("upper", "lower", "hand")]
    for bone in bones:
        bone.rotation_mode = mode
    for name in ("lower", "hand"):
        rig.data.bones[name].inherit_scale = "ALIGNED"  # what stretches may not shear
    if "pole_pin" in fields:
        bones[2].location = (-0.1, 0.2, 0.15)  # beside the axis of the end bone
    on_frame(1)
    before = [bone.matrix_basis.copy() for bone in bones]
    rig.two_bone_ik_live = True
    poses = {}
    for frame in (1, *shuffled()[::2]):
        on_frame(frame)
        poses[frame] = np.array([bone.matrix_basis for bone in bones])
    rig.two_bone_ik_live = False
    for bone, matrix in zip(bones, before, strict=True):
        bone.matrix_basis = matrix
    api.bake(rig, frames=(1, 40))
    for frame, posed in poses.items():
        on_frame(frame)
        np.testing.assert_allclose([bone.matrix_basis for bone in bones], posed, atol=1e-6, err_msg=f"{frame}")


def test_original_and_evaluated_bones_agree_on_every_frame() -> None:
    arm()
    for frame in (*FRAMES, *shuffled()):
        on_frame(frame)
        assert off() < CLOSE, frame


def test_a_limb_that_hangs_on_a_limb_is_right_on_each_frame() -> None:
    rig = arm()
    target = rigs.empty("Second", (0.3, 0.1, 0.2))
    target.parent, target.parent_type, target.parent_bone = rig, "BONE", "lower"
    other = rigs.armature(name="Other")
    other.location = (0.4, 0.2, 0.0)
    api.add_chain(other, "lower", target=target)
    other.two_bone_ik_live = True
    for frame in FRAMES:
        on_frame(frame)
        assert off() < CLOSE, frame
        shown = other.evaluated_get(bpy.context.evaluated_depsgraph_get())
        place = np.array(shown.matrix_world @ shown.pose.bones["lower"].tail)
        np.testing.assert_allclose(place, target.matrix_world.translation, atol=CLOSE)


WITHOUT: dict[str, Callable[[int], None]] = {
    "current": lambda frame: setattr(bpy.context.scene, "frame_current", frame),
    "offset": lambda frame: bpy.ops.screen.frame_offset(delta=frame - bpy.context.scene.frame_current),
    "subframe": lambda frame: on_frame(frame + 0.5),
}


@pytest.mark.parametrize("way", WITHOUT)
def test_frames_of_which_blender_does_not_tell_are_right(way: str) -> None:
    arm()
    for number, frame in enumerate(shuffled()):
        if number % 3:
            on_frame(frame)
        else:
            WITHOUT[way](frame)
            bpy.context.view_layer.update()
        assert off() < CLOSE, (number, frame)


def test_undo_and_redo_across_frames_are_right() -> None:
    arm()
    for frame in (2, 5, 30):
        bpy.ops.ed.undo_push(message=f"Before {frame}")
        on_frame(frame)
        bpy.ops.ed.undo_push(message=f"Frame {frame}")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.redo):
        step()
        assert off() < CLOSE
        on_frame(bpy.context.scene.frame_current + 1)
        assert off() < CLOSE


def by_keys(rig: Object) -> None:
    target = bpy.data.objects["Target"]
    for frame in PATH:
        target.location = (1.0, 0.1, 1.0 + 0.01 * frame)
        target.keyframe_insert("location", frame=frame)


def by_parent(rig: Object) -> None:
    bpy.data.objects["Target"].parent = rigs.empty("Carrier", (0.2, -0.2, -0.1))


def by_constraint(rig: Object) -> None:
    bpy.data.objects["Target"].constraints.new("LIMIT_LOCATION").use_max_z = True


def by_pointer(rig: Object) -> None:
    rig.two_bone_ik_chains[0].target = other = rigs.empty("Other", (1.0, 0.3, 1.2))
    other.name, bpy.data.objects["Target"].name = "Target.002", "Target.001"
    other.name = "Target"


def past_the_property(rig: Object) -> None:
    """Blender calls no update of the property, and tags nothing."""
    other = rigs.empty("Other", (1.0, 0.3, 1.2))
    chain = rig.two_bone_ik_chains[0]
    rigs.versions.stored(chain)["target"] = other
    assert chain.target == other
    bpy.data.objects["Target"].name = "Target.001"
    other.name = "Target"


def by_mode(rig: Object) -> None:
    rig.pose.bones["lower"].rotation_mode = "XYZ"


def by_spine(rig: Object) -> None:
    rig.pose.bones["spine"].location = (0.2, 0.1, 0.0)


def by_rest(rig: Object) -> None:
    rig.data.bones["lower"].use_inherit_rotation = False


def by_object(rig: Object) -> None:
    rig.location = (0.1, -0.2, 0.1)


def by_choice(rig: Object) -> None:
    rig.two_bone_ik_chains[0].bend = "NEGATIVE"


def by_bone_keys(rig: Object) -> None:
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 30: (0.7, 0.5, 0.3, -0.4)})


def by_muted_curves(rig: Object) -> None:
    for curve in rigs.versions.curves(bpy.data.objects["Target"]):
        curve.mute = True


EDITS = [past_the_property, by_keys, by_parent, by_constraint, by_pointer, by_mode, by_spine, by_rest, by_object]
EDITS += [by_choice, by_bone_keys, by_muted_curves]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_counts_from_the_next_frame_on(edit: Callable[[Object], None], told: bool) -> None:
    """Also where a script edits and changes the frame, before Blender has evaluated the edit."""
    rig = arm()
    for frame in (3, 4, 25):
        on_frame(frame)
    edit(rig)
    if told:
        bpy.context.view_layer.update()
    for frame in (26, 5, 27, 27, 28):
        on_frame(frame)
        assert off() < CLOSE, frame


def test_a_pose_by_hand_is_where_a_limb_starts_from() -> None:
    """With Reference Current Pose, and with a change of the frame before Blender has evaluated the pose."""
    rolls = []
    for told in (True, False):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = arm(reference="POSE")
        on_frame(7)
        rig.pose.bones["lower"].rotation_quaternion = (0.9, 0.0, 0.4, 0.0)
        if told:
            bpy.context.view_layer.update()
        for frame in (8, 9, 30):
            on_frame(frame)
            assert off() < CLOSE
        rolls.append(np.array(rig.pose.bones["lower"].matrix.col[0]))
    np.testing.assert_allclose(rolls[0], rolls[1], atol=1e-4)


GROWING = {1: (1.0, 1.0, 1.0), 20: (1.5, 1.5, 1.5)}
KEYED: dict[str, tuple[dict, dict]] = {
    "no keys": ({"reference": "POSE", "influence": 0.5}, {}),
    "location": ({"reference": "POSE"}, {"location": GROWING}),
    "scale": ({"influence": 0.5}, {"scale": GROWING}),
    # The keys take back the stretch of this bone alone.
    "stretch": ({"unreachable": "STRETCH", "influence": 0.9}, {"scale": {1: (1.0, 1.0, 1.0)}}),
    "nothing": (
        {"unreachable": "STRETCH", "influence": 0.9},
        {"scale": {19: (1.0, 1.0, 1.0), 20: (0.0, 0.0, 0.0), 21: (1.0, 1.0, 1.0)}},
    ),
}
"""What keys on a bone of the limb say nothing of its rotation."""


def keyed_arm(name: str) -> Object:
    fields, keys = KEYED[name]
    rig = rigs.arm(**fields).id_data
    rig.data.bones["lower"].inherit_scale = "ALIGNED"  # what stretches may not shear
    rigs.animate(bpy.data.objects["Target"], location={**PATH, 9: (3.0, -0.5, 1.8)})
    rigs.animate(rig.pose.bones["spine"], rotation_quaternion=TURNS)
    rigs.animate(rig.pose.bones["upper"], **keys)
    rig.pose.bones["upper"].rotation_quaternion = (0.9, 0.1, 0.3, -0.2)
    return rig


@pytest.mark.parametrize("name", KEYED)
def test_keys_of_location_or_scale_alone_let_no_limb_creep(name: str) -> None:
    rig = keyed_arm(name)
    rig.two_bone_ik_live = True
    seen: dict[int, np.ndarray] = {}
    for frame in [*shuffled(), *FRAMES]:
        on_frame(frame)
        now = np.array([bone.matrix for bone in rig.pose.bones])
        np.testing.assert_allclose(now, seen.setdefault(frame, now), atol=2e-6, err_msg=f"{frame}")


@pytest.mark.parametrize("name", KEYED)
def test_nor_does_a_bake_then_start_from_what_live_shows(name: str) -> None:
    baked = []
    for live in (False, True):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = keyed_arm(name)
        rig.two_bone_ik_live = live
        for frame in (3, 30, 17):
            on_frame(frame)
        api.bake(rig, frames=(1, 40))
        rig.two_bone_ik_live = False
        baked.append([])
        for frame in FRAMES:
            on_frame(frame)
            baked[-1].append([np.array(bone.matrix) for bone in rig.pose.bones])
    np.testing.assert_allclose(*baked, atol=2e-6)

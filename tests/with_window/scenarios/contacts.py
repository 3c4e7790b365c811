"""Contacts in sight, without chains: a press plants, a click on a row goes there, a button sets Both, and the overlay
shows where feet stand.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender.plant import contact_runs
from mathutils import Euler, Vector
from scenarios.plant import click_run, heights, place_of, plant, show_rows
from scenarios.sidebar import drag_edge
from user import Steps, User

from support.captured_walk import UNIT, balls, imported_walk, skating_walk

TAKE = skating_walk()
BONE = "LeftLeg"
FIRST, LAST = "two_bone_ik_contact_start", "two_bone_ik_contact_end"
EDGE = 4
"""Half of the width of an edge that can be dragged."""


def scenario(user: User) -> Steps:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    imported_walk(Path(bpy.app.tempdir), TAKE)
    look_at(user)
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    user.screenshot("captured")
    first_steps, section = yield from heights(user, "two_bone_ik.pin", "two_bone_ik.plant")
    assert section > first_steps
    yield from plant(user)
    assert user.clicks == 1
    yield from seen(user)
    yield from corrected(user)
    yield from changed_without_a_key(user)
    yield from drag_edge(user)


def seen(user: User) -> Steps:
    """The overlay marks feet that stand."""
    color = overlay_color()
    bpy.context.scene.frame_set(next(found.start for found in runs() if found.kind == "BOTH" and found.start > 10))
    yield from user.wait()
    assert not user.sees(color)
    yield from user.click("two_bone_ik_overlay")
    yield from user.wait()
    user.screenshot("overlay")
    assert user.sees(color)


def corrected(user: User) -> Steps:
    """A click goes to a run, and a button lets the foot stand there."""
    show_rows()
    run = next(found for found in runs() if found.kind == "NONE" and found.start > 10)
    yield from click_run(user, BONE, run.start)
    yield from user.wait()
    assert bpy.context.scene.frame_current == run.start
    user.screenshot("selected")
    yield from true_to_scale(user)
    yield from click_run(user, BONE, run.start)
    yield from dragged(user)
    yield from user.click("two_bone_ik.contact_set(contact='BOTH')")
    yield from user.wait()
    user.screenshot("both")
    row, frames = contact_runs.rows(bpy.context.object)[BONE], range(run.start, run.end + 1)
    assert contact_runs.kind_over(row, frames[0], frames[-1]) == "BOTH"
    yield from plant(user)
    places = balls(bpy.context.object, frames)[:, 0]
    assert np.abs(places - places[0]).max() < 1e-4


def changed_without_a_key(user: User) -> Steps:
    """The section tells of it, and Plant refuses to drop it; with Auto Keying on, the foot stands as it says."""
    rig, frame = bpy.context.object, bpy.context.scene.frame_current
    action, bone = rig.animation_data.action, rig.pose.bones[BONE]
    bone.two_bone_ik_contact = "NONE"
    yield from user.wait()
    user.screenshot("unkeyed")
    yield from user.click("two_bone_ik.plant")
    yield from user.wait()
    user.screenshot("refused")
    yield from user.press("ESC")  # the message stands over the button
    yield from user.point(0.2, 0.9)
    assert rig.animation_data.action == action
    assert bone.two_bone_ik_contact == "NONE"
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    yield from plant(user)
    assert contact_runs.run_at(contact_runs.rows(rig)[BONE], frame).kind == "NONE"


def true_to_scale(user: User) -> Steps:
    """Each run of the row under the mouse is where its frames are, but for a frame, which is two pixels."""
    y, (first, last) = user.mouse[1], bpy.context.object.two_bone_ik_contact_frames
    edges = {place_of(user, first) - EDGE: FIRST, place_of(user, last + 1) + EDGE: LAST}
    for start, end, _ in runs():
        for frame in (start + 1, end) if end > start + 1 else ():
            x = place_of(user, frame)
            yield from user.move(x, y)
            shown = {f'two_bone_ik.contact_select(bone="{BONE}", frame={start})'}
            # The fields of the edges lie over what is beside the selected run.
            shown = next(({edge} | shown for place, edge in edges.items() if abs(x - place) < 2 * EDGE), shown)
            assert user.button() in shown, frame
    for x, edge in edges.items():
        yield from user.move(x, y)
        assert user.button() == edge


def dragged(user: User) -> Steps:
    """An edge of the selected run goes with the mouse, and Esc takes it back; the panel tells of newer contacts."""
    rig, undone = bpy.context.object, keys()
    start, end = rig.two_bone_ik_contact_frames
    y = user.mouse[1]
    for key in ("ESC", "RELEASE"):
        x = place_of(user, end + 1) + EDGE
        yield from user.move(x, y)
        assert user.button() == LAST
        yield from user.hold("LEFTMOUSE")
        for beside in range(1, 21, 2):
            yield from user.move(x - beside, y)
        yield from user.wait()
        user.screenshot("dragged")
        assert start <= rig.two_bone_ik_contact_end < end - 5
        assert contact_runs.run_at(contact_runs.rows(rig)[BONE], start).end == rig.two_bone_ik_contact_end
        if key == "ESC":
            yield from user.press("ESC")
        yield from user.release("LEFTMOUSE")
        yield from user.wait()
        assert (keys() == undone) == (key == "ESC")
        assert (rig.two_bone_ik_contact_end == end) == (key == "ESC")
    user.screenshot("older")
    yield from user.undo()
    assert (keys(), *bpy.context.object.two_bone_ik_contact_frames) == (undone, start, end)


def look_at(user: User) -> None:
    """The whole walk, from a side."""
    view = user.area.spaces.active.region_3d
    view.view_rotation = Euler((1.25, 0.0, 1.2)).to_quaternion()
    view.view_distance = 520.0
    middle = UNIT * balls(bpy.context.object, range(1, len(TAKE.hips) + 1)).mean(axis=(0, 1))
    beside_sidebar = view.view_rotation @ Vector((90.0, 0.0, 0.0))
    view.view_location = Vector((*middle[:2], 60.0)) + beside_sidebar
    bpy.context.scene.frame_set(1)
    user.area.spaces.active.clip_end = 1e5


def runs() -> list[contact_runs.Run]:
    row = contact_runs.rows(bpy.context.object)[BONE]
    return contact_runs.runs(row, *contact_runs.span(row))


def keys() -> list[tuple[float, float]]:
    return [tuple(key.co) for key in contact_runs.rows(bpy.context.object)[BONE].keyframe_points]


def overlay_color() -> tuple[float, ...]:
    addon = bpy.context.preferences.addons["bl_ext.user_default.two_bone_ik"]
    return tuple(addon.preferences.reached_color[:3])

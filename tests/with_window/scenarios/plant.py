"""From an imported walk to feet that stand in two clicks, Detect and Plant. Then a contact is corrected."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.plant import contact_runs
from scenarios.many import COPY, HEADER
from scenarios.pictures import MESSAGE, toggle_below
from user import COLUMNS, Steps, User

from support.captured_walk import balls, imported_walk, skating_walk

TAKE = skating_walk()
FRAMES = range(1, len(TAKE.hips) + 1)
STANDS = TAKE.touches[1:, :, 0] & TAKE.touches[:-1, :, 0]
"""(n - 1, 2) where a ball stands on a frame and on the one before, by the footsteps that the walk is made from."""

ROW = 0.281, 0.866
"""Where a row of contacts begins and ends, as parts of the sidebar's width."""

BALL_COLUMN = (0.4,)
"""Where the second of the buttons that set contacts is."""

TARGET = f"{COPY}(to='ALL', sections={{'TARGET'}})"
"""A button in the header of the section above Plant."""

CONTACT = 'pose.bones["LeftLeg"].two_bone_ik_contact'


def scenario(user: User) -> Steps:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    rig = imported_walk(Path(bpy.app.tempdir), TAKE)
    user.area.spaces.active.region_3d.view_distance = 400.0
    user.area.spaces.active.clip_end = 1e5
    captured = rig.animation_data.action.name
    before = slides()
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    yield from user.click("two_bone_ik.chains_detect")
    yield from user.wait()
    bpy.context.object.two_bone_ik_active = bpy.context.object.two_bone_ik_chains.find("Leg.L")
    yield from user.wait()
    user.screenshot("section")
    header, last_of_target, section = yield from heights(
        user, TARGET, "two_bone_ik.create_targets", "two_bone_ik.plant"
    )
    assert header > last_of_target > section
    yield from plant(user)
    assert user.clicks == 2
    show_rows()
    yield from user.wait()
    user.screenshot("planted")
    yield from user.press("F9")
    yield from user.wait()
    user.screenshot("options")
    yield from user.press("ESC")
    yield from user.wait()
    # The rows of contacts are below the section Target, which is closed to make room.
    yield from toggle_below(user, "two_bone_ik.check", message=MESSAGE)
    # Half a metre in the scene is half a centimetre of the walk.
    assert np.median(before) > 0.5
    assert np.median(slides()) < 0.02

    # The foot is in the air here, and is to stand.
    first = next(int(key.co.x) for key in row().keyframe_points if key.co.y == 0 and key.co.x > 10)
    yield from click_run(user, "LeftLeg", first)
    yield from user.wait()
    assert bpy.context.scene.frame_current == first
    yield from user.click("two_bone_ik.contact_set(contact='BALL')", BALL_COLUMN)
    yield from user.wait()
    user.screenshot("corrected")
    assert row().evaluate(first) == 1
    until = min(int(key.co.x) for key in row().keyframe_points if key.co.x > first)
    moved = travelled(first, until)
    yield from plant(user)
    user.screenshot("planted_again")
    assert captured in bpy.data.actions
    assert moved > 50.0
    assert travelled(first, until) < 1.0

    for _ in ("planted again", "set", "selected", "planted", "detected"):
        yield from user.undo()
    assert bpy.context.object.animation_data.action.name == captured
    np.testing.assert_allclose(slides(), before, atol=1e-4)


def heights(user: User, *buttons: str) -> Generator[None, None, list[int]]:
    """Where these buttons are in the sidebar, from its bottom."""
    found = []
    for button in buttons:
        yield from user.move_to_top(button, (*COLUMNS, *HEADER))
        found.append(user.mouse[1])
    return found


def click_run(user: User, bone: str, frame: int) -> Steps:
    """Click the run of a row that begins on this frame; the rows are above the buttons that set contacts."""
    run = contact_runs.run_at(contact_runs.rows(bpy.context.object)[bone], frame)
    yield from user.move_to("two_bone_ik.contact_set")
    bottom, met = user.mouse[1], set()
    for y in range(bottom + 20, bottom + 140, 6):
        yield from user.move(place_of(user, (run.start + run.end + 1) / 2), y)
        met.add(user.button())
        if f'two_bone_ik.contact_select(bone="{bone}", frame={frame})' in met:
            yield from user.press("LEFTMOUSE")
            return
    user.screenshot("missing")
    raise AssertionError(f"No run of {bone} from {frame} on among {met}")


def place_of(user: User, frame: float) -> int:
    """Where in the rows this frame begins, in pixels from the left."""
    start, end = contact_runs.whole_span(contact_runs.rows(bpy.context.object).values())
    part = (frame - start) / (end - start + 1)
    return user.sidebar.x + round(user.sidebar.width * (ROW[0] + part * (ROW[1] - ROW[0])))


def plant(user: User) -> Steps:
    """Press the button, and wait until another action plays."""
    animation = bpy.context.object.animation_data
    before = animation.action.session_uid
    yield from user.click("two_bone_ik.plant")
    for _ in range(200):
        yield
        if animation.action.session_uid != before:
            break
    yield from user.wait()


def show_rows() -> None:
    """The contacts, in a Dope Sheet in place of the largest area that shows nothing."""
    empty = [area for area in bpy.context.screen.areas if area.type == "TEXT_EDITOR"]
    area = max(empty, key=lambda area: area.height)
    area.ui_type = "DOPESHEET"
    area.spaces.active.dopesheet.filter_text = "Contact"


def row() -> bpy.types.FCurve:
    return next(curve for curve in versions.curves(bpy.context.object) if curve.data_path == CONTACT)


def slides() -> np.ndarray:
    """(k,) millimetres a frame by which balls slide along the ground while they are known to stand."""
    now = bpy.context.scene.frame_current
    steps = np.diff(balls(bpy.context.object, FRAMES)[..., :2], axis=0)
    bpy.context.scene.frame_set(now)
    return 1e3 * np.linalg.norm(steps, axis=-1)[STANDS]


def travelled(first: int, until: int) -> float:
    """How far the left ball gets from one frame to before another, in millimetres along the ground."""
    now = bpy.context.scene.frame_current
    places = balls(bpy.context.object, range(first, until))[:, 0, :2]
    bpy.context.scene.frame_set(now)
    return 1e3 * np.linalg.norm(places - places[0], axis=-1).max()

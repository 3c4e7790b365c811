"""What the panel shows, and where: a report as soon as it comes and as long as it is true, and rows that keep still."""

from __future__ import annotations

from pathlib import Path

import bpy
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bl_ext.user_default.two_bone_ik.ui.panel import TWO_BONE_IK_PT_chains
from bpy.types import Context, Object, Panel
from scenarios.limb import metarig
from scenarios.switch import generated
from user import COLUMNS, Steps, User

NARROW = 173
shown: list[str] = []
"""The title of the report at each drawing of the panel."""


def scenario(user: User) -> Steps:
    metarig()
    bpy.context.scene.frame_end = 5
    bpy.ops.two_bone_ik.chains_detect()
    bpy.ops.two_bone_ik.create_targets()
    bpy.context.object.two_bone_ik_active = 0
    bpy.context.object.two_bone_ik_live = True
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield from reports(user)
    yield from rows(user)
    yield from influence_stands_first(user)
    yield from made_narrow(user)
    yield from linked(user)
    yield from known(user)


def reports(user: User) -> Steps:
    """A check shows at once; undo goes back to what was told before, redo forth again."""
    TWO_BONE_IK_PT_chains.append(note)
    user.area.tag_redraw()
    yield from user.wait()
    first = shown[-1]
    assert first == report.last(bpy.context.object).title
    for act, title in (("check", "Check, frames 2-4"), ("bake", "Bake, frames 2-4")):
        with bpy.context.temp_override(window=user.window, area=user.area):
            getattr(bpy.ops.two_bone_ik, act)("EXEC_DEFAULT", True, frame_start=2, frame_end=4)
        yield from user.wait()  # the mouse does not move
        assert shown[-1].startswith(title), shown[-1]
    for step, title in (
        (user.undo, "Check, "),
        (user.undo, first),
        (user.redo, "Check, "),
        (user.redo, "Bake, "),
        (user.undo, "Check, "),
    ):
        yield from step()
        yield from user.wait()
        assert shown[-1].startswith(title), shown[-1]
    user.screenshot("reports")
    TWO_BONE_IK_PT_chains.remove(note)


def note(_panel: Panel, context: Context) -> None:
    found = report.last(context.object)
    shown.append(found.title if found else "")


def rows(user: User) -> Steps:
    """Whatever a target does, the buttons below the message stay."""
    yield from find(user, "two_bone_ik.snap_targets")
    place = user.mouse
    target = bpy.data.objects["metarig"].two_bone_ik_chains[0].target
    before = target.location.copy()
    for name, location in (("far", (0.0, 0.0, 3.0)), ("close", (0.19, 0.03, 1.41)), ("reached", before)):
        target.location = location
        yield from user.wait()
        user.screenshot(name)
        yield from find(user, "two_bone_ik.snap_targets")
        assert user.mouse == place, (name, user.mouse, place)
    # Live that is switched off says what to do, in the same place.
    bpy.data.objects["metarig"].two_bone_ik_live = False
    target.location.z += 0.1
    yield from user.wait()
    user.screenshot("off")
    yield from find(user, "two_bone_ik.snap_targets")
    assert user.mouse == place
    target.location = before


def find(user: User, button: str, columns: tuple[float, ...] = COLUMNS) -> Steps:
    """Move the mouse to the upper half of the button, coming from the viewport: none is under the mouse before."""
    yield from user.point(0.3, 0.3)
    yield from user.wait()
    yield from user.move_to_top(button, columns)


def influence_stands_first(user: User) -> Steps:
    """That of the limb, at the top of the section that is open."""
    heights = []
    for button in (
        'pose.bones["forearm.L"].two_bone_ik_influence',
        "two_bone_ik_chains[0].target",
        'pose.bones["forearm.L"].two_bone_ik_rotation_influence',
    ):
        yield from find(user, button)
        heights.append(user.mouse[1])
    assert heights == sorted(heights, reverse=True), heights


def made_narrow(user: User) -> Steps:
    """Two buttons stand in a row, and those of the list are below it."""
    yield from drag_edge(user)
    heights = {}
    for button in (".chain_add", ".live", "_overlay", ".drag", ".solve", ".check", ".bake"):
        yield from find(user, f"two_bone_ik{button}", (0.1, *COLUMNS))
        heights[button] = user.mouse[1]
    in_order = (".chain_add", ".live", "_overlay", ".drag", ".check")
    assert [heights[button] for button in in_order] == sorted((heights[b] for b in in_order), reverse=True)
    assert heights[".drag"] == heights[".solve"]
    assert heights[".check"] == heights[".bake"]


def drag_edge(user: User) -> Steps:
    """The sidebar's edge is dragged until it is narrow."""
    edge, start = user.sidebar.x, user.sidebar.width
    height = user.sidebar.y + user.sidebar.height // 3
    for beside in (-60, -20, -5, 0, 0):
        yield from user.move(edge + beside, height)
        yield
    yield from user.hold("LEFTMOUSE")
    yield
    wanted = NARROW * bpy.context.preferences.system.ui_scale
    for x in range(edge, edge + start, 5):
        yield from user.move(x, height)
        yield
        if user.sidebar.width <= wanted:
            break
    yield from user.release("LEFTMOUSE")
    yield from user.wait()
    user.screenshot("narrow")
    assert user.sidebar.width <= wanted


def linked(user: User) -> Steps:
    """A linked armature is drawn without a complaint."""
    rig = bpy.data.objects["metarig"]
    rig.name = "Hero"
    path = str(Path(bpy.app.tempdir, "linked.blend"))
    bpy.data.libraries.write(path, {rig})
    rig.name = "metarig"
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Hero"]
    bpy.context.collection.objects.link(wanted.objects[0])
    take(wanted.objects[0])
    yield from user.wait()
    user.screenshot("linked")


def known(user: User) -> Steps:
    """On a generated rig the buttons of Switch come first, and none takes its constraints over."""
    name = generated()
    take(bpy.data.objects[name])
    yield from user.wait()
    user.screenshot("known")
    yield from user.move_to("two_bone_ik.switch")
    switch = user.mouse[1]
    yield from user.move_to("two_bone_ik.chains_detect")
    assert switch > user.mouse[1]
    assert "two_bone_ik.chains_from_constraints()" not in user.met


def take(rig: Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig

"""From a file to feet that stand: with one press, or dropped onto the view. Esc on the way leaves no trace."""

from __future__ import annotations

import time
from pathlib import Path

import bpy
from user import Steps, User

from support import file_data
from support.captured_walk import skating_walk, text


def scenario(user: User) -> Steps:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    # Parts of the default cube are worked out anew by undo.
    bpy.data.batch_remove([*bpy.data.meshes, *bpy.data.materials])
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"
    user.area.spaces.active.region_3d.view_distance = 400.0
    user.area.spaces.active.clip_end = 1e5
    path = Path(bpy.app.tempdir, "actor.bvh")
    path.write_text(text(skating_walk(rate=60.0)))
    bpy.ops.ed.undo_push()
    yield from user.open_sidebar("Animation")
    yield from user.wait()
    user.screenshot("nothing")

    before = file_data.dump()
    yield from user.click("two_bone_ik.plant_capture")
    yield from choose(user, path)
    yield from until_planted(user)
    user.screenshot("planted")
    planted_alone(path)
    planted = file_data.dump()
    yield from user.undo()
    assert not (changed := file_data.changed(before)), sorted(changed)[:9]
    yield from user.redo()
    assert file_data.changed(planted) == set()
    yield from user.undo()

    bpy.app.handlers.frame_change_post.append(slowly)
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(path.parent), files=[{"name": path.name}])
    yield from user.wait(5)
    user.screenshot("progress")
    assert not bpy.context.scene.objects
    yield from user.press("ESC")
    yield from user.wait()
    assert file_data.changed(before) == set()

    bpy.app.handlers.frame_change_post.remove(slowly)
    with bpy.context.temp_override(window=user.window, area=user.area):
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=str(path.parent), files=[{"name": path.name}])
    yield from until_planted(user)
    planted_alone(path)
    yield from user.point(0.3, 0.3)
    yield from user.press("F9")
    yield from user.wait()
    user.screenshot("options")
    yield from user.press("ESC")
    yield from user.wait()


def choose(user: User, path: Path) -> Steps:
    """Name the file in the browser, which is in place of the screen, and confirm."""
    yield from user.wait()
    area = next(area for area in user.window.screen.areas if area.type == "FILE_BROWSER")
    area.spaces.active.params.directory = str(path.parent).encode()
    yield from user.wait()
    area.spaces.active.params.filename = path.name
    yield from user.wait()
    user.screenshot("browser")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=user.window, area=area, region=region):
        bpy.ops.file.execute("INVOKE_DEFAULT")
    yield


def until_planted(user: User) -> Steps:
    for _ in range(200):
        yield
        if bpy.context.scene.objects:
            break
    yield from user.wait()


def planted_alone(path: Path) -> None:
    [rig] = bpy.context.scene.objects
    assert rig == bpy.context.object
    assert rig.name.lower() == path.stem
    assert rig.animation_data.action.two_bone_ik_source
    assert (bpy.context.scene.render.fps, bpy.context.scene.frame_end) == (60, 181)
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"]


def slowly(*_: object) -> None:
    """With a script on frame changes the whole scene is played; this one takes its time."""
    time.sleep(0.01)

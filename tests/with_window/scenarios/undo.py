"""Every operator is one undo step: undone, the file is as it was, and redone, as it became."""

from __future__ import annotations

import addon_utils
import bpy
from user import Steps, User

from support import file_data

STEPS = (
    ("chains_detect", {}),
    ("create_targets", {}),
    ("check", {"add_markers": True}),
    ("drag", {"offset": (0.05, 0.0, 0.1)}),
    ("solve", {}),
    ("flip_bend", {}),
    ("snap_targets", {}),
    ("bake", {"frame_end": 5}),
    ("bake_targets", {"frame_end": 5}),
    ("chain_move", {"direction": "UP"}),
    ("chain_remove", {}),
    ("chain_add", {}),
    ("bend_limits_take", {}),
)


def scenario(user: User) -> Steps:
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    # Parts of the default cube are worked out anew by undo.
    bpy.data.batch_remove([*bpy.data.meshes, *bpy.data.materials])
    bpy.ops.object.armature_human_metarig_add()
    rig = bpy.context.object
    rig.data.bones.active = rig.data.bones["f_index.02.L"]
    for axis in "xyz":
        setattr(rig.pose.bones["f_index.02.L"], f"use_ik_limit_{axis}", True)
    bpy.ops.ed.undo_push()
    yield
    for name, options in STEPS:
        if name == "check":  # there is something to mark
            bpy.data.objects["Arm.L Target"].location.z += 5.0
            bpy.ops.ed.undo_push()
        before = file_data.dump()
        with bpy.context.temp_override(window=user.window, area=user.area):
            result = getattr(bpy.ops.two_bone_ik, name)("EXEC_DEFAULT", True, **options)
        assert result == {"FINISHED"}, name
        yield
        after = file_data.dump()
        assert after != before, name
        yield from user.undo()
        yield
        assert not (changed := file_data.changed(before)), (name, sorted(changed)[:9])
        yield from user.redo()
        yield
        assert not (changed := file_data.changed(after)), (name, sorted(changed)[:9])
    user.screenshot("end")

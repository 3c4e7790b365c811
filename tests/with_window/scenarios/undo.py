"""Every operator is one undo step: undone, the file is as it was, and redone, as it became."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import addon_utils
import bpy
from bpy.types import Object, PoseBone
from user import Steps, User

from support import file_data
from support.captured_walk import skating_walk, text
from support.rigify import remove_face
from support.rigs import Bone, animate, armature

TAKE = Path(bpy.app.tempdir, "actor.bvh")
STEPS = (
    ("chains_from_constraints", {}),
    ("chains_detect", {}),
    ("create_targets", {}),
    ("check", {"add_markers": True}),
    ("markers_remove", {}),
    ("drag", {"offset": (0.05, 0.0, 0.1)}),
    ("solve", {}),
    ("flip_bend", {}),
    ("live", {}),
    ("live", {}),
    ("settings_copy", {}),
    ("reveal", {}),
    ("snap_targets", {}),
    ("bake", {"frame_end": 5}),
    ("go_to_frame", {"frame": 7.0}),
    ("plant", {}),
    ("contact_select", {"bone": "shin.L", "frame": 2}),
    ("contact_set", {"contact": "BALL"}),
    ("bake_targets", {"frame_end": 5}),
    ("build", {}),
    ("unbuild", {}),
    ("change_target_space", {"frame_end": 5}),
    ("hold", {"frame_start": 3, "frame_end": 9}),
    ("holds_update", {"only_active": True}),
    ("hold_remove", {}),
    ("chain_move", {"direction": "UP"}),
    ("chain_remove", {}),
    ("chain_add", {}),
    ("side_decide", {"axis": "X"}),
    ("twist_share", {"twist_bone": "forearm.L", "twist_share": 0.4}),
    ("set_aligned", {}),
    ("pin", {}),
    ("switch", {"direction": "FK", "frame_start": 1, "frame_end": 5}),
    ("plant_capture", {"filepath": str(TAKE)}),
    ("fit_scene", {}),
)


def scenario(user: User) -> Steps:
    assert {name for name, _ in STEPS} == set(dir(bpy.ops.two_bone_ik))
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    # Parts of the default cube are worked out anew by undo.
    bpy.data.batch_remove([*bpy.data.meshes, *bpy.data.materials])
    rig = metarig()
    rig.data.bones.active = rig.data.bones["f_index.02.L"]  # what chain_add needs
    constrain(rig.pose.bones["f_middle.02.L"])
    TAKE.write_text(text(skating_walk()))
    bpy.ops.ed.undo_push()
    yield
    for name, options in STEPS:
        if name == "check":  # there is something to mark
            bpy.data.objects["Arm Target.L"].location.z += 5.0
            bpy.ops.ed.undo_push()
        if name == "settings_copy":  # there is something to copy
            bpy.context.object.two_bone_ik_chains[bpy.context.object.two_bone_ik_active].softness = 0.125
            bpy.ops.ed.undo_push()
        if name == "set_aligned":  # there is a bone that would be sheared
            bpy.context.object.two_bone_ik_chains[bpy.context.object.two_bone_ik_active].unreachable = "STRETCH"
            bpy.ops.ed.undo_push()
        if name == "reveal":  # there is something to mend
            bpy.context.object.two_bone_ik_chains[bpy.context.object.two_bone_ik_active].mute = True
            bpy.ops.ed.undo_push()
        if name == "holds_update":  # there is something to update
            rig = bpy.context.object
            rig.two_bone_ik_chains[rig.two_bone_ik_active].target.two_bone_ik_holds[0].frame_end = 12.0
            bpy.ops.ed.undo_push()
        if name == "switch":  # there is a limb that can be switched
            crane()
            # Undo evaluates what has just been keyed, and Live poses it again: both round otherwise, in the last bit.
            bpy.data.objects["metarig"].two_bone_ik_live = False
            bpy.context.scene.frame_set(bpy.context.scene.frame_current)
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
        assert not (changed := file_data.changed(before)), (name, told(changed, before))
        yield from user.redo()
        yield
        changed = file_data.changed(after)
        if name == "pin":
            # Live, which Pin has switched on, poses the limbs again. The fingers' targets hang on a hand that is posed
            # as well: where it takes them is worked out from where it was, in Blender's single precision.
            assert not file_data.changed(after, 1e-6)
            changed = {path for path in changed if not path.startswith(tuple(fingers()))}
        assert not changed, (name, told(changed, after))
    user.screenshot("end")


def told(changed: set[str], before: dict[str, object]) -> list[str]:
    """The first of what has changed, as it was and as it is."""
    now = file_data.dump()
    return [f"{path}: {before.get(path)!r} -> {now.get(path)!r}" for path in sorted(changed)[:9]]


def fingers() -> Iterator[str]:
    """The paths of their bones, as a dump of the file has them."""
    for index, bone in enumerate(bpy.data.objects["metarig"].pose.bones):
        if bone.name.startswith("f_"):
            yield f"objects['metarig'].pose.bones[{index}]."


def metarig() -> Object:
    bpy.ops.object.empty_add(location=(0.8, -0.3, 1.2))
    bpy.ops.object.armature_human_metarig_add()
    remove_face(bpy.context.object)  # most of its bones, of which each dump would tell
    return bpy.context.object


def crane() -> Object:
    """Two layers named as those of a known rig, the Mixamo control rig; active, and IK moves."""
    joints = [(0, 0, 0), (0, 0.1, 1), (0, 0, 2), (0, 0, 2.3)]
    bones, parts = [], ("Arm", "ForeArm", "Hand")
    for layer in ("Ctrl_{}_FK_Left", "{}_IK_Left"):
        above = ""
        for part, head, tail in zip(parts, joints[:-1], joints[1:], strict=True):
            free = (part, layer[0]) == ("Hand", "{")
            name = "Ctrl_Hand_IK_Left" if free else layer.format(part)
            bones.append(Bone(name, head, tail, "" if free else above))
            above = name
    rig = armature(bones, "Crane")
    posed = rig.pose.bones
    reach = posed["ForeArm_IK_Left"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, "Ctrl_Hand_IK_Left", 2
    posed["Ctrl_Hand_IK_Left"]["ik_fk_switch"] = 0.0
    driver = reach.driver_add("influence").driver
    driver.expression, variable = "1 - switch", driver.variables.new()
    variable.name, variable.targets[0].id = "switch", rig
    variable.targets[0].data_path = 'pose.bones["Ctrl_Hand_IK_Left"]["ik_fk_switch"]'
    animate(posed["Ctrl_Hand_IK_Left"], location={1: (0, 0, 0), 5: (0.3, 0.2, -0.4)})
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    return rig


def constrain(bone: PoseBone) -> None:
    """What chains_from_constraints takes over and bake mutes."""
    constraint = bone.constraints.new("IK")
    constraint.chain_count, constraint.target = 2, bpy.data.objects["Empty"]

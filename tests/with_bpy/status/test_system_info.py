"""What is copied for the report of a fault: versions and settings, and nothing that tells whose file it is."""

from __future__ import annotations

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik.blender.status.system_info import system_info

from support.release import version
from support.rigs import arm, armature, chain, empty


def test_system_info_begins_with_the_versions() -> None:
    lines = system_info(None).splitlines()
    assert lines[:2] == [f"Two-Bone IK {version()}", f"Blender {bpy.app.version_string}"]
    assert f"NumPy {np.__version__}" in lines[2]
    assert len(lines) == 3


def test_system_info_tells_the_settings_that_were_changed() -> None:
    limb = arm()
    limb.softness, limb.unreachable, limb.mute = 0.25, "STRETCH", True
    limb.bend_max = 1.5
    rig = limb.id_data
    rig.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    *_, told, settings = system_info(rig).splitlines()
    assert told == f"Armature: {len(rig.data.bones)} bones, scale 2 2 2, live False"
    assert settings.startswith("Chain: ")
    assert {"mute True", "end_bone", "target", "softness 0.25", "unreachable STRETCH", "bend_max 1.5"} <= set(
        settings.removeprefix("Chain: ").split(", ")
    )
    assert "pole" not in settings


def test_system_info_has_no_name_and_no_path(tmp_path) -> None:
    rig = armature(name="Secret Hero")
    for bone in rig.data.bones:
        bone.name = f"Secret {bone.name}"
    item = chain(rig, rig.data.bones[1].name, target=empty("Secret Target", (1, 0, 1)))
    item.name = "Secret Limb"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "secret.blend"))
    text = system_info(rig)
    assert "secret" not in text.lower()
    assert str(tmp_path) not in text
    assert "target" in text

"""What Create Targets remembers from one character for the next."""

from __future__ import annotations

import bpy
from bl_ext.user_default.two_bone_ik import api

from support import rigs


def test_the_next_character_does_not_get_the_last_parent() -> None:
    for name, bones in (("One", rigs.ARM), ("Two", rigs.STRAIGHT)):
        rig = rigs.armature(bones, name)
        api.add_chain(rig, "lower")
        bpy.context.view_layer.objects.active = rig
        parent = {"parent": "BONE", "parent_bone": "spine"} if name == "One" else {}
        result = bpy.ops.two_bone_ik.create_targets("INVOKE_DEFAULT", True, only_active=True, **parent)
        assert result == {"FINISHED"}
        assert rig.two_bone_ik_chains[0].target.parent_bone == parent.get("parent_bone", "")

"""Live and Drag on limbs that reach with their tail: as a bake poses them, and the target goes along at the tail."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import LimbState, limb_states
from bpy.types import PropertyGroup
from mathutils import Quaternion, Vector

from support.cranes import EVERY, FRAMES, LENGTHS, crane, off_target
from support.truth import on_frame

CLOSE = 1e-5


def state(chain: PropertyGroup) -> LimbState:
    """As the list shows the limb."""
    graph = bpy.context.evaluated_depsgraph_get()
    return limb_states(chain.id_data, bpy.context.scene, graph)[chain.name]


@pytest.mark.parametrize("options", [{}, {"unreachable": "STRETCH", "max_stretch": 3.0}], ids=str)
def test_live_keeps_the_tail_on_its_target(options: dict[str, object]) -> None:
    chain = crane(6, **options)
    chain.id_data.data.bones["jib"].inherit_scale = chain.id_data.data.bones["hook"].inherit_scale = "ALIGNED"
    chain.id_data.two_bone_ik_live = True
    for frame in (*EVERY, 4, 9, 2):
        on_frame(frame)
        off, turned = off_target(chain)
        assert off < CLOSE
        assert turned < CLOSE
        assert state(chain).state == "REACHED"


def test_live_follows_a_target_that_only_turns() -> None:
    chain = crane(6)
    chain.target.animation_data_clear()
    chain.id_data.two_bone_ik_live = True
    joint = Vector((0.3, 0.2, 2.1))
    for turn in (Quaternion((1, 0.5, 0, 0.2)), Quaternion((0.2, 1, -0.6, 0.1))):
        turn.normalize()
        chain.target.rotation_quaternion = turn
        chain.target.location = joint + turn @ Vector((0.0, LENGTHS[2], 0.0))
        bpy.context.view_layer.update()
        assert off_target(chain)[0] < CLOSE


def test_the_state_is_that_of_the_tail() -> None:
    chain = crane(6, reach=1.4)
    api.bake(chain.id_data, frames=FRAMES)
    words = set()
    for frame in EVERY:
        on_frame(frame)
        found, (off, _) = state(chain), off_target(chain)
        assert abs(found.miss - off) < CLOSE
        rig = chain.id_data
        np.testing.assert_allclose(found.joints[-1], rig.matrix_world @ rig.pose.bones["hook"].tail, atol=CLOSE)
        assert len(found.joints) == 4
        assert len(found.angles) == 2
        words.add(str(found.state))
        assert (found.state == "REACHED") == (off < 1e-4)
    assert words == {"REACHED", "TOO_FAR"}


def test_a_dragged_joint_takes_the_target_along_at_the_tail() -> None:
    chain = crane(6)
    chain.target.animation_data_clear()
    rig = chain.id_data
    on_frame(1)
    api.solve(rig)
    bpy.context.view_layer.update()
    joint = rig.matrix_world @ rig.pose.bones["hook"].head
    assert bpy.ops.two_bone_ik.drag(offset=(-0.1, 0.05, 0.1)) == {"FINISHED"}
    bpy.context.view_layer.update()
    moved = rig.matrix_world @ rig.pose.bones["hook"].head
    np.testing.assert_allclose(moved - joint, (-0.1, 0.05, 0.1), atol=CLOSE)
    off, turned = off_target(chain)
    assert off < CLOSE
    assert turned < CLOSE
    assert api.solve(rig).reached
    bpy.context.view_layer.update()
    np.testing.assert_allclose(rig.matrix_world @ rig.pose.bones["hook"].head, moved, atol=CLOSE)

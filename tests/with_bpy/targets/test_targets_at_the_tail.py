"""Targets of limbs that reach with their tail lie at the tail, turned as the tip bone is: made, snapped and keyed."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import rigs
from support.cranes import CLOSE, CRANE, EVERY, FRAMES, assert_on_target, crane, off_target, played
from support.truth import on_frame

CLOSE_POSE = 1e-5
"""Metres, and parts of a rotation: targets and bones are held in single precision."""


def swung(scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> Object:
    """A crane whose bones are keyed, without target."""
    rig = rigs.armature(CRANE)
    rig.location, rig.rotation_euler, rig.scale = (1.0, 2.0, 0.5), (0.2, -0.3, 0.8), scale
    rng = np.random.default_rng(2)
    for name in ("boom", "jib", "hook"):
        turns = {frame: (1.0, *rng.uniform(-0.5, 0.5, 3)) for frame in (1, 5, 12)}
        rigs.animate(rig.pose.bones[name], rotation_quaternion=turns)
    api.add_chain(rig, "jib", tip_bone="hook", use_rotation=True, reach_with="TAIL", reference="POSE")
    return rig


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.5, -1.5, 1.5)], ids=str)
def test_created_targets_lie_at_the_tail_and_keep_the_pose(kind: str, scale: tuple[float, ...]) -> None:
    rig = swung(scale)
    on_frame(5)
    before = played_now(rig)
    api.create_targets(rig, kind=kind)
    chain = rig.two_bone_ik_chains[0]
    bpy.context.view_layer.update()
    off, turned = off_target(chain)
    assert off < CLOSE_POSE
    assert turned < CLOSE_POSE
    assert api.solve(rig).reached
    np.testing.assert_allclose(played_now(rig), before, atol=CLOSE_POSE)


def test_a_target_bone_lies_at_the_tail_at_rest() -> None:
    rig = rigs.armature(CRANE)
    api.add_chain(rig, "jib", tip_bone="hook", use_rotation=True, reach_with="TAIL")
    api.create_targets(rig, kind="BONES")
    bones, chain = rig.data.bones, rig.two_bone_ik_chains[0]
    np.testing.assert_allclose(bones[chain.subtarget].head_local, bones["hook"].tail_local, atol=1e-6)


@pytest.mark.parametrize("keys", ["EVERY_FRAME", "REDUCED"])
def test_baked_from_the_pose_and_back_nothing_moves(keys: str) -> None:
    rig = swung()
    on_frame(1)
    api.create_targets(rig)
    chain, before, close = rig.two_bone_ik_chains[0], played(rig), 1e-5 if keys == "EVERY_FRAME" else 3e-3
    assert api.bake_targets(rig, frames=FRAMES, keys=keys, tolerance=1e-3).reached
    for frame in EVERY:
        on_frame(frame)
        off, turned = off_target(chain)
        assert off < close
        assert turned < close
    assert api.bake(rig, frames=FRAMES).reached
    np.testing.assert_allclose(played(rig), before, atol=close)


def test_a_snapped_target_goes_to_the_tail() -> None:
    rig = swung()
    rigs.empty("Target", (5.0, 5.0, 5.0))
    chain = rig.two_bone_ik_chains[0]
    chain.target = bpy.data.objects["Target"]
    on_frame(5)
    api.snap_targets(rig)
    bpy.context.view_layer.update()
    off, turned = off_target(chain)
    assert off < CLOSE_POSE
    assert turned < CLOSE_POSE


def test_another_space_keeps_the_tail_on_its_target() -> None:
    chain = crane(3)
    carrier = rigs.empty("Carrier")
    rigs.animate(carrier, location={1: (0, 0, 0), 12: (2, 1, 0)}, rotation_euler={1: (0, 0, 0), 12: (0.5, 1.0, 0.2)})
    api.change_target_space(chain.id_data, space=carrier, frames=FRAMES)
    assert api.bake(chain.id_data, frames=FRAMES).reached
    assert_on_target(chain, close=5.0 * CLOSE)


def test_a_flipped_pole_goes_round_the_line_to_the_joint() -> None:
    chain = crane(4, pole_target=rigs.empty("Pole", (0.3, 2.0, 3.0)))
    rig = chain.id_data
    on_frame(3)
    api.solve(rig)
    before = played_now(rig)
    api.flip_bend(rig)
    bpy.context.view_layer.update()
    after = played_now(rig)
    assert off_target(chain)[0] < CLOSE_POSE
    root, elbow, joint = (pose[:3, 3] for pose in before[1:])
    line = (joint - root) / np.linalg.norm(joint - root)
    aside = (elbow - root) - line * (line @ (elbow - root))
    np.testing.assert_allclose(after[2, :3, 3], elbow - 2.0 * aside, atol=1e-5)
    np.testing.assert_allclose(after[3], before[3], atol=1e-5)


def played_now(rig: Object) -> np.ndarray:
    """(k, 4, 4) the bones of the crane in the world, as Blender evaluates them."""
    found = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([found.matrix_world @ found.pose.bones[bone.name].matrix for bone in CRANE])

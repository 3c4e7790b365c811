"""Where Blender's importer reads a BVH file, ours makes the same armature and the same keys."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.takes.import_take import import_take
from bl_ext.user_default.two_bone_ik.blender.takes.take import Import
from bpy.types import Object

from support.bvh import LOCAL_AXES, bvh
from support.bvh import walk as cmu_walk
from support.captured_walk import skating_walk
from support.captured_walk import text as skating_text
from support.empty_file import open_empty_file
from support.odd_bvh import pair, text, walk

pytestmark = pytest.mark.versions

NESTED = "Hips 0 5 0\n Spine 0 2 1\n  Neck 0 0 0\n  Arm.L 0 0 0\n   Hand.L 3 0 0\n  Arm.R 0 0 0\n   Hand.R -3 0 0\n"
"""Bones without length, also below a root that is not at zero; several children in one place."""


def wild() -> str:
    """Turns beyond half a turn from frame to frame, near gimbal lock."""
    rng = np.random.default_rng(3)
    turns = np.cumsum(rng.uniform(-60, 60, (40, 6, 3)), axis=0)
    names = ("Hips", "Spine", "LeftArm", "LeftForeArm", "RightUpLeg", "RightLeg")
    motion = [dict(zip(names, frame, strict=True)) for frame in turns.tolist()]
    return bvh(motion=motion, places=rng.normal(0, 9, (40, 3)).tolist())


FILES = {
    "cmu": lambda: bvh(motion=cmu_walk(20), places=[(0, 17, i / 3) for i in range(20)]),
    "local_axes": lambda: bvh(LOCAL_AXES, [{"Hips": (i, 2 * i, 3 * i), "Hand_L": (9 * i, i, 0)} for i in range(9)]),
    "skating": lambda: skating_text(skating_walk(seconds=1.0)),
    "wild": wild,
    "nested": lambda: bvh(NESTED, [{"Spine": (i, 7 * i, 0)} for i in range(9)]),
    "two_roots": lambda: text(pair(walk(seconds=0.5)), name=lambda name: name.removeprefix("2")),
    "all_positions": lambda: text(walk(seconds=0.5).with_channels(others="xyzYXZ")),
    "positions_last": lambda: text(walk(seconds=0.5).with_channels(others="XZYzyx")),
    "mixed_orders": lambda: text(walk(seconds=0.5).with_channels(LeftLeg="XYZ", RightLeg="YZX", Spine="ZYX", Head="")),
    "metres": lambda: text(walk(unit=1.0, seconds=0.5)),
    "millimetres": lambda: text(walk(unit=1e-3, seconds=0.5)),
    "names": lambda: text(walk(seconds=0.5), name=lambda name: f'{name} "a" {"n" * 60 if "Toe" in name else ""}'),
    "carriage_returns": lambda: text(walk(seconds=0.5), layout=lambda text: text.replace("\n", "\r")),
}


def dumped(rig: Object) -> tuple[list, np.ndarray, list, np.ndarray]:
    """Words and numbers of the armature, and words and numbers of its keys."""
    words, numbers = [rig.name, rig.data.name, rig.animation_data.action.name, versions.played(rig)[1]], []
    for bone in rig.data.bones:
        words.append((bone.name, bone.parent and bone.parent.name, bone.use_connect))
        words.append(rig.pose.bones[bone.name].rotation_mode)
        numbers += [*bone.head_local, *bone.tail_local, *np.ravel(bone.matrix_local)]
    curves = [*versions.curves(rig)]
    # Of names that it has cut, the importer makes several groups and numbers them.
    named = [(curve.data_path, curve.array_index, curve.group.name[:50]) for curve in curves]
    kinds = {key.interpolation for curve in curves for key in curve.keyframe_points}
    keys = np.array([[key.co[:] for key in curve.keyframe_points] for curve in curves])
    return [*words, kinds, *np.ravel(rig.matrix_world)], np.array(numbers), named, keys


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("kind", FILES)
def test_armature_and_keys_are_those_of_blender(tmp_path: Path, kind: str, scale: float) -> None:
    path = tmp_path / "actor.one.bvh"
    path.write_text(FILES[kind]())
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=scale, update_scene_fps=True)
    scene = bpy.context.scene
    words, numbers, curves, keys = dumped(bpy.context.object)
    rate = scene.render.fps, scene.render.fps_base
    open_empty_file()
    import_take(Import(path, bpy.context.scene, None, scale))
    scene, rig = bpy.context.scene, bpy.context.object
    ours = dumped(rig)
    assert rig.select_get()
    assert (ours[0], ours[2]) == (words, curves)
    assert (scene.render.fps, scene.render.fps_base) == pytest.approx(rate, rel=1e-6)
    # Blender's importer computes in single precision.
    size = np.abs(numbers).max()
    np.testing.assert_allclose(ours[1], numbers, atol=1e-6 * size)
    np.testing.assert_allclose(ours[3], keys, atol=1e-6 * max(size, np.abs(keys).max()))

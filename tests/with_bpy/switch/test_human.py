"""The whole human that Rigify generates, with face and fingers, goes from IK to FK and back and stays."""

from collections.abc import Sequence
from itertools import product

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.rigify import generated
from support.truth import on_frame
from support.walking import LIMBS, assert_kept, off, walk

FRAMES, HALVES = range(1, 61, 6), np.arange(3.5, 60.0, 12.0)
"""Of the 60 that are switched those that are compared: one takes as long as 12 of the basic human."""

pytestmark = pytest.mark.skipif(
    bpy.app.version[:2] not in ((4, 2), (5, 2)), reason="a whole human takes long; the basic one is tried in all"
)


def deforming(rig: Object, frames: Sequence[float]) -> np.ndarray:
    """(frames, bones, 4, 4) of all bones that deform the character, fingers included, as Blender evaluates them."""
    names = [bone.name for bone in rig.data.bones if bone.use_deform]
    found = []
    for frame in frames:
        on_frame(frame)
        found.append([np.array(rig.pose.bones[name].matrix) for name in names])
    return np.array(found)


def forget_ik(rig: Object) -> None:
    """Remove all keys of IK controls, as if nobody had posed them."""
    curves = versions.ensure_channelbag(rig).fcurves
    for curve in [curve for curve in curves if "_ik" in curve.data_path.split('"')[1]]:
        curves.remove(curve)
    for bone in rig.pose.bones:
        if "_ik" in bone.name:
            bone.matrix_basis.identity()


def test_a_whole_human_goes_to_fk_and_back_and_stays(empty_file: None) -> None:
    rig = generated("human")
    curves = versions.ensure_channelbag(rig).fcurves
    for limb, side in product(LIMBS, "LR"):
        points = curves.new(f'pose.bones["{limb}_parent.{side}"]["IK_Stretch"]').keyframe_points
        for frame, stretch in ((1.0, 1.0), (31.0, 0.0)):
            points.insert(frame, stretch).interpolation = "CONSTANT"
    walk(rig)
    before, between = deforming(rig, FRAMES), deforming(rig, HALVES)
    for to in ("FK", "IK"):
        report = api.switch(rig, to, frames=(1, 60))
        assert_kept(deforming(rig, FRAMES), before)
        assert off(deforming(rig, HALVES), between)[0] < 1e-3
        assert report.posed
        if to == "FK":
            forget_ik(rig)

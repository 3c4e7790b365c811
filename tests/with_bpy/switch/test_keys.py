"""How many keys a switch makes, and what keys outside of its frames keep."""

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object

from support.walking import FRAMES, SPAN, deforming, off, stride, walk


def frames_of(rig: Object, bone: str) -> set[float]:
    """On which frames a bone has keys."""
    curves = (curve for curve in versions.curves(rig) if curve.data_path.startswith(f'pose.bones["{bone}"].'))
    return {key.co.x for curve in curves for key in curve.keyframe_points}


@pytest.mark.parametrize(("motion", "to"), [(walk, "FK"), (stride, "IK")])
def test_reduced_keys_are_few_and_keep_a_millimetre(rig: Object, motion: object, to: str) -> None:
    motion(rig)
    before = deforming(rig, FRAMES)
    report = api.switch(rig, to, frames=SPAN, keys="REDUCED", tolerance=1e-3)
    assert report.posed
    assert off(deforming(rig, FRAMES), before)[0] < 1e-3
    for bone in ("thigh", "shin", "foot", "hand") if to == "FK" else ("foot", "thigh", "hand"):
        assert len(frames_of(rig, f"{bone}_{to.lower()}.L") & {*FRAMES}) <= 0.2 * len(FRAMES)


def test_source_keys_are_where_the_shown_controls_have_some(rig: Object) -> None:
    walk(rig)
    api.switch(rig, "FK", ["Leg.L"], frames=(3, 40), keys="SOURCE")
    assert frames_of(rig, "thigh_fk.L") == {3.0, *range(6, 40, 5), 40.0}


def test_keys_outside_keep_every_bit_and_the_pose(rig: Object) -> None:
    """Those of the controls that show outside as well; a key beside the range may have its handles set free."""
    walk(rig)
    stored = versions.curves(rig)
    before = {
        (curve.data_path, curve.array_index): [
            (*key.co, *key.handle_left, *key.handle_right) for key in curve.keyframe_points
        ]
        for curve in stored
    }
    outside = [*np.arange(-3.0, 10.1, 0.75), 9.75, *np.arange(31.0, 46.0, 0.75), 31.25]
    posed = deforming(rig, outside)
    api.switch(rig, "FK", frames=(11, 30))
    rig.pose.bones["thigh_fk.L"].rotation_quaternion.x += 0.1
    rig.pose.bones["thigh_fk.L"].keyframe_insert("rotation_quaternion", frame=20)
    api.switch(rig, "IK", frames=(11, 30))
    assert off(deforming(rig, outside), posed)[0] < 1e-6
    for curve in versions.curves(rig):
        now = {key.co.x: (*key.co, *key.handle_left, *key.handle_right) for key in curve.keyframe_points}
        for key in before.get((curve.data_path, curve.array_index), ()):
            if key[0] <= 1.0 or key[0] >= 61.0:
                assert now[key[0]] == key

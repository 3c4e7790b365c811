"""What the overlay shows is where the limb, the other solution and the reach are in the world."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.live import state
from bl_ext.user_default.two_bone_ik.blender.live.overlay import ChainOverlay, chain_overlays
from mathutils import Matrix

from support import rigs

WORLD = Matrix.Translation((3.0, -1.0, 0.5)) @ Matrix.Rotation(0.7, 4, (1.0, 2.0, 0.5)) @ Matrix.Scale(0.5, 4)


def placed_arm(**fields: object) -> bpy.types.Object:
    """An arm on a turned, scaled object; its target within reach, and a pole."""
    target, pole = (WORLD @ Matrix.Translation(place) for place in ((1.2, 0.6, 1.3), (0.0, 3.0, 1.0)))
    rigs.arm(target=target.translation, pole=pole.translation, **fields)
    rig = bpy.data.objects["Rig"]
    rig.matrix_world = WORLD
    bpy.context.view_layer.update()
    return rig


def outline(rig: bpy.types.Object) -> ChainOverlay:
    return next(chain_overlays(state.update(rig, bpy.context.scene, bpy.context.view_layer.depsgraph)))


def test_both_solutions_are_drawn_where_solves_pose_them() -> None:
    rig = placed_arm()
    found = outline(rig)
    for bend, drawn in (("POSITIVE", found.limb), ("NEGATIVE", found.other)):
        rig.two_bone_ik_chains[0].bend = bend
        api.solve(rig)
        bpy.context.view_layer.update()
        upper, lower = (rig.pose.bones[name] for name in ("upper", "lower"))
        posed = [rig.matrix_world @ place for place in (upper.head, lower.head, lower.tail)]
        np.testing.assert_allclose(drawn, posed, atol=1e-5)


def test_reach_is_drawn_as_far_as_the_bones_are_long() -> None:
    rig = placed_arm()
    first, second = (0.5 * rig.data.bones[name].length for name in ("upper", "lower"))
    radii = [np.linalg.norm(np.subtract(circle, outline(rig).limb[0]), axis=-1) for circle in outline(rig).reach]
    expected = [abs(first - second)] * 3 + [first + second] * 3
    np.testing.assert_allclose(radii, np.array(expected)[:, None] * np.ones(65), rtol=1e-5)


def test_a_fixed_plane_is_drawn_as_an_annulus_in_it() -> None:
    rig = placed_arm(plane="REST")
    found = outline(rig)
    assert len(found.reach) == 2
    root, mid, tip = np.array(found.limb)
    normal = np.cross(mid - root, tip - mid)
    offsets = (np.array(found.reach) - root) @ (normal / np.linalg.norm(normal))
    np.testing.assert_allclose(offsets, 0.0, atol=1e-5)


@pytest.mark.parametrize(("target", "word"), [((9.0, 0.0, 1.0), "TOO_FAR"), ((0.0, 0.05, 1.0), "TOO_CLOSE")])
def test_a_target_out_of_reach_is_told_and_by_how_far(target: tuple[float, float, float], word: str) -> None:
    rigs.arm(target=target)
    rig = bpy.data.objects["Rig"]
    bpy.context.view_layer.update()
    found = outline(rig)
    standing = state.cached(rig).standing("lower")
    assert found.status.name == standing.status.name == word
    np.testing.assert_allclose(np.linalg.norm(np.subtract(*found.miss)), standing.miss, rtol=1e-5)


def test_looking_changes_nothing() -> None:
    rig = placed_arm()
    before = [bone.matrix_basis.copy() for bone in rig.pose.bones]
    outline(rig)
    assert [bone.matrix_basis for bone in rig.pose.bones] == before
    assert rig.animation_data is None

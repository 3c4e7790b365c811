"""What the overlay shows is where the limb and its reach are in the world."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.live import state
from bl_ext.user_default.two_bone_ik.blender.status.guides import Guides, guides, in_view
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import LimbState, State, limb_states
from bl_ext.user_default.two_bone_ik.ui import limb_notice
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


def drawn_guides(rig: bpy.types.Object) -> Guides:
    return guides(state.update(rig, bpy.context.scene, bpy.context.view_layer.depsgraph), "lower")


def drawn_limb(rig: bpy.types.Object) -> np.ndarray:
    """(3, 3) root, mid and tip."""
    bpy.context.view_layer.update()
    found = limb_states(rig, bpy.context.scene, bpy.context.view_layer.depsgraph)
    return np.array(found["lower"].joints)


def posed_limb(rig: bpy.types.Object) -> np.ndarray:
    upper, lower = (rig.pose.bones[name] for name in ("upper", "lower"))
    return np.array([rig.matrix_world @ place for place in (upper.head, lower.head, lower.tail)])


def test_the_limb_is_drawn_where_it_is_posed() -> None:
    rig = placed_arm()
    np.testing.assert_allclose(drawn_limb(rig), posed_limb(rig), atol=1e-6)
    api.solve(rig)
    np.testing.assert_allclose(drawn_limb(rig), posed_limb(rig), atol=1e-6)


def test_the_line_to_the_pole_is_drawn_from_the_mid_joint() -> None:
    rig = placed_arm()
    api.solve(rig)
    pole = rig.two_bone_ik_chains[0].pole_target.matrix_world.translation
    np.testing.assert_allclose(drawn_guides(rig).pole, (drawn_limb(rig)[1], pole), atol=1e-6)
    rig.two_bone_ik_chains[0].pole_target = None
    assert drawn_guides(rig).pole == []


def test_reach_is_drawn_as_far_as_the_bones_are_long() -> None:
    rig = placed_arm()
    first, second = (0.5 * rig.data.bones[name].length for name in ("upper", "lower"))
    radii = [np.linalg.norm(np.subtract(circle, drawn_limb(rig)[0]), axis=-1) for circle in drawn_guides(rig).reach]
    expected = [abs(first - second)] * 3 + [first + second] * 3
    np.testing.assert_allclose(radii, np.array(expected)[:, None] * np.ones(65), rtol=1e-5)


def test_a_fixed_plane_is_drawn_as_an_annulus_in_it() -> None:
    rig = placed_arm(plane="REST")
    found = drawn_guides(rig)
    assert len(found.reach) == 2
    api.solve(rig)
    root, mid, tip = drawn_limb(rig)
    normal = np.cross(mid - root, tip - mid)
    offsets = (np.array(found.reach) - root) @ (normal / np.linalg.norm(normal))
    np.testing.assert_allclose(offsets, 0.0, atol=1e-5)


def test_every_state_that_is_drawn_has_a_shape_of_its_own() -> None:
    view = SimpleNamespace(perspective_matrix=Matrix(), window_matrix=Matrix(), view_matrix=Matrix())
    shapes = []
    for one in set(State) - {State.MUTED}:
        found = LimbState(state=one, joints=((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.2, 0.1, 0.0)))
        shapes.append(in_view(limb_notice.sign(found), found.joints[-1], view, width=200, size=10.0))
        reach = np.abs(np.concatenate(shapes[-1]) - (0.2, 0.1, 0.0)).max()
        assert 0.089 < reach < 0.121  # ten pixels, of which a hundred show one unit; a triangle is a little larger
    assert len({repr(shape) for shape in shapes}) == len(shapes) == 13


def test_looking_changes_nothing() -> None:
    rig = placed_arm()
    before = [bone.matrix_basis.copy() for bone in rig.pose.bones]
    drawn_guides(rig)
    drawn_limb(rig)
    assert [bone.matrix_basis for bone in rig.pose.bones] == before
    assert rig.animation_data is None

"""Bones that stay scaled or turned once Stretch, Pin to Pole or Spread Twist is off are told, those of captures not."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object, PropertyGroup
from mathutils import Matrix, Quaternion, Vector

from support import twisted
from support.live import live_arm, move_target
from support.rigs import animate, arm
from support.truth import on_frame

FRAMES = (1, 10)
FAR = (3.0, 0.6, 1.3)


def left(report: api.Report) -> list[str]:
    """What the report says of bones as options left them."""
    return [note for note in report.notes if "still scaled" in note or "still turned" in note]


def clear(rig: Object, name: str) -> None:
    """What the sentences advise: delete keys of this property, or of those whose names begin so, and clear it."""
    curves = versions.ensure_channelbag(rig).fcurves
    for curve in [curve for curve in curves if curve.data_path.rpartition(".")[2].startswith(name)]:
        curves.remove(curve)
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()


def lengths(rig: Object, frame: int) -> np.ndarray:
    """(2,) how long Blender shows both bones, as parts of their lengths at rest."""
    bones = [rig.evaluated_get(on_frame(frame)).pose.bones[name] for name in ("upper", "lower")]
    return np.array([(bone.tail - bone.head).length / bone.bone.length for bone in bones])


def stretchable(chain: PropertyGroup, rule: str) -> Object:
    """The rig of an arm whose bones may stretch, and whose target leaves its reach."""
    rig = chain.id_data
    for bone in rig.data.bones:
        bone.inherit_scale = rule
    chain.max_stretch = 10.0
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: FAR})
    return rig


@pytest.mark.parametrize("pin", [0.0, 1.0])
@pytest.mark.parametrize(("rule", "bones"), [("ALIGNED", "upper"), ("NONE", "upper, lower")])
def test_bones_that_stretch_left_scaled_are_told(rule: str, bones: str, pin: float) -> None:
    chain = arm(pole=(0.5, 1.0, 2.5), unreachable="STRETCH")
    rig = stretchable(chain, rule)
    rig.pose.bones["lower"].two_bone_ik_pole_pin = pin
    assert not left(api.bake(rig, frames=FRAMES))
    chain.unreachable, rig.pose.bones["lower"].two_bone_ik_pole_pin = "CLAMP", 0.0
    for request in (api.check, api.bake, api.bake):
        [told] = left(request(rig, frames=FRAMES))
        assert f": {'upper, lower' if pin else bones}. " in told
        assert lengths(rig, 10).min() > 1.5
    clear(rig, "scale")
    assert not left(api.bake(rig, frames=FRAMES))
    np.testing.assert_allclose(lengths(rig, 10), 1.0, atol=1e-6)  # single precision


def test_bones_that_live_left_scaled_are_told_without_keys() -> None:
    rig = live_arm(unreachable="STRETCH")
    [chain] = rig.two_bone_ik_chains
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    chain.max_stretch = 10.0
    move_target(FAR)
    rig.two_bone_ik_live, chain.unreachable = False, "CLAMP"
    assert rig.pose.bones["upper"].scale.y > 1.5
    assert not versions.curves(rig)
    [told] = left(api.solve(rig))
    assert ": upper. " in told
    assert left(api.bake(rig, frames=(1, 2))) == [told]


def turned(rig: Object, names: Sequence[str]) -> list[str]:
    """Those of these bones whose own rotation Blender evaluates to more than a degree on one of the frames."""
    most = dict.fromkeys(names, 0.0)
    for frame in range(1, 61):
        bones = rig.evaluated_get(on_frame(frame)).pose.bones
        most = {name: max(angle, bones[name].matrix_basis.to_quaternion().angle) for name, angle in most.items()}
    return [name for name, angle in most.items() if angle > np.radians(1.0)]


def test_bones_that_spread_twist_left_turned_are_told() -> None:
    chain = twisted.arm()
    rig, names = chain.id_data, ["upper_twist_a", "upper_twist_b", "lower_twist_a", "lower_twist_b"]
    assert not left(api.bake(rig, frames=twisted.FRAMES))
    chain.use_twist = False
    for request in (api.check, api.bake, api.bake):
        [told] = left(request(rig, frames=twisted.FRAMES))
        assert f": {', '.join(names)}. " in told
        assert turned(rig, names) == names
    clear(rig, "rotation")
    assert not left(api.bake(rig, frames=twisted.FRAMES))
    assert not turned(rig, names)


def test_twist_bones_that_live_left_turned_are_told() -> None:
    chain = twisted.arm()
    rig = chain.id_data
    rig.two_bone_ik_live = True
    bpy.context.scene.frame_set(9)
    bpy.context.view_layer.update()
    rig.two_bone_ik_live = chain.use_twist = False
    assert rig.pose.bones["lower_twist_b"].rotation_quaternion.angle > 1.0
    assert any("lower_twist_a, lower_twist_b. " in note for note in left(api.solve(rig)))


SCALES = {
    "one": {1: (1, 1, 1), 10: (1, 1, 1)},
    "uniform": {1: (1.3, 1.3, 1.3), 10: (1.1, 1.1, 1.1)},
    "squash": {1: (1, 1, 1), 10: (0.8, 1.5625, 0.8)},
}


@pytest.mark.parametrize("rule", ["FULL", "ALIGNED"])
@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_of_a_capture_nothing_is_told(scales: str, rule: str, share: float) -> None:
    """Its twist bones turn about the forearm, too: by half of the hand's turn, or by angles of their own."""
    chain = twisted.arm(use_twist=False)
    rig, data = chain.id_data, chain.id_data.data.bones
    stretchable(chain, rule)
    line = (data["hand"].head_local - data["lower"].head_local).normalized()
    for name in ("lower_twist_a", "lower_twist_b", "hand"):
        axis = data[name].matrix_local.to_3x3().inverted() @ line
        part = 1.0 if name == "hand" else share
        angles = {frame: part * 0.2 * frame + (1.0 - part) * 0.05 * np.sin(frame) for frame in range(1, 11)}
        animate(rig.pose.bones[name], rotation_quaternion={f: Quaternion(axis, a) for f, a in angles.items()})
    for name in ("upper", "lower"):
        animate(rig.pose.bones[name], scale=SCALES[scales])
    assert not left(api.check(rig, frames=FRAMES))
    assert not left(api.bake(rig, frames=FRAMES))


def test_bones_that_cannot_stretch_are_not_told() -> None:
    chain = arm()
    animate(chain.id_data.pose.bones["upper"], scale={1: Vector((1, 1.4, 1))})
    assert not left(api.bake(chain.id_data, frames=FRAMES))


def test_a_driven_length_is_not_told() -> None:
    chain = arm()
    rig = stretchable(chain, "ALIGNED")
    driver = rig.pose.bones["upper"].driver_add("scale", 1).driver
    driver.type, driver.expression = "SCRIPTED", "1.4"
    bpy.context.view_layer.update()
    assert rig.pose.bones["upper"].scale.y > 1.3
    assert not left(api.check(rig, frames=FRAMES))

"""Legs with a hock: the third bone turns with root bone or end bone, as Blender evaluates the keyed pose."""

from __future__ import annotations

from collections.abc import Iterable
from math import radians

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.chain import undecided
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import State, limb_states
from bpy.types import Object, PropertyGroup
from mathutils import Matrix, Vector

from support import rigs
from support.hocks import CLOSE, EVERY, FRAMES, LEG, angle, assert_posed, evaluated, joints, keys, leg, turn
from support.truth import on_frame

BOTH = pytest.mark.parametrize("hock", ["RIGID", "PARALLEL"])
TIPS = pytest.mark.parametrize("tip_bone", ["toe", ""])


@BOTH
@TIPS
def test_third_bone_and_tip_are_where_the_hock_has_them(hock: str, tip_bone: str) -> None:
    chain = leg(hock, tip_bone=tip_bone)
    report = api.bake(chain.id_data, frames=FRAMES)
    assert_posed(chain)
    assert report.reached
    assert report.chains[0].measured.all()
    assert {path.split('"')[1] for path, _ in keys(chain.id_data)} == {"thigh", "shin", "hock"}


@BOTH
def test_a_leg_of_a_rig_that_is_moved_and_scaled_is_posed_alike(hock: str) -> None:
    chain = leg(hock, use_rotation=True)
    rig = chain.id_data
    rig.location, rig.rotation_euler, rig.scale = (3, -2, 1), (0.3, 1.0, -0.4), (1.5, 1.5, 1.5)
    rig.pose.bones["spine"].rotation_quaternion = (0.9, 0.2, -0.1, 0.3)
    rig.pose.bones["spine"].location = (0.1, 0, 0)
    chain.target.parent = rig
    chain.pole_target = rigs.empty("Pole", (2.0, -3.0, 2.0))
    assert api.bake(rig, frames=FRAMES).reached
    assert_posed(chain)
    for frame in EVERY:
        on_frame(frame)
        root, knee, shank, tip = joints(rig)
        corner = knee + tip - shank if hock == "PARALLEL" else knee
        aim, towards = tip - root, np.array(chain.pole_target.matrix_world.translation) - root
        normal = np.cross(aim, towards)
        assert abs((corner - root) @ normal) < 1e-4 * np.linalg.norm(normal)
        assert np.cross(aim, corner - root) @ normal > 0
        toe = rig.matrix_world @ evaluated(rig).pose.bones["toe"].matrix
        turned = (np.array(matrix.to_3x3().normalized()) for matrix in (toe, chain.target.matrix_world))
        assert angle(*turned) < 1e-4


def test_rigid_is_a_chain_with_the_toe_as_tip_bone() -> None:
    chain = leg("RIGID")
    api.bake(chain.id_data, frames=FRAMES)
    other = leg("RIGID", name="Other", hock_bone="")
    api.bake(other.id_data, frames=FRAMES)
    found, plain = keys(chain.id_data), keys(other.id_data)
    for curve, values in plain.items():
        np.testing.assert_allclose(found[curve], values, atol=1e-9)
    third = np.array([found['pose.bones["hock"].rotation_quaternion', index] for index in range(4)])
    np.testing.assert_allclose(third, np.tile([[1], [0], [0], [0]], len(EVERY)), atol=1e-7)


@BOTH
def test_the_hock_angle_turns_the_third_bone_first(hock: str) -> None:
    chain = leg(hock)
    chain.hock_angle = 0.3
    assert api.bake(chain.id_data, frames=FRAMES).reached
    assert_posed(chain, hock_angle=0.3)
    rigs.animate(chain.id_data.pose.bones["shin"], two_bone_ik_hock_angle={1: 0.0, 5: 0.4})
    api.bake(chain.id_data, frames=FRAMES)
    assert_posed(chain, [1], hock_angle=0.0)
    assert_posed(chain, [5, 6], hock_angle=0.4)


@BOTH
@pytest.mark.parametrize("inherit", ["ALIGNED", "NONE"])
def test_a_stretch_scales_the_third_bone_with_its_carrier(hock: str, inherit: str) -> None:
    chain = leg(hock, unreachable="STRETCH", softness=0.1)
    rig = chain.id_data
    rigs.animate(chain.target, location={1: (0.1, 0.1, 0.3), 4: (0.3, 1.6, -0.9), 8: (-0.1, -2.5, 1.35)})
    for name in ("shin", "hock", "toe"):
        rig.data.bones[name].inherit_scale = inherit
    lengths = [rig.data.bones[name].length for name in ("thigh", "shin", "hock")]
    assert api.bake(rig, frames=FRAMES).reached
    assert_posed(chain)
    on_frame(8)
    factors = np.linalg.norm(np.diff(joints(rig), axis=0), axis=-1) / lengths
    assert factors.min() > 1.1
    np.testing.assert_allclose(factors[2], factors[0 if hock == "PARALLEL" else 1], atol=CLOSE)


@BOTH
def test_solve_and_drag_pose_the_leg_as_the_bake_does(hock: str) -> None:
    rig = leg(hock).id_data
    api.bake(rig, frames=FRAMES)
    [baked] = played(rig, [6])
    rig.animation_data_clear()
    on_frame(6)
    assert api.solve(rig).reached
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joints(rig), baked, atol=CLOSE)
    assert limb_states(rig, bpy.context.scene, bpy.context.view_layer.depsgraph)["shin"].state == State.REACHED
    pull = api.drag(rig, "shin")
    pull.to((0.2, 0.3, 0.4))
    bpy.context.view_layer.update()
    np.testing.assert_allclose(joints(rig)[3], (0.2, 0.3, 0.4), atol=CLOSE)
    assert angle(turn(rig, "hock"), turn(rig, "thigh" if hock == "PARALLEL" else "shin")) < CLOSE
    pull.restore()


@BOTH
@pytest.mark.parametrize("part", [0.0, 0.5])
def test_influence_leaves_a_part_of_the_own_pose(hock: str, part: float) -> None:
    chain = leg(hock)
    bones = [chain.id_data.pose.bones[name] for name in ("thigh", "shin", "hock")]
    turned = ((0.95, 0.1, 0.2, 0), (0.9, -0.2, 0, 0.1), (0.8, 0.3, 0, 0.2))

    def solved(influence: float) -> list[np.ndarray]:
        chain.influence = influence
        for bone, values in zip(bones, turned, strict=True):
            bone.rotation_quaternion = values
        bpy.context.view_layer.update()
        own = [np.array(bone.rotation_quaternion.normalized().to_matrix()) for bone in bones]
        api.solve(chain.id_data)
        return own, [np.array(bone.rotation_quaternion.to_matrix()) for bone in bones]

    own, whole = solved(1.0)
    for before, found, right in zip(own, solved(part)[1], whole, strict=True):
        assert angle(before, found) == pytest.approx(part * angle(before, right), abs=1e-3)


def played(rig: Object, frames: Iterable[float] = EVERY, tip_bone: str = "toe") -> np.ndarray:
    """(n, 4, 3) the joints on these frames."""
    return np.array([on_frame(frame) and joints(rig, tip_bone) for frame in frames])


@BOTH
def test_reduced_keys_hold_their_tolerance_at_knee_hock_and_tip(hock: str) -> None:
    rig, frames = leg(hock).id_data, np.arange(1, 8.01, 0.25)
    api.bake(rig, frames=(1, 8, 0.25))
    every = played(rig, frames)
    api.bake(rig, frames=FRAMES, keys="REDUCED", tolerance=0.002)
    assert np.linalg.norm(played(rig, frames) - every, axis=-1).max() < 0.002 + CLOSE
    assert len(rigs.keys(rig.pose.bones["hock"])) < 8


@BOTH
@TIPS
def test_targets_from_the_pose_keep_the_leg(hock: str, tip_bone: str) -> None:
    chain = leg(hock, tip_bone=tip_bone, pole_target=rigs.empty("Pole", (1.0, -3.0, 2.0)))
    rig = chain.id_data
    api.bake(rig, frames=FRAMES)
    pose = played(rig, tip_bone=tip_bone)
    chain.target.animation_data_clear()
    chain.target.location = chain.pole_target.location = (9, 9, 9)
    assert api.bake_targets(rig, frames=FRAMES).reached
    api.bake(rig, frames=FRAMES)
    np.testing.assert_allclose(played(rig, tip_bone=tip_bone), pose, atol=2 * CLOSE)


def test_bake_from_pose_tells_of_a_third_bone_by_any_name() -> None:
    chain = leg("PARALLEL")
    rig = chain.id_data
    rigs.animate(rig.pose.bones["hock"], rotation_quaternion={1: (1, 0, 0, 0), 8: (0.9, 0.4, 0, 0)})
    notes = api.bake_targets(rig, frames=FRAMES).notes
    assert any("does not keep its pose on 7 frames (2-8)" in note for note in notes)
    chain.id_data.pose.bones["hock"].name = "cannon"
    api.solve(chain.id_data)
    assert chain.hock_bone == "cannon"


def test_the_overlay_shows_knee_and_hock() -> None:
    chain = leg("PARALLEL")
    rig = chain.id_data
    on_frame(4)
    api.solve(rig)
    bpy.context.view_layer.update()
    now = bpy.context.scene, bpy.context.view_layer.depsgraph
    shown = joints(rig)
    np.testing.assert_allclose(limb_states(rig, *now)["shin"].joints, shown, atol=CLOSE)
    api.flip_bend(rig)
    bpy.context.view_layer.update()
    other = joints(rig)
    np.testing.assert_allclose(other[[0, 3]], shown[[0, 3]], atol=CLOSE)
    assert np.abs(other - shown).max() > 0.1
    np.testing.assert_allclose(limb_states(rig, *now)["shin"].joints, other, atol=CLOSE)


def test_against_the_knee_the_side_is_asked_for() -> None:
    """A third bone that is longer than the thigh and leads backwards: the triangle bends where the knee does not."""
    chain = leg("PARALLEL")
    rig = chain.id_data
    assert undecided(rig, chain) is None
    with rigs.editing(rig) as bones:
        bones["hock"].tail = bones["toe"].head = (0.1, 2.4, 1.6)
    assert undecided(rig, chain) > radians(3)
    assert any("against the knee" in line for line in api.check(rig, frames=FRAMES).notes)
    api.decide_side(rig, axis="NEG_X")
    assert undecided(rig, chain) is None


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"hock_bone": "spine"}, 'Hock bone "spine" of "Rig" is not below end bone "shin": choose one of its children'),
        ({"hock_bone": "hok"}, 'no bone "hok": choose its hock bone; the nearest is "hock"'),
        ({"tip_bone": "hock"}, 'Hock bone "hock" of "Rig" is not above tip bone "hock"'),
        ({"pole_pin": 0.5}, "set Hock to Rigid, or Pin to Pole to 0"),
        ({"unreachable": "STRETCH"}, 'Stretch would shear bone "hock"'),
    ],
)
def test_what_makes_no_leg_is_refused(fields: dict[str, object], sentence: str) -> None:
    chain = leg("PARALLEL", pole_target=rigs.empty("Pole"))
    chain.id_data.data.bones["hock"].inherit_scale = "FULL"
    for name, value in fields.items():
        setattr(chain, name, value)
    with pytest.raises(api.Refused, match=sentence):
        api.bake(chain.id_data, frames=FRAMES)


@BOTH
def test_the_third_bone_twists_what_lies_above_it(hock: str) -> None:
    chain = leg(hock, bones=(*LEG, BESIDE), use_twist=True)
    rig = chain.id_data
    api.bake(rig, frames=FRAMES)
    line = (rig.data.bones["hock"].head_local - rig.data.bones["shin"].head_local).normalized()
    posed = []
    for frame in EVERY:
        on_frame(frame)
        turned = {name: Matrix(turn(rig, name)).to_quaternion() for name in ("shin", "hock", "shin_twist")}
        by = {name: turned["shin"].inverted() @ turned[name] for name in ("hock", "shin_twist")}
        twist, half = (2.0 * np.arctan2(Vector(by[name][1:]).dot(line), by[name].w) for name in ("hock", "shin_twist"))
        off = (twist + np.pi) % (2.0 * np.pi) - np.pi - 2.0 * half
        assert abs((off + 2.0 * np.pi) % (4.0 * np.pi) - 2.0 * np.pi) < CLOSE
        assert Vector(by["shin_twist"][1:]).cross(line).length < CLOSE
        posed.append([*joints(rig), *turn(rig, "hock"), *turn(rig, "toe")])
    chain.use_twist = False
    api.bake(rig, frames=FRAMES)
    for frame, expected in zip(EVERY, posed, strict=True):
        on_frame(frame)
        now = [*joints(rig), *turn(rig, "hock"), *turn(rig, "toe")]
        np.testing.assert_allclose(now, expected, atol=CLOSE)


BESIDE = rigs.Bone("shin_twist", (0.0, 0.025, 1.025), (0.0, 0.1, 1.0), "shin", 0.3)
"""Halfway."""


@BOTH
def test_live_legs_side_by_side_keep_their_own_bones(hock: str) -> None:
    turned = [*LEG, BESIDE]
    turned[3] = turned[3]._replace(roll=-0.7)
    both = {"Rig": (*LEG, BESIDE), "Other": turned}
    legs = [leg(hock, name=name, bones=bones, use_twist=True) for name, bones in both.items()]

    def shown(chain: PropertyGroup) -> np.ndarray:
        rig = chain.id_data
        return np.array([*joints(rig), *turn(rig, "hock"), *turn(rig, "shin_twist")])

    baked = []
    for chain in legs:
        api.bake(chain.id_data, frames=FRAMES)
        baked.append({frame: on_frame(frame) and shown(chain) for frame in EVERY})
    for chain in legs:
        chain.id_data.animation_data_clear()
        chain.id_data.two_bone_ik_live = True
    for frame in (3, 7, 2, 5):
        on_frame(frame)
        for chain, expected in zip(legs, baked, strict=True):
            np.testing.assert_allclose(shown(chain), expected[frame], atol=CLOSE)

"""From a limb and a target to keys: Blender plays the joints to where geometry says they belong."""

from __future__ import annotations

from math import cos, sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Euler, Vector

from support.rigify import metarig
from support.rigs import ARM, STRAIGHT, Bone, animate, arm, armature, chain, empty, keys
from support.truth import Limb, on_frame, save_and_load

pytestmark = pytest.mark.versions

FRAMES = range(1, 31)
CLOSE = 1e-5  # of the chain's length: what float32 matrices leave after a handful of products


def circle(frame: float, phase: float = 0.0, size: float = 0.3) -> Vector:
    return size * Vector((sin(frame / 7 + phase), cos(frame / 9 + phase), sin(frame / 5 + phase)))


def walking_metarig() -> tuple[Object, list[Limb]]:
    """Blender's human, turned and moved, its spine animated, with targets for four limbs and two poles."""
    rig = metarig("human")
    rig.location, rig.rotation_euler, rig.scale = (1, 2, 3), (0.1, 0.2, 1), (1.3, 1.3, 1.3)
    bpy.context.view_layer.update()
    for frame in range(1, 32, 6):
        for index, name in enumerate(("spine", "spine.003")):
            turn = Euler((0.2 * sin(frame / 9 + index), 0.1 * cos(frame / 7), 0.1)).to_quaternion()
            animate(rig.pose.bones[name], rotation_quaternion={frame: turn})
        animate(rig.pose.bones["spine"], location={frame: circle(frame, size=0.05)})
    limbs = []
    for phase, (end, root, middle, pole) in enumerate(
        [
            ("forearm.L", "upper_arm.L", (0.4, 0, 1.2), (0.4, 1, 1.2)),
            ("forearm.R", "upper_arm.R", (-0.4, 0, 1.2), None),
            ("shin.L", "thigh.L", (0.1, 0, 0.3), (0.1, -1, 0.5)),
            ("shin.R", "thigh.R", (-0.1, 0, 0.3), None),
        ]
    ):
        target = empty(f"target {end}")
        places = {f: rig.matrix_world @ (Vector(middle) + circle(f, phase)) for f in range(1, 32, 6)}
        animate(target, location=places)
        pole_target = pole and empty(f"pole {end}", rig.matrix_world @ Vector(pole))
        api.add_chain(rig, end, target=target, pole_target=pole_target)
        limbs.append(Limb(rig=rig.name, root=root, end=end, target=target.name, pole=pole_target.name if pole else ""))
    return rig, limbs


@pytest.mark.parametrize("way", ["AUTO", "ISOLATED", "SCENE"])
def test_a_saved_walk_has_its_joints_where_geometry_says(way: str) -> None:
    rig, limbs = walking_metarig()
    report = api.bake(rig, frames=(1, 30), sampling=way)
    assert 0 < sum(np.count_nonzero(chain.status) for chain in report.chains) < 90, "some in reach and some beyond"
    save_and_load()
    assert max(max(limb._miss(now)) for now in map(on_frame, FRAMES) for limb in limbs) < CLOSE


@pytest.mark.parametrize("scaled", ["upper", "other upper"])
def test_a_scaled_limb_beside_one_like_it(scaled: str) -> None:
    other = [
        Bone(f"other {bone.name}", *bone[1:3], bone.parent and f"other {bone.parent}", bone.roll + 0.7) for bone in ARM
    ]
    rig = armature([*ARM, *other])
    rig.pose.bones[scaled].scale = (1.3, 0.9, 0.7)
    limbs = []
    for name in ("", "other "):
        target, pole = empty(f"{name}Target"), empty(f"{name}Pole", (0.5, 3.0, 1.2))
        animate(target, location={frame: Vector((1.0, 0.5, 1.2)) + circle(frame) for frame in range(1, 32, 6)})
        api.add_chain(rig, f"{name}lower", target=target, pole_target=pole)
        limbs.append(Limb(root=f"{name}upper", end=f"{name}lower", target=target.name, pole=pole.name))
    api.bake(rig, frames=(1, 30))
    save_and_load()
    assert max(max(limb._hit(now)) for now in map(on_frame, FRAMES) for limb in limbs) < CLOSE


@pytest.mark.parametrize("posed", [False, True], ids=["as keyed", "posed by hand"])
def test_the_current_frame_shows_the_bake_at_once(posed: bool) -> None:
    chain = arm()
    rig = chain.id_data
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 20: (0.5, -0.8, 1.5)})
    bpy.context.scene.frame_set(7)
    if posed:
        api.bake(rig, frames=(1, 20))
        animate(rig.pose.bones["hand"], location={1: (0, 0, 0)})
        rig.pose.bones["upper"].rotation_quaternion = (0, 0, 0, 1)
        rig.pose.bones["hand"].location = (1, 1, 1)
    api.bake(rig, frames=(1, 20))
    assert bpy.context.scene.frame_current == 7
    assert Limb().off() < CLOSE


def test_a_chain_already_at_its_target_does_not_move() -> None:
    chain = arm(target=(1.8, 0, 1.1))
    api.bake(chain.id_data, frames=(1, 2))
    on_frame(2)
    for name in ("upper", "lower"):
        np.testing.assert_allclose(chain.id_data.pose.bones[name].rotation_quaternion, (1, 0, 0, 0), atol=1e-6)


@pytest.mark.parametrize(
    ("pole", "roll"), [((0, 1, 0.8), 0.0), ((0, 1, 0.8), 0.7), ((1, 0.3, 0.8), -2.5), (None, 0.7), (None, -2.5)]
)
def test_the_end_bone_turns_about_its_hinge_alone(pole, roll: float) -> None:
    rig = armature([bone._replace(roll=roll) for bone in STRAIGHT])
    chain(rig, "lower", target=(0, 0, 1.2), pole=pole, hinge_axis="X")
    animate(bpy.data.objects["Target"], location={f: circle(f, size=0.8) for f in range(1, 31, 3)})
    api.bake(rig, frames=(1, 30))
    for frame in FRAMES:
        on_frame(frame)
        turn = rig.pose.bones["lower"].rotation_quaternion
        np.testing.assert_allclose((turn.y, turn.z), 0, atol=1e-6)


@pytest.mark.parametrize("frames", [(-5, 5), (0.5, 3, 0.25), (3, 3), (1, 30, 7)])
def test_any_range_and_step(frames: tuple) -> None:
    chain = arm(pole=(1, 3, 1))
    animate(chain.target, location={-5: (1.2, 0.6, 1.3), 30: (0.5, -0.8, 1.5)})
    report = api.bake(chain.id_data, frames=frames)
    start, end, step = (*frames, 1.0)[:3]
    np.testing.assert_allclose(report.chains[0].frames, np.arange(start, end + 1e-6, step))
    for name in ("upper", "lower"):
        np.testing.assert_allclose(list(keys(chain.id_data.pose.bones[name])), report.chains[0].frames)
    assert Limb(pole="Pole").misses(report.chains[0].frames).max() < CLOSE


def test_only_ik_constraints_on_the_chain_are_muted() -> None:
    chain = arm(target=(1, 0.9, 0.8), pole=(1, 3, 1))
    bones = chain.id_data.pose.bones
    on_chain = [bones["lower"].constraints.new("IK"), bones["hand"].constraints.new("IK")]
    for constraint in on_chain:
        constraint.target, constraint.chain_count = chain.target, 3
    elsewhere = [bones["hand"].constraints.new("COPY_ROTATION"), bones["spine"].constraints.new("IK")]
    elsewhere[1].target, elsewhere[1].influence = chain.target, 0
    api.bake(chain.id_data, frames=(1, 3), mute_constraints=False)
    assert not any(constraint.mute for constraint in (*on_chain, *elsewhere))
    report = api.bake(chain.id_data, frames=(1, 3))
    assert [constraint.mute for constraint in (*on_chain, *elsewhere)] == [True, True, False, False]
    assert len(report.notes) == 2
    assert Limb(pole="Pole").misses(range(1, 4)).max() < CLOSE


def test_the_report_says_which_frames_fell_short() -> None:
    chain = arm()
    animate(chain.target, location={1: (0.05, 0, 1), 2: (5, 0, 1), 3: (1.2, 0.5, 1), 4: (0, 0, 1)})
    report = api.bake(chain.id_data, frames=(1, 4))
    headline, *shortfalls = report.lines()
    assert headline == "lower: 1 of 4 frames reached"
    told = [("too far", "1 frame (2)"), ("too close", "2 frames (1, 4)"), ("degenerate", "1 frame (4), none reached")]
    for line, (state, where) in zip(shortfalls, told, strict=True):
        assert state in line
        assert where in line
    # The tip lies in line with the root and the target, as far out as the bones reach.
    joints = Limb().joints(on_frame(2))
    assert report.chains[0].miss[1] == pytest.approx(5 - joints[2, 0], abs=CLOSE)

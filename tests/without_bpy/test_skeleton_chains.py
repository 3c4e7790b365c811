"""Chains on a plain rig: keys that are played by plain products of matrices take every tip to its target."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from two_bone_ik.skeleton.rotation_mode import rotation_name
from two_bone_ik.skeleton.solve import solve_groups
from two_bone_ik.skeleton.solved_group import one_by_one
from two_bone_ik.skeleton.twist_bones import explaining
from two_bone_ik.skeleton.values import ChainPlan, Plan, Point
from two_bone_ik.solver.values import Options, Reference, Unreachable

from support.plain_rig import RIG, PlainRig, about, at, basis, before, channels, matrix, path_of, plan

COUNT = 25
TURN = np.linspace(0.0, 2.0 * pi, COUNT)
CIRCLE = np.column_stack((np.cos(TURN), np.sin(TURN), 0.5 * np.sin(2.0 * TURN)))
"""About the root of an arm, within its reach."""
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


def arm(scale: tuple[float, ...] = (1, 1, 1), **fields: object) -> PlainRig:
    """A spine that leans, scaled so, and on it an arm that bends at rest; its target circles about its root."""
    rig = PlainRig()
    rig.add("spine", head=(0.1, 0.0, 0.2))
    rig.basis["spine"] = basis(rotation=about("X", 0.3) @ about("Z", -0.2), scale=scale)
    rig.add("upper", "spine", rotation=about("X", 0.2), **fields)
    rig.add("lower", "upper", rotation=about("X", -0.5), length=0.8, **fields)
    rig.add("hand", "lower", rotation=about("Z", 0.3), length=0.3, **fields)
    rig.objects[RIG] = matrix((0.3, -0.2, 0.1), about("Z", 0.4))[None]
    rig.objects["Target"] = path_of(CIRCLE + rig.to_world("upper", 0)[:3, 3])
    return rig


def goal(rig: PlainRig) -> np.ndarray:
    return rig.objects["Target"][:, :3, 3]


def baked(rig: PlainRig, *ranks: tuple[ChainPlan, ...], count: int = COUNT) -> Plan:
    """The plan, once its keys are played."""
    whole = plan(*ranks, count=count)
    for keys in channels(whole, solve_groups(whole, rig.samples(count)), before(whole)):
        rig.play(keys)
    return whole


def heads(rig: PlainRig, name: str) -> np.ndarray:
    return np.array([rig.to_world(name, row)[:3, 3] for row in range(COUNT)])


def tails(rig: PlainRig, name: str) -> np.ndarray:
    return np.array([rig.to_world(name, row) @ (*rig.bones[name].tail, 1.0) for row in range(COUNT)])[:, :3]


@pytest.mark.parametrize("mode", MODES)
def test_the_tip_is_on_its_target_in_every_rotation_mode(mode: str) -> None:
    rig = arm(rotation_mode=mode)
    whole = plan((rig.chain("upper", "lower", target=Point("Target")),), count=COUNT)
    ((root, end),) = channels(whole, solve_groups(whole, rig.samples(COUNT)), before(whole))
    assert (root.path, root.group) == (f'pose.bones["upper"].{rotation_name(mode)}', "upper")
    assert end.path == f'pose.bones["lower"].{rotation_name(mode)}'
    rig.play([root, end])
    np.testing.assert_allclose(tails(rig, "lower"), goal(rig), atol=1e-9)


@pytest.mark.parametrize("mode", MODES[2:])
def test_eulers_go_on_from_the_value_before(mode: str) -> None:
    rig = arm(rotation_mode=mode)
    whole = plan((rig.chain("upper", "lower", target=Point("Target")),), count=COUNT)
    wound = {path: values + 4.0 * pi for path, values in before(whole).items()}
    for channel in channels(whole, solve_groups(whole, rig.samples(COUNT)), wound)[0]:
        assert np.abs(channel.values[0] - 4.0 * pi).max() <= pi + 1e-9
        assert np.abs(np.diff(channel.values, axis=0)).max() < pi


def test_quaternions_keep_the_sign_of_the_value_before() -> None:
    rig = arm()
    whole = plan((rig.chain("upper", "lower", target=Point("Target")),), count=COUNT)
    solved, start = solve_groups(whole, rig.samples(COUNT)), before(whole)
    one = channels(whole, solved, start)[0]
    other = channels(whole, solved, {path: -values for path, values in start.items()})[0]
    for first, second in zip(one, other, strict=True):
        np.testing.assert_array_equal(first.values, -second.values)


@pytest.mark.parametrize("twist", [0.0, 0.4])
def test_a_posed_twist_bone_between_takes_part(twist: float) -> None:
    rig = arm()
    rig.add("twist", "upper", length=0.4)
    rig.add("fore", "twist", rotation=about("X", -0.6), length=0.7)
    rig.basis["twist"] = basis(location=(0.0, 0.1, 0.0), rotation=about("Y", twist))
    baked(rig, (rig.chain("upper", "twist", "fore", target=Point("Target")),))
    misses = np.linalg.norm(tails(rig, "fore") - goal(rig), axis=-1)
    assert misses.max() < 1e-9


def test_a_tip_bone_takes_the_orientation_of_its_target() -> None:
    rig = arm()
    turns = [about("X", angle) @ about("Y", 0.3) for angle in TURN]
    rig.objects["Target"] = np.array([matrix(place, turn) for place, turn in zip(goal(rig), turns, strict=True)])
    baked(rig, (rig.chain("upper", "lower", below=("hand",), target=Point("Target"), use_rotation=True),))
    np.testing.assert_allclose(heads(rig, "hand"), goal(rig), atol=1e-9)
    for row, turn in enumerate(turns):
        np.testing.assert_allclose(rig.to_world("hand", row)[:3, :3], turn, atol=1e-9)


def test_chains_side_by_side_are_solved_as_alone() -> None:
    rig = arm()
    rig.add("upper.R", "spine", rotation=about("X", 0.3), length=0.9)
    rig.add("lower.R", "upper.R", rotation=about("X", -0.4), length=0.9)
    rig.objects["Other"] = path_of(-CIRCLE)
    left = rig.chain("upper", "lower", target=Point("Target"))
    right = rig.chain("upper.R", "lower.R", target=Point("Other"))
    together, samples = plan((left, right), count=COUNT), rig.samples(COUNT)
    both = one_by_one(together, solve_groups(together, samples))
    assert len(solve_groups(together, samples)) == 1
    for chain, solved in zip((left, right), both, strict=True):
        (alone,) = solve_groups(plan((chain,), count=COUNT), samples)
        np.testing.assert_array_equal(solved.solution.rotations, alone.solution.rotations)


def two_arms(*between: str) -> tuple[PlainRig, tuple[ChainPlan, ...], tuple[ChainPlan, ...]]:
    """The target of the second arm is an object that hangs on the first arm, by bones `between`."""
    rig = arm()
    rig.add("upper.R", head=(0.5, 0.0, 0.2), rotation=about("X", 0.3), length=1.2)
    rig.add("lower.R", "upper.R", rotation=about("X", -0.4), length=1.2)
    rig.basis["hand"] = basis(rotation=about("Z", 0.5))
    local = matrix((0.1, 0.2, 0.0))
    nearest = between[0] if between else "lower"
    rig.objects["Carried"] = np.array([rig.to_world(nearest, row) @ local for row in range(COUNT)])
    bones = tuple(rig.bones[name] for name in (*between, "lower"))
    dependents = {Point("Carried"): bones, **({Point(RIG, nearest): bones} if between else {})}
    first = rig.chain("upper", "lower", target=Point("Target"), dependents=dependents)
    second = rig.chain("upper.R", "lower.R", target=Point("Carried"))
    return rig, (first,), (second,)


@pytest.mark.parametrize("between", [(), ("hand",)], ids=["on the end bone", "on a bone below"])
def test_a_chain_reaches_for_what_another_moves(between: tuple[str, ...]) -> None:
    rig, *ranks = two_arms(*between)
    baked(rig, *ranks)
    nearest = between[0] if between else "lower"
    carried = [(rig.to_world(nearest, row) @ (0.1, 0.2, 0.0, 1.0))[:3] for row in range(COUNT)]
    assert np.ptp(carried, axis=0).max() > 1.0, "the first arm takes it along"
    np.testing.assert_allclose(tails(rig, "lower.R"), carried, atol=1e-9)


def test_a_chain_moves_nothing_on_frames_that_it_skips() -> None:
    rig, (first,), second = two_arms()
    skips = {"options": Options(unreachable=Unreachable.SKIP), "dependents": first.dependents}
    first = rig.chain("upper", "lower", target=Point("Target"), **skips)
    far = np.arange(COUNT) % 3 == 0
    rig.objects["Target"] = path_of(np.where(far[:, None], 50.0, goal(rig)))
    whole, stood = plan((first,), second, count=COUNT), rig.objects["Carried"]
    _, other = solve_groups(whole, rig.samples(COUNT))
    moved = np.abs(other.samples.to_world["Carried"] - stood).max(axis=(1, 2)) > 1e-6
    np.testing.assert_array_equal(moved, ~far)


@pytest.mark.parametrize("scale", [(1.0, 1.6, 1.0), (1.4, 1.0, 0.8)])
@pytest.mark.parametrize("reference", [Reference.REST, Reference.POSE])
@pytest.mark.parametrize(("sheared", "close"), [("upper", 1e-6), ("lower", 1e-5)])
def test_where_an_uneven_scale_shears_bones_tips_arrive(
    sheared: str, close: float, scale: tuple, reference: Reference
) -> None:
    """By that of the parent or of the root bone."""
    rig = arm(scale if sheared == "upper" else (1, 1, 1))
    rig.basis["upper"] = basis(scale=scale if sheared == "lower" else (1, 1, 1))
    chain = rig.chain("upper", "lower", target=Point("Target"), options=Options(reference=reference, tolerance=1e-6))
    baked(rig, (chain,))
    assert np.linalg.norm(tails(rig, "lower") - goal(rig), axis=-1).max() < close


def test_the_solution_of_a_sheared_chain_has_its_posed_joints() -> None:
    rig = arm((1.0, 1.5, 0.8))
    rig.basis["upper"] = basis(scale=(1.2, 0.9, 1.0))
    whole = baked(rig, (rig.chain("upper", "lower", target=Point("Target")),))
    (solved,) = solve_groups(whole, rig.samples(COUNT))
    joints = solved.solution.joints[:, 0]
    to_world = np.broadcast_to(solved.group.to_world[:, 0], (COUNT, 4, 4))
    world = np.einsum("nij,nkj->nki", to_world[:, :3, :3], joints) + to_world[:, None, :3, 3]
    np.testing.assert_allclose(world[:, 1], heads(rig, "lower"), atol=1e-9)
    np.testing.assert_allclose(world[:, 2], tails(rig, "lower"), atol=1e-9)


def test_a_chain_that_stretches_arrives_by_its_keyed_scale() -> None:
    rig = arm()
    rig.bones["lower"] = replace(rig.bones["lower"], inherit_scale="NONE")
    rig.objects["Target"] = path_of(2.5 * CIRCLE + rig.to_world("upper", 0)[:3, 3])
    options = Options(unreachable=Unreachable.STRETCH, max_stretch=10.0)
    whole = plan((rig.chain("upper", "lower", target=Point("Target"), options=options),), count=COUNT)
    (keys,) = channels(whole, solve_groups(whole, rig.samples(COUNT)), before(whole))
    rig.play(keys)
    scales = [channel.values for channel in keys if channel.path.endswith(".scale")]
    assert len(scales) == 2
    assert np.max(scales) > 1.3
    for row in range(COUNT):
        upper, own = rig.to_world("upper", row), at(rig.basis["lower"].matrix, row)
        lower = upper @ rig.bones["lower"].offset @ own
        # Inherit Scale None: of the parent's scale no more than where it takes the head.
        unscaled = upper[:3, :3] / np.linalg.norm(upper[:3, :3], axis=0)
        way = unscaled @ rig.bones["lower"].offset[:3, :3] @ own[:3, :3] @ (0.0, 0.8, 0.0)
        np.testing.assert_allclose(lower[:3, 3] + way, goal(rig)[row], atol=1e-9)


def test_twist_bones_show_the_least_wound_twist() -> None:
    """To single precision, and of bones with one twist alone: others are posed by hand."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        twist, parts = rng.uniform(-2 * pi, 2 * pi), rng.choice((-1.0, 1.0)) * rng.uniform(0.05, 0.5, 2)
        angles = (twist * parts + pi) % (2 * pi) - pi + rng.normal(scale=1e-7, size=2)
        assert explaining(angles, parts) == pytest.approx(twist, abs=1e-5)
        assert explaining(np.zeros(2), parts) == 0.0
        assert explaining(np.add(angles, (0.0, 0.01)), parts) == 0.0
    assert explaining(np.empty(0), np.empty(0)) == 0.0

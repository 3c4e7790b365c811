"""The way back: from a motion to target and pole, whatever they are parented to, and from these to the motion."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from two_bone_ik.skeleton.target_channels import KeyedTarget, WorldTransform, target_channels
from two_bone_ik.skeleton.targets_from_pose import targets_from_pose
from two_bone_ik.skeleton.transform import Basis
from two_bone_ik.skeleton.values import Point, Samples

from solver import Chain, Goals, Options, Plane, Reference, reach, solve, targets
from support.limbs import LEG, STRAIGHT, limb, random_limb, random_pose, total_length
from support.oracles import random_rotation, rotation_about
from support.plain_rig import RIG, PlainRig, about, at, basis, matrix, path_of, plan, rotation_of

TIME = np.linspace(0, 1, 300)
CLOSE = 1e-5
"""Part of the chain's length: what a round trip may cost."""


def joints(chain: Chain, pose: np.ndarray) -> np.ndarray:
    """(n, 2, 3) mid and tip."""
    return np.cumsum((pose @ np.diff(chain.joints, axis=0)[..., None])[..., 0], axis=1)


def back(chain: Chain, goals: Goals, **options: object) -> np.ndarray:
    return solve(chain, Goals(target=goals.target, pole=goals.pole), Options(**options)).rotations


def swung(chain: Chain, bends: np.ndarray) -> np.ndarray:
    """(n, 2, 3, 3) a limb that swings and twists while its hinge opens to angles `bends`."""
    first, second = np.diff(chain.joints, axis=0)
    axis = np.cross(first, second)
    axis = axis if axis.any() else chain.hinge_axis
    rest = np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second)
    turns = np.linspace(0, 1, len(bends))
    roots = [rotation_about((1, 2, 0), 2 * turn) @ rotation_about(first, np.sin(5 * turn)) for turn in turns]
    return np.array([(root, root @ rotation_about(axis, b - rest)) for root, b in zip(roots, bends, strict=True)])


def test_any_pose_comes_back() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        chain = random_limb(rng)
        pose = random_pose(rng, 50)
        goals = targets.from_pose(chain, pose, 2.0)
        found = back(chain, goals)
        np.testing.assert_allclose(joints(chain, found), joints(chain, pose), atol=CLOSE * total_length(chain))


@pytest.mark.parametrize("chain", [LEG, STRAIGHT, limb((1, 0, 0), (1.2, 0.9, 0.1))])
@pytest.mark.parametrize("most", [1.5, 0.01, 1e-4, 0.0])
def test_a_motion_that_straightens_comes_back_with_its_twist(chain: Chain, most: float) -> None:
    """A straight limb tells no side, but its twist is carried by the pole all the same."""
    pose = swung(chain, most * np.maximum(0, np.sin(9 * TIME)))
    goals = targets.from_pose(chain, pose, 1.0)
    np.testing.assert_allclose(back(chain, goals), pose, atol=1e-6)
    assert np.linalg.norm(np.diff(goals.pole, axis=0), axis=-1).max() < 0.1, "and the pole goes smoothly"


def test_rounding_of_a_straight_limb_does_not_jitter_its_pole() -> None:
    rng = np.random.default_rng(2)
    bends = np.where(TIME < 0.3, 1.5 * (0.3 - TIME), 0) + 1e-6 * rng.normal(size=len(TIME))
    pose = swung(LEG, bends)
    goals = targets.from_pose(LEG, pose, 1.0)
    assert np.linalg.norm(np.diff(goals.pole, axis=0), axis=-1).max() < 0.1
    found = joints(LEG, back(LEG, goals))
    np.testing.assert_allclose(found, joints(LEG, pose), atol=CLOSE * total_length(LEG))


def test_bent_the_wrong_way_it_keeps_that_side_while_straight() -> None:
    """A knee that is keyed hyperextended does not send its pole to the other side as it straightens."""
    pose = swung(LEG, -0.5 * np.maximum(0, np.sin(9 * TIME)))
    goals = targets.from_pose(LEG, pose, 1.0)
    assert np.linalg.norm(np.diff(goals.pole, axis=0), axis=-1).max() < 0.1
    found = joints(LEG, back(LEG, goals))
    np.testing.assert_allclose(found, joints(LEG, pose), atol=CLOSE * total_length(LEG))


def test_a_looser_tolerance_steadies_the_pole_of_a_shaky_limb() -> None:
    rng = np.random.default_rng(3)
    pose = swung(LEG, 1e-3 * rng.normal(size=len(TIME)))
    steps = [
        np.linalg.norm(np.diff(targets.from_pose(LEG, pose, 1.0, tolerance=tolerance).pole, axis=0), axis=-1).max()
        for tolerance in (3e-6, 1e-2)
    ]
    assert steps[0] > 1 > 0.2 > steps[1]


@pytest.mark.parametrize("angle", [0.5, -2.0])
def test_a_pole_angle_is_taken_into_account(angle: float) -> None:
    pose = swung(LEG, 1 + 0.5 * np.sin(9 * TIME))
    goals = targets.from_pose(LEG, pose, 1.0, pole_angle=angle)
    np.testing.assert_allclose(back(LEG, goals, pole_angle=angle), pose, atol=1e-9)


def test_the_pole_stands_at_the_given_distance_from_the_line() -> None:
    pose = swung(LEG, 1 + 0.5 * np.sin(9 * TIME))
    distance = np.linspace(1, 2, len(TIME))
    goals = targets.from_pose(LEG, pose, distance)
    aim = goals.target / np.linalg.norm(goals.target, axis=-1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(np.cross(goals.pole, aim), axis=-1), distance, atol=1e-12)
    np.testing.assert_allclose(goals.target, joints(LEG, pose)[:, 1], atol=1e-12)


def test_with_the_own_pose_as_reference_nothing_moves_at_all() -> None:
    rng = np.random.default_rng(4)
    chain, pose = random_limb(rng), random_pose(rng, 50)
    solution = solve(chain, targets.from_pose(chain, pose, 1.0), Options(reference=Reference.POSE, plane=Plane.POLE))
    np.testing.assert_allclose(solution.rotations, pose, atol=1e-6)


def test_a_straight_limbs_pole_lies_where_its_hinge_bends() -> None:
    goals = targets.from_pose(STRAIGHT, np.broadcast_to(np.eye(3), (1, 2, 3, 3)), 1.0)
    np.testing.assert_allclose(goals.pole, ((0, 1, -1),), atol=1e-12)


@pytest.mark.parametrize("softness", [0.02, 0.3, 1.0])
def test_a_target_put_ahead_is_followed_to_where_the_tip_is(softness: float) -> None:
    """Up to where a target at full reach is followed to: that falls short by softness / e of it."""
    outer = 1.8
    reached = np.linspace(0.0, outer * (1 - softness / np.e), 200)
    ahead = targets.target_beyond_tip(np.multiply.outer(reached, (0.6, 0.0, 0.8)), outer, softness)
    distance = np.linalg.norm(ahead, axis=-1)
    np.testing.assert_allclose(reach.soft_reach(distance, outer, softness), reached, atol=1e-14)
    assert distance.max() <= outer + 1e-14
    beyond = targets.target_beyond_tip(np.array([(0.0, 0.0, 0.999 * outer)]), outer, softness)
    np.testing.assert_allclose(beyond, ((0, 0, outer),), atol=1e-14)


def test_a_straight_chain_stays_straight_despite_rounding() -> None:
    rng = np.random.default_rng(5)
    pose = swung(STRAIGHT, np.zeros(len(TIME)))
    goals = targets.from_pose(STRAIGHT, pose, 1.0)
    ahead = targets.target_beyond_tip(goals.target, total_length(STRAIGHT), 0.0, resolution=1e-7)
    rounded = ahead + 1e-7 / 3**0.5 * rng.uniform(-1, 1, ahead.shape)
    found = back(STRAIGHT, Goals(target=rounded, pole=goals.pole))
    np.testing.assert_allclose(joints(STRAIGHT, found), joints(STRAIGHT, pose), atol=3e-7)


COUNT = 9
RNG = np.random.default_rng(3)
TURN = np.linspace(0.0, pi, COUNT)


def posed_arm(scale: tuple[float, ...] = (1, 1, 1)) -> PlainRig:
    """An arm whose bones turn; the lower one about its hinge alone, as the chain can follow."""
    rig = PlainRig()
    rig.add("spine", head=(0.1, 0.0, 0.2))
    rig.basis["spine"] = basis(rotation=about("Z", 0.3), scale=scale)
    rig.add("upper", "spine", rotation=about("X", 0.2))
    rig.add("lower", "upper", rotation=about("X", -0.5), length=0.8)
    turns = np.array([about("Z", angle) @ about("Y", 0.3 * angle) for angle in TURN])
    bends = np.array([about("X", -0.3 - 0.3 * angle) for angle in TURN])
    rig.basis["upper"], rig.basis["lower"] = (
        Basis(location=np.zeros((1, 3)), rotation=each, scale=np.ones((1, 3))) for each in (turns, bends)
    )
    rig.objects["Target"], rig.objects["Pole"] = path_of([(0, 0, 0)]), path_of([(1, 1, 1)])
    return rig


@pytest.mark.parametrize("pole", [None, Point("Pole")], ids=["no pole", "pole"])
def test_targets_at_the_tips_keep_the_pose(pole: Point | None) -> None:
    rig = posed_arm()
    chain = rig.chain("upper", "lower", target=Point("Target"), pole=Point("Pole"))
    (found,) = targets_from_pose(plan((chain,), count=COUNT), rig.samples(COUNT))
    tips = [(rig.to_world("lower", row) @ (0.0, 0.8, 0.0, 1.0))[:3] for row in range(COUNT)]
    np.testing.assert_allclose(found.target, tips, atol=1e-6)
    assert found.moved.max() < 1e-6
    assert not found.joints_moved.any()


def test_a_pose_out_of_the_rest_plane_is_told_without_a_pole() -> None:
    rig = posed_arm()
    chain = rig.chain("upper", "lower", target=Point("Target"))
    (found,) = targets_from_pose(plan((chain,), count=COUNT), rig.samples(COUNT))
    assert found.joints_moved.any()


def keyed(name: str, parents: tuple[Point, ...], rig: PlainRig | None = None, **fields: object) -> KeyedTarget:
    """An object, or a bone of the rig, that nothing is added to and that has no keys."""
    defaults = {
        "parents": parents,
        "bone": rig.bones[name] if rig else None,
        "group": name,
        "location_path": f"{name}.location",
        "rotation_path": f"{name}.rotation",
        "rotation_mode": "QUATERNION",
        "delta_location": np.zeros(3),
        "delta_rotation": np.eye(3),
        "before": np.array((1.0, 0.0, 0.0, 0.0)),
    }
    return KeyedTarget(**{**defaults, **fields})


def wanted() -> WorldTransform:
    return WorldTransform(
        location=RNG.normal(size=(COUNT, 3)), orientation=np.array([random_rotation(RNG) for _ in range(COUNT)])
    )


def moving() -> np.ndarray:
    """(n, 4, 4) any transforms, scaled evenly."""
    return np.array([matrix(RNG.normal(size=3), random_rotation(RNG), (1.3, 1.3, 1.3)) for _ in range(COUNT)])


def objects(parent: np.ndarray, **children: np.ndarray) -> Samples:
    """Of a parent, and children with these bases (n, 4, 4) on it."""
    bases = {Point(name): Basis.of(each, np.linalg.norm(each[:, :3, :3], axis=1)) for name, each in children.items()}
    worlds = {name: parent @ each for name, each in children.items()}
    return Samples(to_world={"Parent": parent, **worlds}, pose={}, basis=bases)


def played(location: np.ndarray, rotation: np.ndarray, mode: str = "QUATERNION") -> np.ndarray:
    rotations = [rotation_of(values, mode) for values in rotation]
    return np.array([matrix(*parts) for parts in zip(location, rotations, strict=True)])


@pytest.mark.parametrize("delta", [False, True])
@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XZY"])
def test_an_object_on_a_moving_parent_gets_where_it_shall(mode: str, delta: bool) -> None:
    """Blender adds the delta transform."""
    parent, transform, point = moving(), wanted(), Point("Target")
    shift, turn = delta * np.array((0.1, -0.4, 2.0)), about("Y", 0.7 * delta)
    samples = objects(parent, Target=path_of([(0, 0, 0)]))
    start = np.zeros(4 if mode == "AXIS_ANGLE" else 3) if mode != "QUATERNION" else np.array((1.0, 0, 0, 0))
    fields = {"rotation_mode": mode, "before": start, "delta_location": shift, "delta_rotation": turn}
    target = keyed("Target", (point, Point("Parent")), **fields)
    found = target_channels(plan((), count=COUNT), {point: transform}, samples, {point: target})
    location, rotation = (channel.values for channel in found["Target"])
    own = played(location + shift, rotation, mode)
    own[:, :3, :3] = turn @ own[:, :3, :3]
    world = parent @ own
    np.testing.assert_allclose(world[:, :3, 3], transform.location, atol=1e-9)
    np.testing.assert_allclose(world[:, :3, :3] / 1.3, transform.orientation, atol=1e-9)


def test_a_pole_on_its_target_is_put_from_where_that_will_be() -> None:
    parent, foot, pole = moving(), Point("Foot"), Point("Pole")
    samples = objects(parent, Foot=moving())
    on_foot = path_of([(0, 1, 0)])
    samples.to_world["Pole"] = samples.to_world["Foot"] @ on_foot
    samples.basis[pole] = Basis.of(on_foot, np.ones((1, 3)))
    transforms = {pole: WorldTransform(location=RNG.normal(size=(COUNT, 3))), foot: wanted()}
    targets = {foot: keyed("Foot", (foot, Point("Parent"))), pole: keyed("Pole", (pole, foot, Point("Parent")))}
    found = target_channels(plan((), count=COUNT), transforms, samples, targets)
    scale = samples.basis[foot].scale
    own = played(*(channel.values for channel in found["Foot"]))
    own[:, :3, :3] *= scale[:, None, :]
    (location,) = (channel.values for channel in found["Pole"])
    world = parent @ own @ np.array([matrix(place) for place in location])
    np.testing.assert_allclose(world[:, :3, 3], transforms[pole].location, atol=1e-9)


def test_a_bone_of_a_moving_armature_gets_where_it_shall() -> None:
    rig, transform = PlainRig(), wanted()
    rig.add("spine", head=(0.1, 0.0, 0.2))
    rig.add("control", "spine", head=(0.5, 0.2, 0.0), rotation=about("Y", 0.4))
    rig.basis["spine"] = basis(rotation=about("X", 0.3), scale=(1.2, 1.2, 1.2))
    rig.objects[RIG] = moving()
    point = Point(RIG, "control")
    target = keyed("control", (point, Point(RIG, "spine"), Point(RIG)), rig)
    found = target_channels(plan((), count=COUNT), {point: transform}, rig.samples(COUNT), {point: target})
    location, rotation = (channel.values for channel in found[RIG])
    for row, local in enumerate(played(location, rotation)):
        world = at(rig.objects[RIG], row) @ rig.pose("spine", row) @ rig.bones["control"].offset @ local
        np.testing.assert_allclose(world[:3, 3], transform.location[row], atol=1e-9)
        np.testing.assert_allclose(world[:3, :3] / (1.3 * 1.2), transform.orientation[row], atol=1e-9)

"""Targets from poses on a plain rig: where they are put keeps the pose, whatever they are parented to."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from two_bone_ik.skeleton.target_channels import KeyedTarget, WorldTransform, target_channels
from two_bone_ik.skeleton.targets_from_pose import targets_from_pose
from two_bone_ik.skeleton.transform import Basis
from two_bone_ik.skeleton.values import Point, Samples

from support.oracles import random_rotation
from support.plain_rig import RIG, PlainRig, about, at, basis, matrix, path_of, plan, rotation_of

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


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XZY"])
def test_an_object_on_a_moving_parent_gets_where_it_shall(mode: str) -> None:
    parent, transform, point = moving(), wanted(), Point("Target")
    samples = objects(parent, Target=path_of([(0, 0, 0)]))
    start = np.zeros(4 if mode == "AXIS_ANGLE" else 3) if mode != "QUATERNION" else np.array((1.0, 0, 0, 0))
    target = keyed("Target", (point, Point("Parent")), rotation_mode=mode, before=start)
    found = target_channels(plan((), count=COUNT), {point: transform}, samples, {point: target})
    location, rotation = (channel.values for channel in found["Target"])
    world = parent @ played(location, rotation, mode)
    np.testing.assert_allclose(world[:, :3, 3], transform.location, atol=1e-9)
    np.testing.assert_allclose(world[:, :3, :3] / 1.3, transform.orientation, atol=1e-9)


def test_a_delta_transform_is_left_to_blender() -> None:
    parent, transform, point = moving(), wanted(), Point("Target")
    shift, turn = np.array((0.1, -0.4, 2.0)), about("Y", 0.7)
    samples = objects(parent, Target=path_of([(0, 0, 0)]))
    target = keyed("Target", (point,), delta_location=shift, delta_rotation=turn)
    found = target_channels(plan((), count=COUNT), {point: transform}, samples, {point: target})
    location, rotation = (channel.values for channel in found["Target"])
    own = np.array(
        [matrix(a + shift, turn @ rotation_of(b, "QUATERNION")) for a, b in zip(location, rotation, strict=True)]
    )
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

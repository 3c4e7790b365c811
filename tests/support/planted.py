"""Captures that are planted and posed, and what they are judged by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solver import Chain, Goals, Options, Plane, Reference, solve
from solver.feet.contacts import on_ground
from solver.feet.hips import fit, found_ratio
from solver.feet.plant import Legs, PlantedLegs, PlantOptions, plant
from solver.feet.statistics import slide

from .footsteps import CLEARANCE, LENGTHS, Capture

UP = np.array((0.0, 0.0, 1.0))

ANKLE = np.array((0.0, 0.0, 0.09))
"""An ankle above the ground, from which hips are scaled."""


def captured_legs(take: Capture, longer: float = 1.0) -> Legs:
    """Legs so much longer than those of the footsteps."""
    return Legs(
        hips=take.hips.mean(axis=1),
        roots=take.hips,
        tips=take.ankles,
        points=take.points,
        lengths=np.full(2, longer * LENGTHS.sum()),
        rate=take.rate,
        up=UP,
        feet=take.feet,
        against=np.zeros(take.hips.shape[:2], dtype=bool),
    )


def hips_ratio(legs: Legs) -> float:
    """By how much the motion of their hips is to be scaled, as Plant finds it."""
    return found_ratio(legs.hips, legs.points, legs.rate, float(legs.lengths.mean()), UP)


def planted(
    take: Capture,
    longer: float = 1.0,
    *,
    ratio: float | None = None,
    origin: np.ndarray | float = 0.0,
    **options: object,
) -> tuple[PlantedLegs, Capture]:
    """What `plant` says of legs so much longer than those of the footsteps, and the legs posed so by the solver.

    ratio, origin : by how much the motion of the hips is scaled, and from where; None: as Plant finds it
    """
    legs = captured_legs(take, longer)
    shift = fit(legs.hips, hips_ratio(legs) if ratio is None else ratio, origin)
    result = plant(legs.moved(shift), PlantOptions(**options))
    turned = replace(take, feet=result.turns @ take.feet)
    return result, posed(turned, shift - result.lowering[:, None] * UP, result.tips, result.softness)


def posed(take: Capture, hips: np.ndarray, tips: np.ndarray, softness: np.ndarray | float = 0.0) -> Capture:
    """The legs with their hips moved by (n, 3) and their tips at (n, 2, 3), in the planes of the capture."""
    roots, joints, softness = take.hips + hips[:, None], [], np.broadcast_to(softness, take.hips.shape[:2])
    for foot in (0, 1):
        captured = np.stack((take.hips, take.knees, take.ankles), axis=2)[:, foot]
        chain = Chain(joints=captured - captured[:, :1], hinge_axis=np.array((1.0, 0.0, 0.0)))
        pose = np.broadcast_to(np.eye(3), (len(captured), 2, 3, 3))
        options = Options(reference=Reference.POSE, plane=Plane.AIM, softness=softness[:, foot])
        solution = solve(chain, Goals(target=tips[:, foot] - roots[:, foot], pose=pose), options)
        joints.append(solution.joints + roots[:, foot, None])
    _, knees, ankles = np.moveaxis(np.stack(joints, axis=1), 2, 0)
    return replace(take, hips=roots, knees=knees, ankles=ankles)


def ground_velocity(take: Capture, result: PlantedLegs) -> np.ndarray:
    """(3,) that by which feet slide. The drift of a capture over ground that moves is a drift of the ground."""
    return result.velocity if take.ground_velocity.any() else take.ground_velocity


def slid(take: Capture, velocity: np.ndarray) -> np.ndarray:
    """(k,) metres a frame, on all frames on which a foot is known to stand."""
    distances = slide(on_ground(take.points, take.rate, velocity), take.touches)
    return distances[np.isfinite(distances)]


def f1(one: np.ndarray, other: np.ndarray) -> float:
    """How well two labels of the same frames agree: 1 where they are the same."""
    return 2 * np.count_nonzero(one & other) / (np.count_nonzero(one) + np.count_nonzero(other))


def most_acceleration(points: np.ndarray, rate: float) -> float:
    """The greatest of all points, in metres a second squared."""
    return np.linalg.norm(np.diff(points, 2, axis=0), axis=-1).max() * rate**2


def stair_level(take: Capture, ratio: float) -> np.ndarray:
    """Of a stair that is as much smaller as the legs; the feet are not."""
    return ratio * (take.floor - CLEARANCE) + CLEARANCE

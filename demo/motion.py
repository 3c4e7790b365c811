"""A walk cycle for the human metarig: the places of ankles, wrists, pelvis and spine on each frame.

Lengths are metres and fit the metarig, which faces -y. The path runs along that axis of the armature object.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

CYCLE = 32
"""Frames for two steps."""
STRIDE = 1.1
"""How far two steps go."""
STANCE = 0.6
"""Part of the cycle for which a foot is on the ground."""
REACH_FRAMES = (170, 230)
"""The left hand goes for a branch that is too high for it."""


@dataclass(frozen=True)
class Foot:
    """forward: ankle's distance from its start; height: above its place on the ground; pitch: radians, toes down."""

    forward: float
    height: float
    pitch: float


def travelled(frame: float) -> float:
    """The distance that the body has gone."""
    return STRIDE * frame / CYCLE


def foot(frame: float, side: int) -> Foot:
    """The foot on this frame; side is +1 left, -1 right."""
    cycles = frame / CYCLE + (0.5 if side < 0 else 0.0)
    step, phase = divmod(cycles, 1.0)
    # The ankle passes below the pelvis in the middle of the stance.
    planted = STRIDE * (step + STANCE / 2.0 - (0.5 if side < 0 else 0.0))
    if phase < STANCE:
        lift = max(0.0, (phase / STANCE - 0.6) / 0.4)
        return Foot(planted + 0.04 * lift**2, 0.07 * lift**2, 0.55 * lift**2)
    swing = (phase - STANCE) / (1.0 - STANCE)
    ease = swing * swing * (3.0 - 2.0 * swing)
    return Foot(
        planted + 0.04 + (STRIDE - 0.04) * ease,
        0.07 * (1.0 - ease) + 0.1 * sin(pi * swing) ** 2,
        0.55 * (1.0 - swing) ** 2 - 0.35 * sin(pi * swing) ** 2,
    )


def wrist(frame: float, side: int) -> tuple[float, float, float]:
    """Sideways, forward and up, from below the pelvis. The arm swings against the leg of the same side."""
    angle = 2.0 * pi * (frame / CYCLE) + (pi if side < 0 else 0.0)
    swing = cos(angle)
    place = (side * (0.27 - 0.03 * swing), -0.02 - 0.2 * swing, 1.03 + 0.06 * swing**2)
    if side < 0:
        return place
    start, end = REACH_FRAMES
    part = min(max((frame - start) / (end - start), 0.0), 1.0)
    weight = sin(pi * part) ** 2
    branch = (0.25, 0.35, 2.25)
    return tuple(own + weight * (far - own) for own, far in zip(place, branch, strict=True))


def pelvis(frame: float) -> tuple[float, float, float]:
    """Sideways, forward and up, from its rest place: over the planted foot, lowest when both feet are on the ground."""
    angle = 2.0 * pi * frame / CYCLE
    return 0.025 * sin(angle), 0.0, -0.05 - 0.015 * cos(2.0 * angle)


def turns(frame: float) -> dict[str, tuple[float, float, float]]:
    """Euler angles, radians, of the spine's bones: hips turn with the step, the chest against it, the head stays."""
    angle = 2.0 * pi * frame / CYCLE
    return {
        "spine": (0.03, 0.12 * cos(angle), 0.04 * sin(angle)),
        "spine.002": (0.02, -0.1 * cos(angle), -0.03 * sin(angle)),
        "spine.003": (0.02, -0.12 * cos(angle), -0.02 * sin(angle)),
    }

"""All that crosses the seam between Blender and the solver: plain arrays and the words for them.

Everything is given in *chain space*: the root joint is the origin, and the axes are those of the root bone at rest,
carried along by its parent. There a rotation of the root bone is a rotation about the origin, whatever the parent, the
armature or their scales do. Arrays are float64; `n` counts frames, and every array may also be given once for all of
them. Chains with the same options may lie side by side, on axes behind `n`. The values of the enumerations are the
identifiers that Blender saves, setup files hold and reports print.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from math import isfinite, pi

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMALLEST, LARGEST = 1e-60, 1e60
"""What is smaller counts as 0, what is larger is refused; between them no fourth power of a length is lost."""


class Status(IntEnum):
    """Where a target lies: within reach, or beyond it on either side."""

    REACHED = 0
    TOO_FAR = 1
    TOO_CLOSE = 2


class Plane(StrEnum):
    """Where the plane in which the chain bends comes from."""

    AUTO = "AUTO"
    POLE = "POLE"
    AIM = "AIM"
    REST = "REST"


class Bend(StrEnum):
    """Which of the two solutions."""

    REST = "REST"
    POSITIVE = "POSITIVE"
    NEGATIVE = "NEGATIVE"
    NEAREST = "NEAREST"
    LIMITS = "LIMITS"


class Unreachable(StrEnum):
    """What the chain does where it cannot reach the target. SKIP and ERROR are the caller's: solved as CLAMP."""

    CLAMP = "CLAMP"
    STRETCH = "STRETCH"
    HOLD = "HOLD"
    SKIP = "SKIP"
    ERROR = "ERROR"


class Reference(StrEnum):
    """The pose from which the bones' orientations are carried."""

    REST = "REST"
    POSE = "POSE"


class HingeAxis(StrEnum):
    """The end bone's own axis about which the chain bends; AUTO takes the bend of the rest pose."""

    AUTO = "AUTO"
    X = "X"
    Z = "Z"
    NEG_X = "NEG_X"
    NEG_Z = "NEG_Z"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chain:
    """The two bones before the solve, in chain space.

    joints : (..., 3, 3)      root, mid and tip with the bones oriented as at rest; the root is the origin
    hinge_axis : (..., 3)     the axis to bend about, and with it the side that counts as positive
    use_hinge_axis : bool     True: bend about `hinge_axis`; False: only where the rest chain is straight
    """

    joints: Array
    hinge_axis: Array
    use_hinge_axis: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Goals:
    """What each frame asks for, in chain space.

    target : (n, 3)
    pole : (n, 3) or None           a point on the side to which the mid joint bends
    pose : (n, 2, 3, 3) or None     rotations from rest of root and end bone in the chain's own pose, before the solve
    """

    target: Array
    pole: Array | None = None
    pose: Array | None = None


_TURN = pi + 1e-6
"""Half a turn: Blender keeps pi in single precision, which is a little more."""

_RANGES = {
    "pole_angle": (-np.inf, np.inf),
    "pole_influence": (0.0, 1.0),
    "softness": (0.0, 1.0),
    "max_stretch": (1.0, LARGEST),
    "bend_min": (-_TURN, _TURN),
    "bend_max": (-_TURN, _TURN),
    "influence": (0.0, 1.0),
    "speed_cost": (0.0, LARGEST),
    "tolerance": (0.0, LARGEST),
}
"""From where to where each number of `Options` may go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The user's choices; the names are those of the chain's properties. Angles are in radians.

    pole_influence, influence : 0 to 1
    softness : 0 to 1               part of the full reach over which the chain eases into it; 1 is all of it
    max_stretch : >= 1
    bend_min, bend_max : -pi to pi  limits of the hinge angle; a side that they leave nothing of is not bent to
    speed_cost : >= 0               for bend NEAREST: what a radian a frame costs on top of the way it goes
    tolerance : >= 0                part of the chain's length by which a target may lie out of reach and still count as
                                    reached; Blender's float32 matrices ask for 1e-6
    raises : ValueError for anything else, in one sentence
    """

    plane: Plane = Plane.AUTO
    reference: Reference = Reference.REST
    bend: Bend = Bend.REST
    unreachable: Unreachable = Unreachable.CLAMP
    pole_angle: float = 0.0
    pole_influence: float = 1.0
    softness: float = 0.0
    max_stretch: float = 2.0
    use_extension_limit: bool = False
    bend_min: float = -pi
    bend_max: float = pi
    influence: float = 1.0
    speed_cost: float = 0.0
    tolerance: float = 1e-12

    def __post_init__(self) -> None:
        Plane(self.plane), Reference(self.reference), Bend(self.bend), Unreachable(self.unreachable)
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not (isfinite(value) and low <= value <= high):
                raise ValueError(f"{name} must be finite and from {low:.6g} to {high:.6g}, but is {value:.6g}")
        if self.bend_min > self.bend_max:
            raise ValueError(f"bend_min {self.bend_min:.6g} must not be greater than bend_max {self.bend_max:.6g}")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Solution:
    """The solved chain on every frame, in chain space.

    rotations : (n, 2, 3, 3)    of root and end bone, from their rest orientations
    joints : (n, 3, 3)          root, mid and tip
    hinge : (n, 3)              unit hinge axis, normal to the plane of the chain
    hinge_angle : (n,)          signed angle about it; zero is straight
    stretch : (n,)              factor on both lengths
    status : (n,) uint8         a `Status` each; what softness and influence leave open counts as reached
    degenerate : (n,) bool      True where a direction was left open: target on the root, or a bone without length
    reach : (n, 2)              the least and the greatest distance from the root at which a target is within reach,
                                with limits and with stretch
    shortfall : (n,)            how far beyond that it lies; 0 within reach
    target : (n, 3)             what was asked for
    """

    rotations: Array
    joints: Array
    hinge: Array
    hinge_angle: Array
    stretch: Array
    status: NDArray[np.uint8]
    degenerate: NDArray[np.bool_]
    reach: Array
    shortfall: Array
    target: Array

    @property
    def miss(self) -> Array:
        """(n, 3) from the tip to the target."""
        return self.target - self.joints[..., 2, :]

    @property
    def sin_hinge(self) -> Array:
        """(n,) closeness to singular: |sin| of the hinge angle is 0 when straight or folded, 1 at a right angle."""
        return np.abs(np.sin(self.hinge_angle))

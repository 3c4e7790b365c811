"""The data that pass between Blender and the solver: plain arrays, and the words for the user's choices.

Everything is given in *chain space*: the root joint is the origin, and the axes are those of the root bone at rest,
which move with its parent. There a rotation of the root bone is a rotation about the origin, whatever the parent, the
armature or their scales do. Arrays are float64; `n` counts frames, and every array may also be given once for all
frames. Chains with the same options may lie side by side, on axes behind `n`. The values of the enumerations are the
identifiers in Blender's files, in setup files and in reports.
"""

from dataclasses import dataclass, fields, replace
from enum import IntEnum, StrEnum
from math import isfinite, pi
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from .numbers import as_numbers

Array = NDArray[np.float64]

Mask = NDArray[np.bool_]
"""True where something holds."""

Integers = NDArray[np.intp]
"""Indices, or how many of something."""

Number = float | Array
"""One for all frames, or (n, ...) one for each."""

SMALLEST, LARGEST = 1e-60, 1e60
"""Smaller numbers count as 0, larger ones are refused; between them the fourth power of a length stays exact."""


class Status(IntEnum):
    """Whether the target is within reach, beyond it on either side, or beyond what `use_extension_limit` allows."""

    REACHED = 0
    TOO_FAR = 1
    TOO_CLOSE = 2
    LIMITED = 3


class _Choice(StrEnum):
    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ValueError(f"{value!r} is not a valid {cls.__name__}: choose from {', '.join(cls)}")


class Plane(_Choice):
    """The plane in which the chain bends."""

    AUTO = "AUTO"
    POLE = "POLE"
    AIM = "AIM"
    REST = "REST"


class Bend(_Choice):
    """Which of the two solutions to take."""

    REST = "REST"
    POSITIVE = "POSITIVE"
    NEGATIVE = "NEGATIVE"
    NEAREST = "NEAREST"
    LIMITS = "LIMITS"


class Unreachable(_Choice):
    """What the chain does if it cannot reach the target. SKIP and ERROR are the caller's: solved as CLAMP."""

    CLAMP = "CLAMP"
    STRETCH = "STRETCH"
    HOLD = "HOLD"
    SKIP = "SKIP"
    ERROR = "ERROR"


class Reference(_Choice):
    """The pose that the roll of the bones is taken from: the rest pose, or the pose before the solve."""

    REST = "REST"
    POSE = "POSE"


class Hock(_Choice):
    """What the third bone of a leg turns with: RIGID with the end bone, PARALLEL with the root bone."""

    RIGID = "RIGID"
    PARALLEL = "PARALLEL"


class ReachWith(_Choice):
    """What comes to the target: the tip, or the tail of the tip bone."""

    JOINT = "JOINT"
    TAIL = "TAIL"


class HingeAxis(_Choice):
    """The axis of the end bone about which the chain bends; AUTO takes the axis about which the rest pose bends."""

    AUTO = "AUTO"
    X = "X"
    Z = "Z"
    NEG_X = "NEG_X"
    NEG_Z = "NEG_Z"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chain:
    """The two bones before the solve, in chain space.

    joints : (..., 3, 3)      root, mid and tip with the bones oriented as at rest; the root is the origin
    hinge_axis : (..., 3)     the axis to bend about; it also says which side is positive
    use_hinge_axis : bool     True: always bend about `hinge_axis`; False: only if the rest chain is straight
    """

    joints: Array
    hinge_axis: Array
    use_hinge_axis: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Goals:
    """What the chain should meet on each frame, in chain space.

    target : (n, 3)
    pole : (n, 3) or None           a point on the side to which the mid joint bends
    pose : (n, 2, 3, 3) or None     the pose before the solve: rotations of root and end bone from rest
    seconds : (n, ...) or None      rising, the time of each frame; pole smoothing asks for it
    rounding : (n, ...) or None     how far off the target may be because coordinates are rounded; a target that lies
                                    no farther out of reach counts as reached
    stretch_limits : (n, 2, 2) or None   the least and the greatest stretch of root and end bone with a pole pin,
                                    if not 1 / max_stretch and max_stretch
    """

    target: Array
    pole: Array | None = None
    pose: Array | None = None
    seconds: Array | None = None
    rounding: Array | None = None
    stretch_limits: Array | None = None


_TURN = pi + 1e-6
"""Half a turn: Blender's single precision pi is a little more than pi."""

_RANGES = {
    "pole_angle": (-np.inf, np.inf),
    "pole_influence": (0.0, 1.0),
    "pole_pin": (0.0, 1.0),
    "softness": (0.0, 1.0),
    "max_stretch": (1.0, LARGEST),
    "bend_min": (-_TURN, _TURN),
    "bend_max": (-_TURN, _TURN),
    "influence": (0.0, 1.0),
    "pole_smoothing": (0.0, 1.0),
    "tolerance": (0.0, LARGEST),
}
"""The range of each number of `Options`."""

VARYING = ("pole_angle", "pole_influence", "pole_pin", "softness", "max_stretch", "bend_min", "bend_max", "influence")
"""The numbers of `Options` that may be another on each frame, and for each of the chains side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The user's choices; the names are those of the chain's properties. Angles are in radians.

    The numbers named in `VARYING` may be arrays (n, ...): one for each frame, and for each of the chains side by side.

    pole_influence, influence : 0 to 1
    pole_pin : 0 to 1               how far the mid joint goes to the pole that it bends towards, see `pole_pin`
    softness : 0 to 1               part of the full reach over which the chain eases in; 1 is all of it
    max_stretch : >= 1              with a pole pin each bone also scales down, to 1 / max_stretch
    bend_min, bend_max : -pi to pi  limits of the hinge angle; if they leave one side only, the chain bends to that side
    pole_smoothing : 0 to 1         how long the plane turns on frames whose pole is near the line, see `swivel`; 0: off
    tolerance : >= 0                part of the chain's length by which a target may lie out of reach and still count as
                                    reached, and a pole no farther from the root shows no side; Blender's
                                    float32 matrices ask for 1e-6
    raises : ValueError for anything else, in one sentence
    """

    plane: Plane = Plane.AUTO
    reference: Reference = Reference.REST
    bend: Bend = Bend.REST
    unreachable: Unreachable = Unreachable.CLAMP
    pole_angle: Number = 0.0
    pole_influence: Number = 1.0
    pole_pin: Number = 0.0
    softness: Number = 0.0
    max_stretch: Number = 2.0
    use_extension_limit: bool = False
    bend_min: Number = -pi
    bend_max: Number = pi
    influence: Number = 1.0
    pole_smoothing: float = 0.0
    tolerance: float = 1e-12

    def __post_init__(self) -> None:
        Plane(self.plane), Reference(self.reference), Bend(self.bend), Unreachable(self.unreachable)
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if isinstance(value, float) and isfinite(value) and low <= value <= high:  # chains are read often
                continue
            numbers = as_numbers(name, value)
            object.__setattr__(self, name, numbers if numbers.ndim else float(numbers))
            values = np.ravel(numbers)
            wrong = ~(np.isfinite(values) & (low <= values) & (values <= high))
            if wrong.any():
                raise ValueError(
                    f"{name} must be finite and from {low:.6g} to {high:.6g}, but is {values[wrong][0]:.6g}"
                )
        crossed = np.greater(self.bend_min, self.bend_max)
        if crossed.any():
            low, high = (np.broadcast_to(limit, crossed.shape)[crossed][0] for limit in (self.bend_min, self.bend_max))
            raise ValueError(f"bend_min {low:.6g} must not be greater than bend_max {high:.6g}")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Solution:
    """The solved chain on every frame, in chain space.

    rotations : (n, 2, 3, 3)    of root and end bone, from their rest orientations
    joints : (n, 3, 3)          root, mid and tip; `skeleton` adds third bone and hock of a leg, the tip comes last
    hinge : (n, 3)              unit hinge axis, normal to the plane of the chain
    hinge_angle : (n,)          signed angle about the hinge axis; zero is straight
    stretch : (n, 2)            factors on the lengths of root and end bone
    status : (n,) uint8         a `Status` each; a gap that softness or influence leave counts as reached
    degenerate : (n,) bool      True if a direction is undecided: target on the root, or a bone without length
    reach : (n, 2)              least and greatest distance of a target within reach, with limits and with stretch
    shortfall : (n,)            distance of the target from that range; 0 within reach
    swivel : (n,)               radians by which pole smoothing turned the plane about the line from root to target
    target : (n, 3)             the goal
    """

    rotations: Array
    joints: Array
    hinge: Array
    hinge_angle: Array
    stretch: Array
    status: NDArray[np.uint8]
    degenerate: Mask
    reach: Array
    shortfall: Array
    swivel: Array
    target: Array

    def replaced_by(self, other: Self, where: NDArray[Any]) -> Self:
        """The solution, with that of the `other` on frames on which `where` (n, ...) is true."""

        def pick(name: str) -> Any:
            own, others = getattr(self, name), getattr(other, name)
            return np.where(where.reshape(*where.shape, *[1] * (own.ndim - where.ndim)), others, own)

        return replace(self, **{field.name: pick(field.name) for field in fields(self)})

    @property
    def miss(self) -> Array:
        """(n, 3) from the tip to the target."""
        return self.target - self.joints[..., -1, :]

    @property
    def sin_hinge(self) -> Array:
        """(n,) closeness to singular: |sin| of the hinge angle is 0 when straight or folded, 1 at a right angle."""
        return np.abs(np.sin(self.hinge_angle))

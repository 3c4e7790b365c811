"""The closed form of a limb as bones at rest and expressions of drivers, in Blender's own language.

A bone *aim* points from the root joint at the target, *swivel* turns it about that line towards the pole target,
*upper* and *lower* turn below it about the hinge and hold what the limb's two bones copy. In the space of aim the line
is y and the hinge x, so a bone that is turned by an angle a about the hinge points along y cos a + z sin a. For the
plane of the rest pose there is no aim: a bone *goal* tells where the target is in that plane.

The names of the values in expressions: d, the distance in the world from root joint to target, and s, the scale of aim
there; in the plane of the rest pose y and z, where goal is; t, the angle of lower; x and z, where the pole target is in
the space of aim; q, p and m, the custom properties for softness, pole angle and greatest stretch.
"""

import re
from dataclasses import dataclass
from math import pi

import numpy as np

from ..solver import reference
from ..solver.bend import is_limited
from ..solver.reach import annulus
from ..solver.values import Array, Bend, Chain, Options, Plane
from ..solver.vectors import IN_LINE, angle_about, triad

_TURN = 2.0 * pi
"""Added to all angles: from Blender 5.0 on, a driven angle of less than 9e-5 is 0."""

_TINY = 1e-9
"""Stands for 0 as a divisor: a division by zero would disable a driver for good."""

_SLIGHT = 1e-5
"""In radians, or as a part: what an edit of the rest pose that changes nothing may change."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BuiltLimb:
    """The bones of a limb at rest, and what turns them.

    aim, upper, lower : (3, 3)      orientations, in the space of the root bone at rest; that of goal is that of aim
    hinges : (2, 3)                 the hinge in the spaces of upper and lower
    mid : (3,)                      head of lower, in the space of the root bone at rest
    askew : bool                    True if lower does not lie to upper as the end bone to the root bone
    bend, turn, swivel : str        expressions of the angles, radians, of lower, upper and swivel
    stretch : str                   expression of the scale of upper and lower along the bone
    """

    aim: Array
    upper: Array
    lower: Array
    hinges: Array
    mid: Array
    askew: bool
    bend: str
    turn: str
    swivel: str
    stretch: str


def built_limb(chain: Chain, end: Array, options: Options, *, has_pole: bool, soft: bool, turned: bool) -> BuiltLimb:
    """The limb for a chain in the space of its root bone at rest.

    end : (3, 3)            orientation of the end bone there
    soft, turned : bool     True if softness and pole angle are custom properties; otherwise they are 0
    """
    rest = reference.rest(chain)
    in_rest_plane = options.plane == Plane.REST
    side = float(rest.side)
    if options.bend == Bend.POSITIVE and not in_rest_plane and reference.is_slight(rest):
        side = 1.0
    sign, low, high = _opening(side if has_pole or options.bend == Bend.REST else 1.0, options)
    aim = np.stack((rest.normal, rest.aim, np.cross(rest.normal, rest.aim)), axis=-1)
    angles = angle_about(rest.normal, rest.aim, rest.links)
    along = triad(np.array((0.0, 1.0, 0.0)), np.array((1.0, 0.0, 0.0)))
    own = np.stack([along @ triads.T @ bone for triads, bone in zip(rest.triads, (np.eye(3), end), strict=True)])
    upper, lower = (aim @ _about_x(float(angle)) @ bone for angle, bone in zip(angles, own, strict=True))
    (first, second), (inner, outer) = rest.lengths.tolist(), map(float, annulus(rest.lengths, low, high))
    distance = "sqrt(y*y+z*z)" if in_rest_plane else f"d/max(fabs(s),{_TINY})"
    reach = _soft(distance, outer) if soft else distance
    bend = f"acos(max(min((pow({reach},2)-{first**2 + second**2:.9g})/{2.0 * first * second:.9g},1),-1))"
    if is_limited(options):
        bend = f"min(max({bend},{low:.9g}),{high:.9g})"
    fold = float(angles[1] - angles[0])
    # The angle at the root from that of the hinge: so it is exact near straight as well.
    hinge = f"({sign:.0f}*(t+{fold:.9g}))"
    across, forth = f"max({second:.9g}*sin{hinge},{_TINY * first:.9g})", f"{first:.9g}+{second:.9g}*cos{hinge}"
    turn = f"{-sign:.0f}*atan2({across},{forth})+{_TURN - angles[0]:.9g}"
    return BuiltLimb(
        aim=aim,
        upper=upper,
        lower=lower,
        hinges=own[:, 0],
        mid=upper @ own[0].T @ np.array((0.0, first, 0.0)),
        askew=bool(np.abs(lower - end).max() > IN_LINE or np.abs(upper - np.eye(3)).max() > IN_LINE),
        bend=f"{sign:.0f}*{bend}+{_TURN - fold:.9g}",
        turn=f"{turn}+atan2(z,y)" if in_rest_plane else turn,
        swivel=_swivel(-side, options, turned=turned),
        stretch=f"min(max({distance}/max(min({reach},{outer:.9g}),{max(inner, _TINY * outer):.9g}),1),m)",
    )


def alike(expression: str, other: str) -> bool:
    """Whether two expressions differ in their numbers alone, and in these by rounding alone."""
    (words, numbers), (others, other_numbers) = _parsed(expression), _parsed(other)
    return words == others and np.allclose(numbers, other_numbers, rtol=_SLIGHT, atol=_SLIGHT)


def _parsed(expression: str) -> tuple[list[str], list[float]]:
    """What is between the numbers, and the numbers."""
    pieces = re.split(r"(?<!\w)(\d+\.?\d*(?:e[+-]?\d+)?)", expression)
    return pieces[::2], [*map(float, pieces[1::2])]


def _soft(reach: str, outer: float) -> str:
    """As `reach.soft_reach`."""
    soft = f"{outer:.9g}*(1-q*exp((1-q-{reach}/{outer:.9g})/max(q,{_TINY})))"
    return f"({reach} if {reach}<{outer:.9g}*(1-q) else {soft})"


def _opening(side: float, options: Options) -> tuple[float, float, float]:
    """The sign of the hinge angle, and the least and the greatest size of it."""
    least, most = float(options.bend_min), float(options.bend_max)
    sign = -side if options.bend == Bend.NEGATIVE else side
    if most <= 0.0 or least >= 0.0:
        sign = 1.0 if least >= 0.0 else -1.0
    low, high = (least, most) if sign > 0.0 else (-most, -least)
    return sign, max(low, 0.0), min(high, pi)


def _swivel(sign: float, options: Options, *, turned: bool) -> str:
    """From the place of the pole target; its influence turns the shorter way there, as the solver does."""
    sine, cosine = "x", "z"
    if turned:
        sine, cosine = "x*cos(p)+z*sin(p)", "z*cos(p)-x*sin(p)"
    return f"{options.pole_influence:.9g}*atan2({sign:.0f}*({sine}),{sign:.0f}*({cosine}))+{_TURN:.9g}"


def _about_x(angle: float) -> Array:
    """(3, 3)"""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array(((1.0, 0.0, 0.0), (0.0, cosine, -sine), (0.0, sine, cosine)))

"""The closed form of a limb as bones at rest and expressions of drivers, in Blender's own language.

A bone *aim* points from the root joint at the target, *swivel* turns it about that line towards the pole target, *upper*
and *lower* turn below it about the hinge and hold what the limb's two bones copy. In the space of aim the line is y and
the hinge x, so a bone that is turned by an angle a about the hinge points along y cos a + z sin a. For the plane of the
rest pose, *aim* lies still, and *goal* tells where in its space the target is.
"""

from dataclasses import dataclass
from math import pi

import numpy as np

from ..solver import reference
from ..solver.bend import is_limited
from ..solver.reach import annulus
from ..solver.values import Array, Bend, Chain, Options, Plane
from ..solver.vectors import IN_LINE, angle_about, triad

_TINY = 1e-9
"""Stands for 0 as a divisor: a division by zero would disable a driver for good."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BuiltLimb:
    """The bones of a limb at rest, and what turns them.

    aim, upper, lower : (3, 3)      orientations, in the space of the root bone at rest
    hinges : (2, 3)                 the hinge in the spaces of upper and lower
    mid : (3,)                      head of lower, in the space of the root bone at rest
    askew : bool                    True if lower does not lie to upper as the end bone to the root bone
    bend, turn, swivel : str        expressions of the angles, radians, of lower, upper and swivel
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


def built_limb(chain: Chain, end: Array, options: Options, *, has_pole: bool, soft: bool, turned: bool) -> BuiltLimb:
    """The limb for a chain in the space of its root bone at rest.

    end : (3, 3)        orientation of the end bone there
    soft, turned : bool True if its softness and its pole angle are properties, `soft` and `angle` in the expressions
    returns : expressions of d, distance in the world from root joint to target, and s, the scale of aim there; in the
              plane of the rest pose of y and z, the place of the target in the space of aim; of t, the angle of lower;
              of x and z, the place of the pole target in the space of aim
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
    fold = float(angles[1] - angles[0])
    reach = "sqrt(y*y+z*z)" if in_rest_plane else f"d/max(fabs(s),{_TINY})"
    (first, second), outer = rest.lengths.tolist(), float(annulus(rest.lengths, low, high)[1])
    if soft:
        reach = f"({reach} if {reach}<{outer:.9g}*(1-soft) else {outer:.9g}*(1-soft*exp((1-soft-{reach}/{outer:.9g})/max(soft,{_TINY}))))"
    cosine = f"(pow({reach},2)-{first**2 + second**2:.9g})/{2.0 * first * second:.9g}"
    bend = f"acos(max(min({cosine},1),-1))"
    if is_limited(options):
        bend = f"min(max({bend},{low:.9g}),{high:.9g})"
    # From the angle of the hinge, that at the root is exact near straight as well.
    fold_of_t = f"{sign:.0f}*(t+{fold:.9g})"
    turn = f"{-sign:.0f}*atan2(max({second:.9g}*sin({fold_of_t}),{_TINY * first:.9g}),{first:.9g}+{second:.9g}*cos({fold_of_t}))-{angles[0]:.9g}"
    return BuiltLimb(
        aim=aim,
        upper=upper,
        lower=lower,
        hinges=own[:, 0],
        mid=upper @ own[0].T @ np.array((0.0, first, 0.0)),
        askew=bool(np.abs(lower - end).max() > IN_LINE or np.abs(upper - np.eye(3)).max() > IN_LINE),
        bend=f"{sign:.0f}*{bend}-{fold:.9g}",
        turn=f"{turn}+atan2(z,y)" if in_rest_plane else turn,
        swivel=_swivel(-side, options, turned=turned),
    )


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
        sine, cosine = "x*cos(angle)+z*sin(angle)", "z*cos(angle)-x*sin(angle)"
    swivel = f"atan2({sign:.0f}*({sine}),{sign:.0f}*({cosine}))"
    return swivel if options.pole_influence == 1.0 else f"{options.pole_influence:.9g}*{swivel}"


def _about_x(angle: float) -> Array:
    """(3, 3)"""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array(((1.0, 0.0, 0.0), (0.0, cosine, -sine), (0.0, sine, cosine)))

"""The closed form of a limb as bones at rest and expressions of drivers, in Blender's own language.

A bone *aim* points from the root joint at the target, with its z axis or the opposite to the pole target; *upper* and
*lower* turn below it about the hinge and hold what the limb's two bones copy; *third* holds that of a leg with a hock.
In the space of aim the line is y and the hinge x, so a bone that is turned by an angle a about the hinge points along
y cos a + z sin a. Where there is a pole angle, *swivel* turns by it below aim. *base* is there where aim needs a bone
that does not move. For the plane of the rest pose there is no aim: a bone *goal* tells where the target is in it.

Where the tail of a tip bone comes to the target, *hand* lies on the target as that bone then does, and what follows the
target otherwise follows *joint*, where the tip has to be for it. They do not depend on the limb.

Of a twist, *turn* does below the first of two bones what *carried* does on the second; each *twist* turns by its share.

The names of the values in expressions: d, the distance in the world from root joint to target, and s, the scale of aim
there; in the plane of the rest pose y and z, where goal is; t, the angle of lower; w, the twist; q, p and m, the custom
properties for softness, pole angle and greatest stretch.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import pi

import numpy as np

from ..solver import reference_pose, rotation
from ..solver.bend import is_limited, opening, within_limits
from ..solver.reach import annulus
from ..solver.values import Array, Bend, Chain, Hock, Options, Plane
from ..solver.vectors import IN_LINE, angle_about, triad, unit
from . import twist_bones
from .values import ChainPlan

_TURN = 2.0 * pi
"""Added to all angles: from Blender 5.0 on, a driven angle of less than 9e-5 is 0."""

_TINY = 1e-9
"""Stands for 0 as a divisor: a division by zero would disable a driver for good."""

_SLIGHT = 1e-5
"""In radians, or as a part: what an edit of the rest pose that changes nothing may change."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BuiltBone:
    """A bone of a limb at rest, and what turns it.

    parent : str            the part of the limb that carries it; "" for none
    carrier : str           name of the bone of the rig that carries it instead; "" for none
    orientation : (3, 3)    in the space of the root bone at rest
    head : (3,)             there; only for show, since no place of a part counts but that of joint beside hand
    axis : (3,)             what it turns about, in its own space
    angle : str             expression for that, in radians; "" if nothing turns it
    """

    parent: str = ""
    carrier: str = ""
    orientation: Array
    head: Array = field(default_factory=lambda: np.zeros(3))
    axis: Array = field(default_factory=lambda: np.array((0.0, 1.0, 0.0)))
    angle: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BuiltLimb:
    """The parts of a limb.

    bones : by part, each after its parent
    askew : bool        True if lower does not lie to upper as the end bone to the root bone
    side : float        1 or -1: the pole target is on the side of aim's z axis, or opposite
    bend : str          expression of t, the angle of lower
    stretch : str       expression of the scale of upper and lower along the bone
    """

    bones: dict[str, BuiltBone]
    askew: bool
    side: float
    bend: str
    stretch: str


def built_limb(
    chain: Chain,
    after: Array,
    options: Options,
    *,
    carrier: str = "",
    needs_base: bool = False,
    hock: Hock | None = None,
    has_pole: bool,
    soft: bool,
    turned: bool,
) -> BuiltLimb:
    """The limb for a chain in the space of its root bone at rest.

    after : (k, 3, 3)       orientations there of the end bone, and of the third bone of a leg
    carrier : str           name of the bone that carries the root bone
    needs_base : bool       True if aim cannot follow the pole target in the space of that bone
    soft, turned : bool     True if softness and pole angle are custom properties; otherwise they are 0
    """
    rest = reference_pose.rest(chain)
    in_rest_plane, end = options.plane == Plane.REST, after[0]
    side = float(rest.side)
    if options.bend == Bend.POSITIVE and not in_rest_plane and reference_pose.is_slight(rest):
        side = 1.0
    sign, low, high = _opening(side if has_pole or options.bend == Bend.REST else 1.0, options)
    aim = triad(rest.normal, rest.aim)
    angles = angle_about(rest.normal, rest.aim, rest.links)
    along = triad(np.array((0.0, 1.0, 0.0)), np.array((1.0, 0.0, 0.0)))
    own = np.stack([along @ triads.T @ bone for triads, bone in zip(rest.triads, (np.eye(3), end), strict=True)])
    upper, lower = aim @ rotation.about(np.array((1.0, 0.0, 0.0)), angles) @ own
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
    bones = {"base": BuiltBone(orientation=np.eye(3))} if needs_base else {}
    bones |= _leading(carrier, aim, options, turned=turned)
    bones["upper"] = BuiltBone(
        parent="" if in_rest_plane else [*bones][-1],
        carrier=carrier if in_rest_plane else "",
        orientation=upper,
        axis=own[0, 0],
        angle=f"{turn}+atan2(z,y)" if in_rest_plane else turn,
    )
    bones["lower"] = BuiltBone(
        parent="upper",
        orientation=lower,
        head=upper @ own[0].T @ np.array((0.0, first, 0.0)),
        axis=own[1, 0],
        angle="t",
    )
    if hock:
        # On its parent it is turned back where it turns with the root bone: so it blends as the solver does.
        back = hock == Hock.PARALLEL
        third = (upper if back else lower @ end.T) @ after[1]
        axis, angle = third.T @ lower @ own[1, 0], f"{2.0 * _TURN:.9g}-t" if back else ""
        bones["third"] = BuiltBone(parent="lower", orientation=third, axis=axis, angle=angle)
    return BuiltLimb(
        bones=bones,
        askew=bool(np.abs(lower - end).max() > IN_LINE or np.abs(upper - np.eye(3)).max() > IN_LINE),
        side=-side,
        bend=f"{sign:.0f}*{bend}+{_TURN - fold:.9g}",
        stretch=f"min(max({distance}/max(min({reach},{outer:.9g}),{max(inner, _TINY * outer):.9g}),1),m)",
    )


def _leading(carrier: str, aim: Array, options: Options, *, turned: bool) -> dict[str, BuiltBone]:
    """The bones that tell where the target is. Pole influence turns the shorter way, pole angle and all."""
    if options.plane == Plane.REST:
        return {"goal": BuiltBone(carrier=carrier, orientation=aim)}
    before = f"{_TURN:.9g}-p" if turned and options.pole_influence != 1.0 else ""
    bones = {"aim": BuiltBone(carrier=carrier, orientation=aim, angle=before)}
    if turned:
        bones["swivel"] = BuiltBone(parent="aim", orientation=aim, angle=f"p+{_TURN:.9g}")
    return bones


def built_reach(tip: Array, length: float, carrier: str) -> dict[str, BuiltBone]:
    """The parts for a tip bone of this length whose tail comes to the target.

    tip : (4, 4)    the bone at rest, in the space of the root bone
    """
    orientation, head = tip[:3, :3], tip[:3, 3]
    hand = BuiltBone(carrier=carrier, orientation=orientation, head=head + length * orientation[:, 1])
    return {"hand": hand, "joint": BuiltBone(parent="hand", orientation=orientation, head=head)}


def built_twists(plan: ChainPlan, end: Array) -> Iterator[tuple[str, BuiltBone]]:
    """The parts for twist bones at the side; the last words of their names are the half or the number.

    end : (3, 3)    orientation of the end bone, in the space of the root bone at rest
    """
    halves = {True: (plan.root.name, np.eye(3)), False: (plan.end.name, end)}
    for upper in dict.fromkeys(part.upper for part in plan.twists):
        carrier, orientation = halves[upper]
        line = orientation @ twist_bones.rest_line(plan, upper=upper)
        across = unit(np.cross(line, np.eye(3)[np.argmin(np.abs(line))]))
        along = triad(across, line)
        turning = carrier if upper else plan.twisting[-1].name
        yield f"carried {upper}", BuiltBone(carrier=turning, orientation=along)
        below = (plan.parent.bone if plan.parent else "") if upper else carrier
        yield f"turn {upper}", BuiltBone(carrier=below, orientation=along)
    for number, part in enumerate(plan.twists):
        carrier, orientation = halves[part.upper]
        share = twist_bones.share(part) - twist_bones.carried_share(plan, part.upper)
        yield (
            f"twist {number}",
            BuiltBone(
                carrier=carrier,
                orientation=orientation @ part.bone.offset[:3, :3],
                axis=twist_bones.line_at_side(part, twist_bones.rest_line(plan, upper=part.upper)),
                angle=f"{share:.9g}*w+{_TURN:.9g}",
            ),
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
    sign = within_limits(np.array(-side if options.bend == Bend.NEGATIVE else side), options)
    low, high = opening(sign, options)
    return float(sign), float(low), float(high)

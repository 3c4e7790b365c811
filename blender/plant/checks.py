"""Limbs that Plant refuses: their bones have constraints, so that keys do not say how these are posed, or no length."""

from collections.abc import Iterator, Sequence

import numpy as np
from bpy.types import Constraint

from ...skeleton import chain_group
from ...skeleton.feet.feet import Foot
from ...skeleton.values import Point, Samples
from ...solver.values import Array
from ...solver.vectors import norm
from ..armatures import Rig
from ..bake.notes import acts
from ..messages.refused import Refused
from ..scene import dependencies

_SCALING = {"COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"}
"""They change nothing where nothing is scaled, however the bones turn: Rigify has one between shin and foot."""

_LEAST = 1e-6
"""World units: a shorter limb has no scale by which to tell what moves."""

_SAME = 1e-4
"""Parts of a bone's length, and of its axes: single precision after some products of matrices."""


def refuse_constrained(feet: Sequence[Foot]) -> None:
    """Raise `Refused` where a constraint poses a bone that is to be keyed: the pose is not what its keys say."""
    for foot in feet:
        for name, constraint in _constraints(foot):
            # What was built shows the keys where its switch is off: `refuse_following` looks at that.
            if not (_only_scales(foot, name, constraint) or constraint.name.startswith(dependencies.BUILT)):
                _refuse(foot, name, constraint)


def refuse_scaled(feet: Sequence[Foot], samples: Samples) -> None:
    """Raise `Refused` where a constraint between end bone and foot has scaled something on the frames sampled."""
    for foot in feet:
        for name, constraint in _constraints(foot):
            if _off(foot, samples) > _SAME:
                _refuse(foot, name, constraint)


def refuse_without_length(feet: Sequence[Foot], lengths: Array) -> None:
    """Raise `Refused` where a limb has next to no length: (f,) in the world."""
    for foot, length in zip(feet, lengths, strict=True):
        if not length > _LEAST:
            raise Refused("NO_LENGTH", object=foot.chain.rig, value=length, limb=foot.chain.name)


def acting(rig: Rig, bone: str) -> list[Constraint]:
    """The constraints that act on the bone of this name."""
    moving = dependencies.constraints_moving(Point(rig, bone))
    return [constraint for _, constraint in moving if acts(constraint)]


def _constraints(foot: Foot) -> Iterator[tuple[str, Constraint]]:
    for name in foot.chain.oriented:
        for constraint in acting(foot.chain.rig, name):
            yield name, constraint


def _only_scales(foot: Foot, name: str, constraint: Constraint) -> bool:
    return constraint.type in _SCALING and name in {bone.name for bone in foot.chain.below}


def _off(foot: Foot, samples: Samples) -> float:
    """How far the foot's bone is from where the bones up to the end bone put it, and how uneven its scale is.

    An even scale, such as that of the whole rig, turns nothing.
    """
    chain = foot.chain
    end, tip = (samples.pose[Point(chain.rig, name)] for name in (chain.end.name, chain.tip_bone))
    keyed = chain_group.tip([chain], end[:, None], samples, {})[:, 0]
    linear = tip[..., :3, :3]
    squares = np.swapaxes(linear, -1, -2) @ linear
    even = np.trace(squares, axis1=-2, axis2=-1)[..., None, None] / 3.0
    moved = norm(keyed - tip[..., :3, 3]) / chain.end.length
    return float(max(moved.max(), np.abs(squares / even - np.eye(3)).max()))


def _refuse(foot: Foot, name: str, constraint: Constraint) -> None:
    raise Refused("PLANT_CONSTRAINED", object=foot.chain.rig, bone=name, value=constraint.name)

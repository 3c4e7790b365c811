"""Limbs that are built into the rig, as a check sees them: their properties count, and they show without any key."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...skeleton.values import ChainPlan, Plan, Point, Samples
from ...solver.values import Array
from .. import versions
from ..curves.keys import numbers_on
from ..rigs.built_limbs import built_limb, property_paths
from ..settings.properties import chain_fields
from .convert import Rows

Numbers = dict[Point, dict[str, Array]]
"""As in `Samples`: by end bone of a built limb and option (n,) what its properties are."""


def with_properties(plan: Plan) -> tuple[Plan, Numbers]:
    """The plan with the properties of its built limbs in place of their options, and those of them that change.

    Limbs with properties that drivers or NLA strips set stay as they are: their keys do not tell what these are.
    """
    numbers: Numbers = {}
    elsewhere = {curve.data_path for curve in versions.drivers(plan.rig)}
    elsewhere |= {curve.data_path for _, curves in versions.strips(plan.rig) for curve in curves}

    def built(chain: ChainPlan) -> ChainPlan:
        limb = built_limb(plan.rig, plan.rig.two_bone_ik_chains[chain.name])
        paths = property_paths(plan.rig, limb) if limb else {}  # none, where the user has removed them
        if not limb or not elsewhere.isdisjoint(paths.values()):
            return chain
        values = {name: _within_limits(name, numbers_on(plan.rig, path, plan.frames)) for name, path in paths.items()}
        still: dict[str, Any] = {name: float(of_name[0]) for name, of_name in values.items() if not np.ptp(of_name)}
        changing = {name: of_name for name, of_name in values.items() if name not in still}
        numbers[Point(plan.rig, chain.end.name)] = changing
        animated = (chain.animated - still.keys()) | changing.keys()
        return replace(chain, options=replace(chain.options, **still), animated=animated)

    return replace(plan, ranks=tuple(tuple(map(built, rank)) for rank in plan.ranks)), numbers


def _within_limits(name: str, values: Array) -> Array:
    """As Blender plays them: what is between keys may go beyond the limits of the property."""
    field = chain_fields()[name]
    return values.clip(field.hard_min, field.hard_max)


def with_numbers(samples: Samples, numbers: Numbers) -> Samples:
    """The samples with these numbers in place of those of the chains' options."""
    merged = {point: {**samples.numbers.get(point, {}), **changing} for point, changing in numbers.items()}
    return replace(samples, numbers=samples.numbers | merged)


def shown_rows(plan: Plan, numbers: Numbers) -> Rows:
    """The rows of frames on which a limb shows as it is solved, without any key: all of built ones, none of others."""
    built = {chain.name: Point(plan.rig, chain.end.name) in numbers for chain in plan.chains}
    return {name: np.arange(len(plan.frames) if is_built else 0) for name, is_built in built.items()}

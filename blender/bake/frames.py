"""Ranges that take more memory than there is, whose keys would play on other frames, or with a target out of reach."""

from collections.abc import Iterable

import numpy as np
from bpy.types import Scene

from ...skeleton.chain_group import SolvedGroup, one_by_one
from ...skeleton.values import Plan
from ...solver.values import Unreachable
from ..messages.frame_and_point import frame_text
from ..messages.refused import Refused

MOST_FRAMES = 2_000_000
"""As many of one chain can be baked at once: about 5 GB."""


def refuse_too_many_frames(plan: Plan) -> None:
    """Raise `Refused` where the chains would take more memory than most machines have, a few kilobytes a frame."""
    count, chains = len(plan.frames), len(plan.chains)
    most = MOST_FRAMES // chains
    if count > most:
        raise Refused("TOO_MANY_FRAMES", object=plan.rig, value=count, chains=chains, most=most)


def refuse_stretched_time(plan: Plan) -> None:
    """Raise `Refused` where keys on the frames of the plan would play on others."""
    scene: Scene = plan.scene
    render = scene.render
    if render.frame_map_old != render.frame_map_new:
        value = render.frame_map_old, render.frame_map_new
        raise Refused("TIME_STRETCHING", object=plan.rig, value=value, scene=scene.name)


def refuse_unreachable(plan: Plan, solved: Iterable[SolvedGroup]) -> None:
    """Raise `Refused` for the first frame out of reach of a chain whose Unreachable is Error."""
    erring = [group for group in solved if group.plan.options.unreachable == Unreachable.ERROR]
    for one in one_by_one(plan, erring):
        out = one.out_of_reach[plan.asked, 0]
        if out.any():
            frame = plan.step * int(np.argmax(out))
            distance, inner, outer = one.distances(frame)
            when = frame_text(plan.frames[frame])
            raise Refused("UNREACHABLE", chain=one.plan, value=distance, frame=when, inner=inner, outer=outer)

"""Ranges whose keys would play on other frames, or take more memory than there is."""

from __future__ import annotations

from bpy.types import Scene

from ....skeleton.values import Plan
from ...messages.refused import Refused

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

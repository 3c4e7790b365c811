"""Limbs that move without this extension: the closed form built into the rig out of Blender's own parts."""

from collections.abc import Sequence

from bpy.types import Object, Scene

from ..blender.bake.build_plan import Frames
from ..blender.bake.report import Report
from ..blender.bake.request import Request, alone
from ..blender.build import build as build_steps
from ..blender.scene.checks import given_rig
from ..blender.settings.key_settings import DEFAULTS, Measure, Sampling
from .command import command


@command
def build(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Request:
    """Build the chains into the rig with bones, constraints and drivers, so that they move without this extension.

    frames, sampling, measure : on which frames to compare the built limbs with the solver, and how, as for `bake`

    >>> print(api.build(rig, frames=(1, 10)))
    forearm.L: 10 of 10 frames reached
    >>> rig.pose.bones["forearm.L"]["IK"]
    1.0
    """
    return build_steps.build(given_rig(rig), chains, frames, scene, Sampling(sampling), Measure(measure))


@alone()
def unbuild(rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None) -> Report:
    """Take out of the rig what `build` has built for the chains.

    >>> report = api.build(rig)
    >>> print(api.unbuild(rig))
    1 limb was taken out of the rig
    """
    return build_steps.unbuild(given_rig(rig), chains, scene)

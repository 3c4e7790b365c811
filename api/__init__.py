"""The Python interface, for scripts and for everything else of this extension: plain functions over objects.

None of them needs a context, a selection or a mode. `chains` are names of chains, None for all that are not muted;
`frames` is (start, end) or (start, end, step), None for the scene's range; `scene` is by default the first that holds
the armature. A request that cannot be carried out raises `Refused`, and then nothing has changed:

    >>> try:
    ...     api.bake(rig, ["leg.L"])
    ... except api.Refused as refused:
    ...     print(refused.kind, refused.object, refused.value)
    UNKNOWN_CHAIN Hero leg.L

The examples are run as tests. In them `rig` is an armature with two arms and one chain, "forearm.L", which follows
`hand`, an empty that moves from frame 1 to 10; `path` is that of a file which is not there yet.
"""

from __future__ import annotations

from ..blender.constraints import Takeover
from ..blender.detect import Kind, Limb
from ..blender.errors import Refused
from ..blender.pipeline import Steps
from ..blender.pipeline.channel import Keys, KeyStyle
from ..blender.pipeline.measure import Measure
from ..blender.pull import Pull
from ..blender.report import ChainReport, Report
from ..blender.setup_file import Setup
from .chains import (
    add_chain,
    add_detected,
    apply_setup,
    chains_from_constraints,
    decide_side,
    detect,
    ensure_chain,
    load_setup,
    save_setup,
    take_bend_limits,
)
from .poses import bake, baking, check, flip_bend, followed_first, pull, remove_markers, run, solve
from .targets import bake_targets, baking_targets, create_targets, snap_targets, target_keys

__all__ = [
    "ChainReport",
    "KeyStyle",
    "Keys",
    "Kind",
    "Limb",
    "Measure",
    "Pull",
    "Refused",
    "Report",
    "Setup",
    "Steps",
    "Takeover",
    "add_chain",
    "add_detected",
    "apply_setup",
    "bake",
    "bake_targets",
    "baking",
    "baking_targets",
    "chains_from_constraints",
    "check",
    "create_targets",
    "decide_side",
    "detect",
    "ensure_chain",
    "flip_bend",
    "followed_first",
    "load_setup",
    "pull",
    "remove_markers",
    "run",
    "save_setup",
    "snap_targets",
    "solve",
    "take_bend_limits",
    "target_keys",
]

"""From poses to targets: where targets and pole targets are so that the pose stays."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from bpy.types import Scene

from ..blender.armatures import Rig
from ..blender.chains import target_empties
from ..blender.key_settings import DEFAULTS, KeySettings, Measure, Sampling
from ..blender.messages.report import Report
from ..blender.pipeline import requests
from ..blender.pipeline.phases import Request
from ..blender.pipeline.read.build_plan import Frames, build_plan
from ..blender.pipeline.read.keys import target_keys as target_key_frames


def create_targets(rig: Rig, chains: Sequence[str] | None = None, *, scene: Scene | None = None) -> Report:
    """Create empties for the target and pole target that chains lack, placed so that the pose does not move.

    >>> chain = api.add_chain(rig, "forearm.R")
    >>> print(api.create_targets(rig, ["forearm.R"]))
    forearm.R: 1 of 1 frames reached
    Created 2 empties in the collection "Hero Targets"
    """
    return target_empties.create(rig, chains, scene)


def snap_targets(
    rig: Rig, chains: Sequence[str] | None = None, *, scene: Scene | None = None, insert_keys: bool = False
) -> Report:
    """Move target and pole target to where the pose is that shows; key them where `insert_keys` is set.

    >>> print(api.snap_targets(rig))
    forearm.L: 1 of 1 frames reached
    """
    return requests.snap_targets(rig, chains, scene, insert_keys=insert_keys)


def bake_targets(
    rig: Rig,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Report:
    """Key target and pole target so that they follow the pose that shows: a bake gives it back.

    measure : on which frames to look afterwards at where they are, as for `bake`

    >>> report = api.bake_targets(rig, frames=(1, 10))
    """
    return baking_targets(rig, chains, frames, scene=scene, sampling=sampling, measure=measure).write()


def baking_targets(
    rig: Rig,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Request:
    """The same bit by bit, as `baking` does it.

    >>> for done in api.baking_targets(rig, frames=(1, 10), sampling="ISOLATED"):
    ...     assert 0.0 <= done <= 1.0
    """
    settings = KeySettings(sampling=Sampling(sampling), measure=Measure(measure))
    return requests.bake_targets(rig, chains, frames, scene, settings)


def target_keys(rig: Rig, chains: Sequence[str] | None = None) -> list[float]:
    """The frames on which a target or a pole target of these chains has a key, rising.

    >>> api.target_keys(rig)
    [1.0, 10.0]
    """
    plan = build_plan(rig, chains, None, None)
    return sorted({frame for chain in plan.chains for frame in target_key_frames(chain, -inf, inf).tolist()})

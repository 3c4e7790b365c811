"""Hands that hold on: targets that stay where they are, in the world or on something that moves."""

from collections.abc import Sequence
from math import inf
from numbers import Real

import numpy as np
from bpy.types import Object, Scene

from ..blender.bake.build_plan import Frames, chosen_chains, frame_range, scene_of
from ..blender.bake.request import Request, alone
from ..blender.hold import hold as steps
from ..blender.hold import holds
from ..blender.messages.refused import Refused
from ..blender.scene.checks import given_rig
from ..blender.targets.space import Space, space_point
from ..skeleton.hold import Hold
from .command import command


@command
def hold(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    space: Space = None,
    rotation: bool = True,
    at: float | None = None,
    ease: tuple[float, float] = (4, 4),
    scene: Scene | None = None,
) -> Request:
    """Key the chains' targets so that, from the first of the `frames` to the last, they stay where they are.

    The action from before is kept: `update_holds` makes the keys again from it, and `remove_hold` gives it back. Keys
    farther from the range than `ease` stay, and so does the motion there. Where holds overlap, the last one wins.

    space : relative to what they stay: None for the world, an object, or an armature object and the name of its bone
    rotation : whether they keep their orientation as well
    at : the frame on which they are where they are to stay; by default the first
    ease : frames in which they go over into the hold and out of it, with the speed that they have on either side
    raises : Refused where a target cannot be held so, as one that carries what it is to be held to

    >>> print(api.hold(rig, frames=(4, 7), ease=(2, 2)))
    forearm.L: 8 of 8 frames reached
    """
    rig = given_rig(rig)
    scene = scene_of(rig, scene)
    start, end, _ = frame_range(rig, frames, scene)
    at = start if at is None else at
    if not (isinstance(at, Real) and start <= at <= end):
        raise Refused("HOLD_FRAMES", object=rig, value=at, start=start, end=end)
    eases = tuple(ease) if isinstance(ease, Sequence | np.ndarray) else ()
    if len(eases) != 2 or not all(isinstance(length, Real) and 0 <= length < inf for length in eases):
        raise Refused("HOLD_EASE", object=rig, value=ease)
    before, after = map(float, eases)
    new_hold = Hold(
        start=start, end=end, at=float(at), space=space_point(space), rotation=bool(rotation), ease=(before, after)
    )
    return steps.hold_targets(rig, chains, new_hold, scene)


@command
def update_holds(rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None) -> Request:
    """Make all holds of the chains' targets again from the actions before them, in the order they were asked for.

    What was held to a thing keeps its grip on it, wherever that is now. Keys that were set outside of holds stay.

    raises : Refused where no target is held

    >>> _ = api.hold(rig, frames=(4, 7), ease=(2, 2))
    >>> print(api.update_holds(rig))
    forearm.L: 8 of 8 frames reached
    """
    return steps.update_holds(given_rig(rig), chains, scene)


@alone()
def remove_hold(rig: Object, chain: str, index: int | None = None, *, scene: Scene | None = None) -> None:
    """Remove a hold of this chain's target, by its place in the list, or all; what was there before comes back.

    raises : Refused where there is none

    >>> _ = api.hold(rig, frames=(4, 7), ease=(2, 2))
    >>> api.remove_hold(rig, "forearm.L", 0)
    >>> api.target_keys(rig)
    [1.0, 10.0]
    """
    rig = given_rig(rig)
    [item] = chosen_chains(rig, [chain])
    records = holds.of_chain(item)
    if index is not None and index not in range(len(records)):
        raise Refused("NO_HOLDS.number" if records else "NO_HOLDS.at_all", chain=item, value=index, count=len(records))
    steps.remove_holds(rig, chain, range(len(records)) if index is None else (index,), scene)

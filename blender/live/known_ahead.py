"""Whether the poses of an armature's limbs are known before Blender evaluates a frame, and if not, why."""

from collections.abc import Iterator
from typing import Any

import bpy
from bpy.types import RenderSettings, Scene

from ...skeleton.values import Plan
from ...solver.values import Unreachable
from .. import versions
from ..armatures import Rig, is_rig
from ..bake import convert
from ..messages.translation import translated
from ..scene import curves, dependencies, sampling
from ..scene.need import SampleNeed, sample_need
from ..session import session

_EVENTS = ("depsgraph_update_pre", "depsgraph_update_post", "frame_change_pre", "frame_change_post")
_handlers: list[list[Any]] = session.of_state([])
_foreign = False


def foreign_handlers() -> bool:
    """Whether others than we may change the scene while Blender evaluates it, without telling what."""
    global _foreign
    # Compared with what they were, which takes a tenth of the time.
    now = [[*getattr(bpy.app.handlers, event)] for event in _EVENTS]
    if now != _handlers:
        _handlers[:] = now
        _foreign = sampling.handled(*_EVENTS)
    return _foreign


def stretches_time(scene: Scene) -> bool:
    """Whether frames of the scene are others than those of its keys."""
    render: RenderSettings = scene.render
    return render.frame_map_old != render.frame_map_new


def notes(plan: Plan) -> list[str]:
    """For a check: why Blender evaluates each frame twice, where it does so for an armature that is live."""
    rig: Rig = plan.rig
    if not rig.two_bone_ik_live:
        return []
    reason = obstacle(plan, sample_need(plan))
    return [translated("note.live_after", name=rig.name, reason=reason)] if reason else []


def obstacle(plan: Plan, need: SampleNeed) -> str:
    """What keeps Live from posing the limbs before a frame is evaluated, in words; "" where nothing does.

    need : what has to be known of the scene for the chains of the plan
    """
    return next(filter(None, _obstacles(plan, need)), "")


def _obstacles(plan: Plan, need: SampleNeed) -> Iterator[str]:
    if foreign_handlers():
        yield translated("obstacle.simulation")
    if stretches_time(plan.scene):
        yield translated("obstacle.stretched_time")
    yield from _limb_obstacles(plan)
    yield from _source_obstacles(plan.rig, need)
    yield sampling.needs_playing(need) or curves.obstacle(need, (), {})


def _limb_obstacles(plan: Plan) -> Iterator[str]:
    """What poses the limbs beside Live, or leaves them as they were on the frame before."""
    rig: Rig = plan.rig
    for chain in plan.chains:
        if chain.options.unreachable == Unreachable.SKIP:
            yield translated("obstacle.skips", chain=chain.name)
    if not convert.paths(plan).isdisjoint(versions.ever_animated_paths(rig)):
        yield translated("obstacle.limb_keys", name=rig.name)
    limbs = {bone.name for chain in plan.chains for bone in (*chain.bones, *chain.below)}
    for bone, constraint in dependencies.constrained(rig):
        if not constraint.mute and not limbs.isdisjoint(dependencies.moved_by(bone, constraint)):
            yield translated("obstacle.bone", bone=bone.name, name=rig.name)


def _source_obstacles(rig: Rig, need: SampleNeed) -> Iterator[str]:
    """What of all that carries what is needed Live moves as well, or may hide."""
    for item in {place.object for place in dependencies.ancestors(need.points)}:
        if is_rig(item) and item != rig and item.two_bone_ik_live:
            yield translated("obstacle.live", name=item.name)
        if "hide_viewport" in versions.ever_animated_paths(item):
            yield translated("obstacle.hidden", name=item.name)

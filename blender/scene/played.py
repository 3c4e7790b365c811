"""Sampling in the user's own scene: step by step where physics or handlers count, or just as it stands."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.types import ID, Object, Scene

from ...skeleton.values import Samples
from .. import versions
from ..curves import unkeyed_edits
from ..curves.unkeyed_edits import Keyed
from ..messages.refused import unless_gone
from ..messages.translation import translated
from . import dependencies, probe
from .need import SampleNeed

_OURS = __package__.partition(".blender")[0]
_SIMULATIONS = {"CLOTH", "SOFT_BODY", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM"}


def needed(need: SampleNeed) -> str:
    """Why only playing the scene tells what is needed, in words; "" where there is no need to."""
    items = _upstream(need)
    if handled("frame_change_pre", "frame_change_post") or any(map(_simulated, items)):
        return translated("obstacle.simulation")
    return translated("obstacle.scene") if _driven_by_scene(items) else ""


def handled(*events: str) -> bool:
    """True if at these events others than we change the scene, or may."""
    handlers = (handler for event in events for handler in getattr(bpy.app.handlers, event))
    # What is no function, such as a list's own append, may have no module, or None for one.
    return any(not str(getattr(handler, "__module__", "")).startswith(_OURS) for handler in handlers)


def driven(need: SampleNeed) -> bool:
    """True if drivers of what is needed read animated properties of a scene: elsewhere these do not move."""
    return _driven_by_scene(_upstream(need))


def _upstream(need: SampleNeed) -> set[Object]:
    """What is needed, and all objects that it depends on."""
    return {place.object for place in dependencies.upstream(*need.placed)}


def _simulated(item: Object) -> bool:
    return bool(item.rigid_body) or any(modifier.type in _SIMULATIONS for modifier in item.modifiers)


def _driven_by_scene(items: Iterable[Object]) -> bool:
    """True if drivers of these do so, themselves or by way of others."""
    seen: set[ID] = set()
    waiting: list[Any] = list(items)
    while waiting:
        block = waiting.pop()
        if block is None or block in seen:
            continue
        seen.add(block)
        if isinstance(block, Scene) and block.animation_data:
            return True
        variables = [item for driver in versions.drivers(block) for item in driver.driver.variables]
        if any(variable.type == "CONTEXT_PROP" for variable in variables):
            return True
        waiting += [getattr(block, "data", None), *(target.id for item in variables for target in item.targets)]
    return False


@contextmanager
def opened(scene: Scene, need: SampleNeed, keyed: Keyed) -> Iterator[Scene]:
    """The scene itself, to be stepped; then it is as before, with edits that have no key, but for those `keyed`."""
    # Probed on the way back as well: otherwise hidden things would keep the channels of the last frame stepped to.
    with probe.probing(scene, need), _restored(scene, keyed):
        yield scene


def probed(scene: Scene, need: SampleNeed) -> Samples:
    """One frame of a scene that is probed for all that is needed: as it stands, with edits that have no key."""
    recorder = probe.Recorder(need)
    layer = scene.view_layers[0]
    layer.update()
    recorder.record(layer.depsgraph)
    return recorder.samples()


@contextmanager
def _restored(scene: Scene, keyed: Keyed) -> Iterator[None]:
    frame = scene.frame_current + scene.frame_subframe  # as `frame_current_final`, but to the last digit
    edits = unkeyed_edits.edits(unkeyed_edits.everywhere(), scene.frame_current_final, keyed)
    try:
        yield
    finally:
        with unless_gone:
            probe.set_frame(scene, frame)
        unkeyed_edits.restore(edits)

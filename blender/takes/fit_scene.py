"""Range and rate of a capture, for a scene that has others."""

from typing import Any, NamedTuple

from bpy.types import Scene

from .. import versions
from ..armatures import Rig
from ..plant.contact_keys import keyed_span
from .frame_rate import set_rate

RATE = "two_bone_ik_rate"
"""Custom property of actions that were imported: frames a second."""


class CaptureTime(NamedTuple):
    """First and last frame of a capture, and frames a second."""

    start: int
    end: int
    fps: float


def misfit(rig: Rig, scene: Scene) -> CaptureTime | None:
    """Range and rate of the capture, if they differ from the scene's; otherwise None.

    A capture whose importer has not told its rate has that of the scene.
    """
    action: Any = versions.played(rig)[0]
    now = CaptureTime(scene.frame_start, scene.frame_end, scene.render.fps / scene.render.fps_base)
    span = keyed_span(rig)
    time = CaptureTime(*span, action.get(RATE, now.fps)) if span else now
    return None if time == now else time


def fit(scene: Scene, time: CaptureTime) -> None:
    """Give the scene this range and rate."""
    scene.frame_start, scene.frame_end = time.start, time.end
    set_rate(scene, time.fps)

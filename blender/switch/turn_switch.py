"""The order of the steps that let a chain show by the switch of its rig."""

from dataclasses import replace
from math import inf

import numpy as np
from bpy.types import Scene

from ...skeleton.values import MERGE
from .. import versions
from ..armatures import Rig
from ..bake.build_plan import current_plan
from ..bake.keys_of_limbs import bone_keys
from ..curves import key_checks, unkeyed_edits
from ..curves.keys import key_points
from ..curves.keys_beside import kept_span, setting_channel
from ..rigs.switch_property import turn
from ..settings.key_settings import DEFAULTS
from .control_keys import write_keys
from .switch_plan import setting_of


def turn_switch(rig: Rig, name: str, scene: Scene, path: str, value: float) -> list[str]:
    """Turn the switch at this path; key it where the chain or the switch has keys, over the chain's and this frame.

    Keys of the chain count as far as the switch keeps its value. Outside of these frames it stays as it is. Returns
    sentences about what else has changed.

    raises : Refused where it cannot be keyed; then nothing has changed
    """
    [chain] = current_plan(rig, [name], scene).chains
    frames, notes = bone_keys(chain, -inf, inf), []
    if len(frames) or path in versions.animated_paths(rig):
        start, end = _stretch(rig, path, scene.frame_current_final)
        frames = np.append(frames[(frames > start - MERGE) & (frames < end - MERGE)], scene.frame_current_final)
        span = float(frames.min()), float(frames.max())
        spans = {path: [kept_span(rig, path, np.array(span))]}
        key_checks.refuse_unwritable(rig, spans, DEFAULTS)
        key_checks.refuse_unkept(rig, spans)
        channel, going_on = setting_channel(rig, setting_of(path, value), np.array(span))
        with unkeyed_edits.preserve_edits(rig, scene, {path}):
            notes = write_keys(rig, [channel], span, replace(DEFAULTS, interpolation=going_on))
    turn(rig, path, value)
    return notes


def _stretch(rig: Rig, path: str, frame: float) -> tuple[float, float]:
    """The frames of the last key of the switch up to this frame, and of its next key with another value."""
    curve = versions.curve_finder(rig)(path, index=0)
    if not curve:
        return -inf, inf
    frames, values = key_points(curve)
    ahead = frames < frame + MERGE
    others = ~ahead & ~np.isclose(values, curve.evaluate(frame))
    return frames[ahead].max(initial=-inf), frames[others].min(initial=inf)

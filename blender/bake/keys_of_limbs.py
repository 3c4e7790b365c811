"""On which frames a chain's targets, its bones and its options have keys, and which of its bones have none at all."""

import numpy as np

from ...skeleton.values import ChainPlan, Point
from ...solver.values import Array
from .. import versions
from ..curves.keys import key_frames, key_points, rotation_curves
from ..scene import dependencies
from ..settings import keyed_options


def target_keys(chain: ChainPlan, start: float, end: float) -> Array:
    """(m,) rising, the frames from `start` to `end` with a key on target, pole target, or what carries them."""
    places = {place for point in chain.targets for place in dependencies.with_parents(point)}
    return _within(key_frames(*places), start, end)


def bone_keys(chain: ChainPlan, start: float, end: float) -> Array:
    """(m,) rising, the frames from `start` to `end` with a key on a bone of the limb, from its root to its tip."""
    return _within(key_frames(*(Point(chain.rig, name) for name in chain.oriented)), start, end)


def without_keys(chain: ChainPlan) -> list[str]:
    """Names of the bones that a bake of the chain keys, and that nothing animates yet."""
    lacking = [bone for bone in chain.keyed if not any(rotation_curves(chain.rig, [bone]))]
    animated = versions.ever_animated_paths(chain.rig) if lacking else ()  # which takes longer, and has NLA strips
    return [bone.name for bone in lacking if bone.rotation_path not in animated]


def option_keys(chain: ChainPlan, start: float, end: float) -> Array:
    """(m,) rising, the frames from `start` to `end` with a key on one of the chain's keyed options."""
    paths = {keyed_options.path(chain.end.path, name) for name in chain.animated}
    paths |= {keyed_options.path(part.bone.path, "twist") for part in chain.twists if part.animated}
    key_times = (key_points(curve)[0] for curve in versions.curves(chain.rig) if curve.data_path in paths)
    return _within(np.concatenate([np.empty(0), *key_times]), start, end)


def _within(key_times: Array, start: float, end: float) -> Array:
    # Keys of several curves on one frame may differ in the last digits.
    frames = np.unique(np.round(key_times, 2))
    return frames[(frames >= start) & (frames <= end)]

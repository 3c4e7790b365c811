"""The animation that keyed options get from an IK constraint: curves and drivers as they are, or keys on all frames."""

from dataclasses import dataclass
from math import pi

import numpy as np
from bpy.types import FCurve, PoseBone, Scene

from ...skeleton.values import Channel
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves import unkeyed_edits, write
from ..curves.keys import curves_at
from ..settings import keyed_options
from ..settings.key_settings import KeySettings

STYLE = KeySettings(interpolation="LINEAR")
SWITCHES = ("mute", "enabled")
"""Properties of a constraint that only say whether it acts."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OptionAnimation:
    """What animates one of a chain's keyed options.

    name : of the option
    source : path of the constraint's property whose curve or driver goes over as it is; "" if it was sampled
    influence : that of the constraint while it acts, if `source` only says whether it does
    frames, values : (n,) if it was sampled
    """

    name: str
    source: str = ""
    influence: float = 1.0
    frames: Array | None = None
    values: Array | None = None

    @property
    def is_switch(self) -> bool:
        """True if the constraint's property only says whether it acts."""
        return self.source.rpartition(".")[2] in SWITCHES

    def switched(self, value: float) -> float:
        """The influence for this value of the switch."""
        return self.influence if (value >= 1.0) == self.source.endswith(".enabled") else 0.0


def animate(rig: Rig, end_bone: str, scene: Scene, animations: tuple[OptionAnimation, ...]) -> None:
    """Give the chain that ends in this bone the animations, in place of those that its options have."""
    end = rig.pose.bones[end_bone]
    paths = {animation.name: keyed_options.path(end.path_from_id(), animation.name) for animation in animations}
    with unkeyed_edits.preserve_edits(rig, scene, set(paths.values())):
        for animation in animations:
            path = paths[animation.name]
            if animation.frames is not None:
                _key(rig, end, path, animation)
                continue
            for driver in drivers_at(rig, animation.source):
                _copy_driver(rig, driver, path, animation)
            for curve in curves_at(rig, animation.source):
                _copy_curve(rig, end, curve, path, animation)


def drivers_at(rig: Rig, path: str) -> list[FCurve]:
    """The drivers of the armature object for the property at this path."""
    return [driver for driver in versions.drivers(rig) if driver.data_path == path]


def _key(rig: Rig, end: PoseBone, path: str, animation: OptionAnimation) -> None:
    assert animation.frames is not None
    assert animation.values is not None
    # An angle beyond half a turn comes back on the other side, and must not turn all the way in between.
    jumps = np.abs(np.diff(animation.values)) > pi
    channel = Channel(
        path=path, group=end.name, frames=animation.frames, values=animation.values[:, None], constant=jumps
    )
    write.keys(rig, [channel], span=(animation.frames[0], animation.frames[-1]), style=STYLE)


def _copy_curve(rig: Rig, end: PoseBone, curve: FCurve, path: str, animation: OptionAnimation) -> None:
    new = write.copy_curve(rig, curve, path, end.name)
    if animation.is_switch:
        for key in new.keyframe_points:
            key.co.y, key.interpolation = animation.switched(key.co.y), "CONSTANT"
        new.extrapolation = "CONSTANT"
    new.update()


def _copy_driver(rig: Rig, driver: FCurve, path: str, animation: OptionAnimation) -> None:
    new = rig.animation_data.drivers.from_existing(src_driver=driver)
    new.data_path = path
    if animation.is_switch:
        # The keys of a driver's curve say what becomes of its value; Blender takes 1 and more as true.
        for modifier in new.modifiers:
            new.modifiers.remove(modifier)
        new.keyframe_points.clear()
        new.keyframe_points.add(2)
        for key, value in zip(new.keyframe_points, (0.0, 1.0), strict=True):
            key.co = value, animation.switched(value)
            key.interpolation = "CONSTANT"
        new.extrapolation = "CONSTANT"
        new.update()

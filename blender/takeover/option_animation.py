"""The animation of an IK constraint, which the options of its chain take along: influence, pole angle, whether it acts.

A curve or a driver of the influence goes over as it is where it decides alone. Otherwise what they give together is
sampled and keyed on every frame: the pole angle always, since the chain counts it from another line, which keys beneath
the constraint turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from typing import cast

import numpy as np
from bpy.types import FCurve, KinematicConstraint, PoseBone, Scene

from ...skeleton.rotation_mode import rotation_name
from ...skeleton.values import Channel, Point
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves import key_checks, unkeyed_edits, write
from ..curves.keys import curves_at, driver_at
from ..messages.translation import frame_text, translated
from ..scene import probe, sampling
from ..scene.need import SampleNeed
from ..settings import keyed_options
from ..settings.key_settings import KeySettings
from .pre_constraint_pose import pre_constraint_pose

_SAME = 1e-5
"""An angle that changes by less on all frames needs no keys."""

STYLE = KeySettings(interpolation="LINEAR")
SWITCHES = ("mute", "enabled")
"""Properties of a constraint that only say whether it acts."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OptionAnimation:
    """What animates one of a chain's keyed options.

    name : of the option
    source : path of the constraint's property whose curve or driver goes over as it is; "" if it was sampled
    frames, values : (n,) if it was sampled
    """

    name: str
    source: str = ""
    frames: Array | None = None
    values: Array | None = None


def acts_fully(constraint: KinematicConstraint) -> bool:
    """Whether it acts with all its influence, and nothing of it is ever animated."""
    animated, path = versions.ever_animated_paths(constraint.id_data), constraint.path_from_id()
    return not (constraint.mute or constraint.influence < 1.0 or any(name.startswith(path) for name in animated))


def option_animations(
    owner: PoseBone, constraint: KinematicConstraint, root: PoseBone, end: PoseBone, scene: Scene
) -> tuple[OptionAnimation, ...]:
    """All that the chain has to take along; `owner` is the bone that has the constraint.

    raises : Refused if the action, or a property to be animated, cannot be changed
    """
    rig = cast(Rig, owner.id_data)
    path, animated = constraint.path_from_id(), versions.ever_animated_paths(rig)
    acting = [name for name in ("influence", *SWITCHES) if f"{path}.{name}" in animated]
    beneath = f"{end.path_from_id()}.{rotation_name(end.rotation_mode)}"
    turning = constraint.pole_target is not None and not animated.isdisjoint({f"{path}.pole_angle", beneath})
    if not (acting or turning):
        return ()
    animations = []
    source = f"{path}.influence"
    if acting == ["influence"] and _goes_over(rig, source):
        animations.append(OptionAnimation(name="influence", source=source))
    if turning or (acting and not animations):
        frames = _frames(rig, scene, {beneath, *(f"{path}.{name}" for name in ("influence", "pole_angle", *SWITCHES))})
        influence, angle = _sampled(owner, constraint, root, end, scene, frames)
        # One that is muted throughout by animation has an influence that does not change, but is not its own.
        sampled = [("influence", influence)] if acting and not animations else []
        sampled += [("pole_angle", angle)] if turning and np.ptp(angle) > _SAME else []
        animations += [OptionAnimation(name=name, frames=frames, values=values) for name, values in sampled]
    paths = {keyed_options.path(end.path_from_id(), animation.name) for animation in animations}
    key_checks.refuse_unwritable(rig, paths, STYLE)
    return tuple(animations)


def differences(constraint: KinematicConstraint, animations: tuple[OptionAnimation, ...]) -> Iterator[str]:
    """Sentences about what the chain does not take along."""
    rig, path = cast(Rig, constraint.id_data), constraint.path_from_id()
    for animation in animations:
        names = (animation.name, *(SWITCHES if animation.name == "influence" else ()))
        driven = [name for name in names if driver_at(rig, f"{path}.{name}")]
        if driven and animation.frames is not None:
            start, end = (frame_text(frame) for frame in animation.frames[[0, -1]])
            yield translated("takeover.driven", names=", ".join(driven), start=start, end=end)


def _goes_over(rig: Rig, path: str) -> bool:
    """True if one curve or one driver, which nothing changes on its way, says what the property is."""
    if any(curve.data_path == path for _, curves in versions.strips(rig) for curve in curves):
        return False
    curves = curves_at(rig, path)
    if driver := driver_at(rig, path):
        return not (curves or driver.mute) and _is_straight(driver)
    return not any(curve.mute or len(curve.modifiers) or curve.sampled_points for curve in curves)


def _is_straight(driver: FCurve) -> bool:
    """True if the property has the driver's own value: a new driver has a modifier that says so, or keys."""
    points = [(key.co.x, key.co.y) for key in driver.keyframe_points]
    kinds = [(modifier.type, tuple(getattr(modifier, "coefficients", ()))) for modifier in driver.modifiers]
    return points in ([], [(0.0, 0.0), (1.0, 1.0)]) and kinds in ([], [("GENERATOR", (0.0, 1.0))])


def _frames(rig: Rig, scene: Scene, paths: set[str]) -> Array:
    """(n,) those of the scene, and all on which the properties at these paths have keys or NLA strips."""
    spans = [curve.range().to_tuple() for curve in versions.curves(rig) if curve.data_path in paths]
    playing = (strip for strip, curves in versions.strips(rig) if any(curve.data_path in paths for curve in curves))
    spans += [(strip.frame_start, strip.frame_end) for strip in playing]
    firsts, lasts = zip((scene.frame_start, scene.frame_end), *spans, strict=True)
    return np.arange(np.floor(min(firsts)), np.ceil(max(lasts)) + 1.0)


def _sampled(
    owner: PoseBone, constraint: KinematicConstraint, root: PoseBone, end: PoseBone, scene: Scene, frames: Array
) -> tuple[Array, Array]:
    """(n,) influence, 0 where the constraint is muted, and pole angle of the chain."""
    rig = cast(Rig, owner.id_data)
    need = SampleNeed.at((Point(rig, end.name), Point(rig, owner.name)))
    names, influence, angle, basis = (owner.name, constraint.name, end.name), [], [], []
    with sampling.stage_for(scene, need) as stage:
        for frame in frames.tolist():
            probe.set_frame(stage, frame)
            bones = rig.evaluated_get(stage.view_layers[0].depsgraph).pose.bones
            acting = cast(KinematicConstraint, bones[names[0]].constraints[names[1]])
            influence.append(0.0 if acting.mute else acting.influence)
            angle.append(acting.pole_angle)
            basis.append(np.array(bones[names[2]].matrix_basis, dtype=np.float64))
    pole_angle = pre_constraint_pose(root, end, np.array(basis)).pole_angle(np.array(angle))
    return np.array(influence), pole_angle


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
            if driver := driver_at(rig, animation.source):
                rig.animation_data.drivers.from_existing(src_driver=driver).data_path = path
            for curve in curves_at(rig, animation.source):
                write.copy_curve(rig, curve, path, end.name)


def _key(rig: Rig, end: PoseBone, path: str, animation: OptionAnimation) -> None:
    frames, values = animation.frames, animation.values
    # What an angle beyond half a turn comes back to, on the other side, or a constraint that is muted, comes at once.
    jumps = np.diff(values == 0.0) if animation.name == "influence" else np.abs(np.diff(values)) > pi
    channel = Channel(path=path, group=end.name, frames=frames, values=values[:, None], constant=jumps)
    write.keys(rig, [channel], span=(frames[0], frames[-1]), style=STYLE)

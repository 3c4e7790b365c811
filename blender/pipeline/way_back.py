"""The way back, from poses to targets: read, sample what shows, find target and pole, convert, write, measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpy.types import Object, Scene

from ..report import Report
from . import Steps, at_current_frame, measure, read, report_of, run, sample, unkeyed, writable, write
from .channel import Channel, KeyStyle
from .convert.targets import Place, rotation_of, target_channels, target_path
from .measure import Measure
from .plan import Plan, Point
from .read import Frames
from .read.keyable import keyable
from .sample import Sampling
from .solve import targets
from .solve.targets import Aimed


def bake_targets(
    rig: Object,
    names: Sequence[str] | None,
    frames: Frames | None,
    scene: Scene | None,
    *,
    way: Sampling,
    measuring: Measure = Measure.AUTO,
) -> Steps:
    """Key target and pole target over the range, so that they follow the pose that shows."""
    plan = read.plan(rig, names, frames, scene)
    read.refuse_too_many_frames(plan)
    read.refuse_stretched_time(plan)
    points = keyable(plan, over_range=True)
    _refuse_unsettable(points, insert_keys=True)
    with sample.Sampler(plan, way) as sampler:
        samples = yield from sampler.shown(points)
        aimed = targets.aimed(plan, samples)
        places = _places(aimed)
        channels = target_channels(plan, places, samples)
        yield 1.0
        sampler.removal.refuse()
        notes = _key_targets(plan, channels)
        keyed = {item: {channel.path for channel in found} for item, found in channels.items()}
        measured, told = measure.places(
            plan, aimed, places, measuring, lambda need, frames: run(sampler.played(need, frames, keyed))
        )
    notes = [*targets.notes(plan, aimed), *notes, *told]
    return report_of(plan, [one.solved for one in aimed], notes, measured)


def snap_targets(rig: Object, names: Sequence[str] | None, scene: Scene | None, *, insert_keys: bool) -> Report:
    """The same for the scene as it stands, on its current frame; keyed where that is asked for."""
    plan = at_current_frame(read.plan(rig, names, None, scene))
    points = keyable(plan, over_range=False)
    _refuse_unsettable(points, insert_keys=insert_keys)
    samples = sample.current_shown(plan, points)
    aimed = targets.aimed(plan, samples)
    channels = target_channels(plan, _places(aimed), samples)
    for item, found in channels.items():
        write.pose(item, found)
    notes = _key_targets(plan, channels) if insert_keys else []
    return report_of(plan, [one.solved for one in aimed], [*targets.notes(plan, aimed), *notes])


def aim(rig: Object, names: Sequence[str], scene: Scene | None) -> tuple[Report, list[Aimed]]:
    """Where target and pole target have to be for the scene as it stands, for chains that may lack them."""
    plan = at_current_frame(read.plan(rig, names, None, scene, stand_in=Point(rig)))
    samples = sample.current_shown(plan, ())
    aimed = targets.aimed(plan, samples)
    return report_of(plan, [one.solved for one in aimed], targets.notes(plan, aimed)), aimed


def _refuse_unsettable(points: Mapping[Point, bool], *, insert_keys: bool) -> None:
    for point, turns in points.items():
        paths = {target_path(point, "location")} | ({target_path(point, rotation_of(point)[1])} if turns else set())
        writable.refuse_unsettable(point.object, paths, insert_keys=insert_keys)


def _places(aimed: Sequence[Aimed]) -> dict[Point, Place]:
    places = {}
    for one in aimed:
        plan = one.solved.plan
        places[plan.target] = Place(location=one.target, orientation=one.orientation if plan.use_rotation else None)
        if plan.pole:
            places[plan.pole] = Place(location=one.pole)
    return places


def _key_targets(plan: Plan, channels: Mapping[Object, list[Channel]]) -> list[str]:
    notes = []
    for item, found in channels.items():
        with unkeyed.kept(item, plan.scene, {channel.path for channel in found}):
            notes += write.keys(item, found, span=(plan.frames[0], plan.frames[-1]), style=KeyStyle())
    return notes

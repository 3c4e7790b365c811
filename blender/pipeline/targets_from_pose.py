"""The way back, from poses to targets: read, sample what shows, find target and pole, convert, write, compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpy.types import Object, Scene

from ...skeleton import targets_from_pose
from ...skeleton.channel import Channel, KeyStyle
from ...skeleton.plan import Plan, Point
from ...skeleton.target_channels import WorldTransform, rotation_of, target_channels, target_path
from ...skeleton.targets_from_pose import TargetsFromPose
from ..messages.report import Report
from . import unkeyed_edits, write
from .checks import keys
from .checks.frame_count import refuse_stretched_time, refuse_too_many_frames
from .checks.targets import keyable
from .measure import compare
from .measure.chosen_frames import Measure
from .read.build_plan import Frames, build_plan
from .requests import Steps, at_current_frame, report_of, run
from .sample.sampling import Sampler, Sampling, sample_current_pose


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
    plan = build_plan(rig, names, frames, scene)
    refuse_too_many_frames(plan)
    refuse_stretched_time(plan)
    points = keyable(plan, over_range=True)
    _refuse_unsettable(points, insert_keys=True)
    with Sampler(plan, way) as sampler:
        samples = yield from sampler.pose_over_range(points)
        aimed = targets_from_pose.targets_from_pose(plan, samples)
        places = _places(aimed)
        channels = target_channels(plan, places, samples)
        yield 1.0
        sampler.removal.refuse()
        notes = _key_targets(plan, channels)
        keyed = {item: {channel.path for channel in found} for item, found in channels.items()}
        measured, told = compare.compare_targets(
            plan, aimed, places, measuring, lambda need, frames: run(sampler.played(need, frames, keyed))
        )
    notes = [*targets_from_pose.notes(plan, aimed), *notes, *told]
    return report_of(plan, [one.solved for one in aimed], notes, measured)


def snap_targets(rig: Object, names: Sequence[str] | None, scene: Scene | None, *, insert_keys: bool) -> Report:
    """The same for the scene as it stands, on its current frame; keyed where that is asked for."""
    plan = at_current_frame(build_plan(rig, names, None, scene))
    points = keyable(plan, over_range=False)
    _refuse_unsettable(points, insert_keys=insert_keys)
    samples = sample_current_pose(plan, points)
    aimed = targets_from_pose.targets_from_pose(plan, samples)
    channels = target_channels(plan, _places(aimed), samples)
    for item, found in channels.items():
        write.pose(item, found)
    notes = _key_targets(plan, channels) if insert_keys else []
    return report_of(plan, [one.solved for one in aimed], [*targets_from_pose.notes(plan, aimed), *notes])


def aim(rig: Object, names: Sequence[str], scene: Scene | None) -> tuple[Report, list[TargetsFromPose]]:
    """Where target and pole target have to be for the scene as it stands, for chains that may lack them."""
    plan = at_current_frame(build_plan(rig, names, None, scene, stand_in=Point(rig)))
    samples = sample_current_pose(plan, ())
    aimed = targets_from_pose.targets_from_pose(plan, samples)
    return report_of(plan, [one.solved for one in aimed], targets_from_pose.notes(plan, aimed)), aimed


def _refuse_unsettable(points: Mapping[Point, bool], *, insert_keys: bool) -> None:
    for point, turns in points.items():
        paths = {target_path(point, "location")} | ({target_path(point, rotation_of(point)[1])} if turns else set())
        keys.refuse_unsettable(point.object, paths, insert_keys=insert_keys)


def _places(aimed: Sequence[TargetsFromPose]) -> dict[Point, WorldTransform]:
    places = {}
    for one in aimed:
        plan = one.solved.plan
        places[plan.target] = WorldTransform(
            location=one.target, orientation=one.orientation if plan.use_rotation else None
        )
        if plan.pole:
            places[plan.pole] = WorldTransform(location=one.pole)
    return places


def _key_targets(plan: Plan, channels: Mapping[Object, list[Channel]]) -> list[str]:
    notes = []
    for item, found in channels.items():
        with unkeyed_edits.preserve_edits(item, plan.scene, {channel.path for channel in found}):
            notes += write.keys(item, found, span=(plan.frames[0], plan.frames[-1]), style=KeyStyle())
    return notes

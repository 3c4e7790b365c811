"""Plant: captured feet stand where they touch the ground, and nothing outside of the range changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from mathutils import Matrix

from fuzz import changes, oracle, state
from support import walker

RIG = "Walker"
KEPT = 1e-4
"""Metres by which frames outside of the range may be off."""
STANDS = 5e-4
"""Metres a frame beyond what the report tells."""


def plant(random: Random, scene: dict) -> None:
    """33: a second of a captured walk is planted, all of it or a part."""
    start, end = sorted(random.sample(range(1, 31), 2))
    request = {"what": "plant", "ratio": random.choice([0.85, 1.0, 1.15]), "every": random.choice([1, 1, 2, 3])}
    if random.random() < 0.6 and end - start > 3:
        request["frames"] = [start, end]
    request["limbs"] = random.choice([None, None, ["Leg.L"]])
    for option, share in (("up", 0.3), ("twice", 0.3)):
        if random.random() < share:
            request[option] = True
    empty = {"bones": {}, "poses": {}, "rig": {}, "objects": {}, "chains": [], "lengths": [1.0, 1.0]}
    scene.clear()
    scene.update(empty, request=request)


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Points stand as the report tells; outside of the range all bones are as captured, and the capture stays."""
    to_world = walker.Y_UP if request.get("up") else Matrix()
    take = walker.captured("walk", 1.0)
    rig, count = walker.walker(take, request["ratio"], to_world), len(take.hips)
    _thin(rig, request["every"])
    frames = tuple(request["frames"]) if "frames" in request else None
    names, every = [(RIG, bone.name) for bone in rig.pose.bones], np.arange(1.0, count + 1)
    captured, here = oracle.worlds(names, every), state.state()
    contacts = api.contacts(rig, request["limbs"], frames)
    yield from changes.unasked(here, scene, [])
    report = api.plant(rig, request["limbs"], frames)
    if request.get("twice"):
        report = api.plant(rig, request["limbs"], frames)
    told += [] if report.posed else ["not planted so"]
    for path in state.changed(here):
        if path.startswith("actions[Captured]"):
            yield f"the capture changes: {path}"
    planted = oracle.worlds(names, every)
    rows = np.array([frames is not None and not frames[0] <= frame <= frames[1] for frame in every])
    if rows.any():
        off = np.abs(planted[rows] - captured[rows]).max(axis=(1, 2, 3))
        if off.max() > KEPT:
            yield f"plant changes frames outside: by {off.max():.4g} on frame {every[rows][int(off.argmax())]:g}"
    yield from _stand(report, contacts, frames, request)


def _stand(report: api.Report, contacts: tuple, frames: tuple | None, request: Mapping) -> Iterator[str]:
    """No point that stands slides more from frame to frame than the report says of its foot."""
    feet = {foot.name: foot for foot in report.feet}
    # In a short part, feet that all skate alike are told as on a treadmill.
    carried = any("treadmill" in alert for alert in report.as_dict()["alerts"])
    if not feet:
        yield "no feet told"
    for foot in feet.values():
        if foot.frames and not foot.short and foot.measured == foot.total:
            slid = _slid([contact for contact in contacts if contact.chain == foot.name], frames, carried=carried)
            if slid > foot.after[1] + STANDS:
                yield f"silent slide: {slid:.4g} a frame where {foot.after[1]:.4g} is told, {foot.name}"


def _slid(contacts: list[api.Contact], frames: tuple | None, *, carried: bool) -> float:
    """How far a foot goes at most from frame to frame, by that of its points that stands stillest.

    carried : on a ground that moves steadily, as each contact shows it
    """
    least: dict[float, float] = {}
    for contact in contacts:
        start, end = (contact.start, contact.end) if frames is None else np.clip((contact.start, contact.end), *frames)
        span = np.arange(np.ceil(start), np.floor(end) + 1e-6)
        if len(span) < 2:
            continue
        matrices = oracle.worlds([(RIG, contact.bone)], span)[:, 0]
        places = matrices[:, :3, :3] @ np.array(contact.offset, dtype=float) + matrices[:, :3, 3]
        steps = np.diff(places[:, :2], axis=0)
        steps = np.linalg.norm(steps - np.median(steps, axis=0) * carried, axis=-1)
        for frame, step in zip(span[1:], steps, strict=True):
            least[frame] = min(step, least.get(frame, np.inf))
    return max(least.values(), default=0.0)


def _thin(rig: Object, every: int) -> None:
    """Leave only every second or third key."""
    for curve in list(state.curves(rig.animation_data.action)) if every > 1 else ():
        for key in [key for key in curve.keyframe_points if (round(key.co.x) - 1) % every][::-1]:
            curve.keyframe_points.remove(key, fast=True)
        curve.update()
    oracle.on_frame(1)

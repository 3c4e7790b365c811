"""One scene, carried out and judged: refused and untouched, or done and every word of the report true."""

from __future__ import annotations

import faulthandler
import re
import signal
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from . import acts, build, changes, geometry, judge, oracle, state
from .build import RIG

SECONDS = 60
"""What takes longer hangs."""

TAKEN_OVER = 1e-2
"""As `judge.KEPT`, for a constraint, whose own iteration leaves some of it near straight and near folded."""


@dataclass
class Verdict:
    """How a scene ended: `faults` is empty where all was well; `told` is what the report owns up to."""

    outcome: str
    faults: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    words: str = ""

    @property
    def key(self) -> str:
        """What kind of fault it is, in a word or two: a smaller scene must have the same."""
        return " ".join(re.findall(r"^[\w ]+(?:: \w+Error)?", self.faults[0])) if self.faults else ""


class Hang(BaseException):
    """Raised by the alarm."""


def trial(scene: Mapping) -> Verdict:
    """Build the scene, ask for what it asks, and look."""
    build.clear()
    build.build(scene)
    request = dict(scene["request"])
    carry_out, before = REQUESTS[request.pop("what")], state.state()
    verdict = Verdict("done")
    try:
        with _alarm():
            verdict.faults += carry_out(request, before, verdict.told, scene)
    except Hang:
        return Verdict("hang", [f"hang: more than {SECONDS} s"])
    except api.Refused as refusal:
        faults = list(judge.refusal_faults(refusal, before, scene))
        return Verdict("refused", faults, words=f"{refusal.kind}: {refusal}")
    except Exception:  # noqa: BLE001 (whatever it is, it is what is looked for)
        lines = traceback.format_exc().strip().splitlines()
        place = next((line.strip() for line in reversed(lines) if line.startswith("  File")), "")
        return Verdict("traceback", [f"traceback: {lines[-1]} at {place}"], words="\n".join(lines))
    verdict.faults += oracle.key_faults()
    last = bpy.types.Scene.bl_rna.properties["frame_end"].hard_max
    if any(abs(frame) > last for frame in scene["request"].get("frames", ())[:2]):
        verdict.faults.append(f"beyond Blender's frames: {scene['request']['frames']} was done")
    if "not posed so" in verdict.told and not _constrained(scene):
        verdict.faults.append("not posed so: and no constraint acts on a bone")
    return verdict


def _constrained(scene: Mapping) -> bool:
    """What a bake can only tell of: constraints on top of the keys, and scales of 0. Else it has to pose as it says."""
    poses = scene["poses"].values()
    return any("constraints" in pose for pose in poses) or any(map(_flat, [*poses, scene["rig"]]))


def _flat(pose: Mapping) -> bool:
    """True where a scale is 0 along an axis, on a frame or on all."""
    return any(0.0 in scale for scale in (pose.get("scale", ()), *pose.get("keys", {}).get("scale", {}).values()))


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise Hang

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    # Should Python not come to its turn at all.
    faulthandler.dump_traceback_later(3 * SECONDS, exit=True)
    try:
        yield
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()


def _bake(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    rig = bpy.data.objects[RIG]
    report = api.bake(rig, **judge.arguments(request), measure="ALL")
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from changes.without_key(report, request) if "handler" not in scene else ()
    yield from judge.truth(report, request, told)
    if not report.posed and "handler" not in scene:
        told.append("not posed so")
        told += ["only ALL finds it"] if api.bake(rig, **judge.arguments(request)).posed else []


def _check(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    rig = bpy.data.objects[RIG]
    checked = api.check(rig, **judge.arguments(request))
    yield from changes.unasked(before, scene, [])
    if "handler" in scene:
        return
    try:
        baked = api.bake(rig, **judge.arguments(request))
    except api.Refused:
        return  # as where a chain shall rather not be baked than fall short
    for one, other in zip(checked.chains, baked.chains, strict=True):
        # How frames play that shall get no key, a check cannot know.
        known = np.isfinite(one.miss)
        same = np.allclose(one.miss[known], other.miss[known], rtol=1e-4, atol=1e-5)
        if not (same and np.array_equal(one.status, other.status) and (known | (one.status > 0)).all()):
            yield f"check differs from bake: {one.name}"
    unproven = any("only a bake measures" in note for note in checked.notes)
    told += ["only a bake measures"] if unproven else []
    yield from judge.truth(baked if unproven else checked, request, told)


def _solve(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    report = api.solve(bpy.data.objects[RIG], **request)
    bpy.context.view_layer.update()
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from judge.posed(report, told)


def _flip_bend(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    report = api.flip_bend(bpy.data.objects[RIG], **request)
    bpy.context.view_layer.update()
    asked = [*changes.keyed(report, request), r"objects\[Rig\]\.chains\[\d+\]\.bend", *changes.poles(report)]
    yield from changes.unasked(before, scene, asked)
    yield from judge.posed(report, told)


def _snap_targets(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    rig, pose, limbs = bpy.data.objects[RIG], oracle.shown(), judge.limbs()
    joints = oracle.shown(limbs)
    report = api.snap_targets(rig, **request)
    bpy.context.view_layer.update()
    yield from changes.unasked(before, scene, changes.targets(report), report)
    yield from judge.kept("snap moves the pose", pose, oracle.shown())
    if not judge.says_moved(report):
        with suppress(api.Refused):
            solved = api.solve(rig)
            bpy.context.view_layer.update()
            if judge.undisturbed(solved):
                yield from judge.kept("snap and solve move the pose", joints, oracle.shown(limbs))


def _bake_targets(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    rig = bpy.data.objects[RIG]
    start, end, *step = request.get("frames", (1, 6))
    limbs, pose, joints, frames = judge.limbs(), np.empty(0), np.empty(0), ()
    if end - start < 1000 and "handler" not in scene:
        frames, current = np.arange(start, end + 1e-6, *step), bpy.context.scene.frame_current_final
        pose, joints = oracle.shown(frames=frames), oracle.shown(limbs, frames)
        build.show(scene, current)
    report = api.bake_targets(rig, **judge.arguments(request))
    yield from changes.unasked(before, scene, changes.targets(report), report)
    yield from judge.kept("bake from pose moves the pose", pose, oracle.shown(frames=frames))
    if not judge.says_moved(report):
        with suppress(api.Refused):
            if judge.undisturbed(api.bake(rig, frames=(start, end, *step))):
                yield from judge.kept("bake from pose and bake move the pose", joints, oracle.shown(limbs, frames))


def _chains_from_constraints(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    rig, limbs = bpy.data.objects[RIG], [oracle.Limb("upper", "lower", "", "", "", {})]
    pose = oracle.shown(limbs)
    takeovers = api.chains_from_constraints(rig)
    if not any(takeover.chain for takeover in takeovers):
        return
    if any(takeover.differs for takeover in takeovers):
        told.append("takeover differs")
        return
    current = bpy.context.scene.frame_current_final
    api.bake(rig, frames=(current, current))
    oracle.on_frame(current)
    yield from judge.kept("takeover moves the pose", pose, oracle.shown(limbs), most=TAKEN_OVER)


def _add_chain(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    rig = bpy.data.objects[RIG]
    count = len(rig.two_bone_ik_chains)
    api.add_chain(rig, "lower", target=bpy.data.objects.get("Target"))
    yield from changes.unasked(before, scene, [rf"objects\[Rig\](\.chains\[{count}\])?\..*"])
    with suppress(api.Refused):
        yield from judge.truth(api.bake(rig, frames=(1, 2)), {}, told)


def _add_detected(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    api.add_detected(bpy.data.objects[RIG])
    yield from changes.unasked(before, scene, [r"objects\[Rig\](\.chains\[\d+\])?\..*"])


REQUESTS = {
    "bake": _bake,
    "check": _check,
    "solve": _solve,
    "flip_bend": _flip_bend,
    "snap_targets": _snap_targets,
    "bake_targets": _bake_targets,
    "chains_from_constraints": _chains_from_constraints,
    "add_chain": _add_chain,
    "add_detected": _add_detected,
    "solve_geometry": geometry.faults,
    **acts.REQUESTS,
}

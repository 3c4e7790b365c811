"""Carries out one shot: open the file, find the rigs, apply the setup, bake, save."""

from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any

import bpy

from .. import api
from ..blender.armatures import Rig
from ..blender.files import atomic_write, file_lock
from ..blender.messages.refused import Refused
from . import blend_file, interrupt, outcome, record
from .outcome import Clock, ExitStatus, Outcome
from .shot import Progress, Shot


def run_shot(what: Shot, progress: Progress) -> Outcome:
    """Carry out the shot; one of a manifest is skipped if its report says that the same was done before."""
    clock = Clock()
    request: dict[str, Any] = {}
    try:
        setups = [rig.load() for rig in what.rigs]
        request = what.request(setups)
        found = _done_before(what, request) or _carried_out(what, setups, request, clock, progress)
        progress(1.0)
    except Refused as refused:
        if not what.dry_run:
            record.write_failure(what, request, outcome.REFUSED, refused, clock.times())
        found = Outcome(status=ExitStatus.REFUSED, state=outcome.REFUSED, text=str(refused))
    return replace(found, **clock.times())


def _done_before(what: Shot, request: dict[str, Any]) -> Outcome | None:
    """The outcome of an earlier run that carried out the same; Refused if another program's file is in its place."""
    earlier = record.earlier(what)
    try:
        summaries = record.done_before(what, earlier, request) if what.is_resumed else None
        return None if summaries is None else outcome.of_summaries(summaries, "done before", strict=what.strict)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # refused then, a summary where all is asked for, or another version's


def _carried_out(
    what: Shot, setups: Sequence[api.Setup | None], request: dict[str, Any], clock: Clock, progress: Progress
) -> Outcome:
    for path in filter(None, (what.output, what.report)):
        atomic_write.refuse_unwritable(path, force=what.force)
    if what.dry_run:
        written = f'writes "{what.output}"' if what.output else "writes no file"
        return Outcome(status=ExitStatus.DONE, state=outcome.TO_DO, text=f"{what.command}, {written}")
    with file_lock.locked(what.report) if what.is_resumed and what.report else nullcontext():
        # Another pool may have done it while this one waited.
        return _done_before(what, request) or _written(what, setups, request, clock, progress)


def _written(
    what: Shot, setups: Sequence[api.Setup | None], request: dict[str, Any], clock: Clock, progress: Progress
) -> Outcome:
    """Open the file, bake, and write output and report, both or none; Refused if that cannot be done."""
    damage = "" if what.is_open else blend_file.load(what.file, enable_autoexec=what.enable_autoexec)
    if damage and what.strict:
        raise Refused("DAMAGED", value=damage)
    reports = _reports(what, setups, [*blend_file.notes(), *filter(None, [damage])], progress)
    interrupt.check()
    saved = blend_file.saved(what.file, what.output, force=what.force) if what.output else nullcontext()
    with saved as output:
        record.write(what, request, reports, clock.times(), damage, output)
    found = outcome.of_summaries([report.summary() for report in reports], outcome.DONE, strict=what.strict)
    return replace(found, damage=damage, reports=tuple(reports))


def _reports(what: Shot, setups: Sequence[api.Setup | None], notes: list[str], progress: Progress) -> list[api.Report]:
    found = [
        (rig, setup)
        for asked, setup in zip(what.rigs, setups, strict=True)
        for rig in blend_file.rigs(what.file, asked.name, with_chains=setup is None)
    ]
    chains = [_applied(rig, setup) if setup else None for rig, setup in found]
    reports: list[api.Report] = []
    for (rig, _), names in zip(found, chains, strict=True):
        report = _report(what, rig, names, lambda done: progress((len(reports) + done) / len(found)))
        reports.append(replace(report, notes=(*report.notes, *notes)))
    return reports


def _applied(rig: Rig, setup: api.Setup) -> list[str]:
    """Apply the setup to the armature; the names of its chains that are not muted."""
    return [name for name in api.apply_setup(rig, setup) if not rig.two_bone_ik_chains[name].mute]


def _report(what: Shot, rig: Rig, chains: list[str] | None, progress: Progress) -> api.Report:
    scene = bpy.context.scene if bpy.context.scene in rig.users_scene else None
    if what.command == "check":
        return api.check(rig, chains, what.frames, scene=scene)
    baking = api.baking_targets if what.command == "snap" else api.baking
    style = api.KeyStyle.of(what)
    request = baking(rig, chains, what.frames, scene=scene, style=style, measure=what.measure)
    with closing(request):
        for done in request.prepare():
            interrupt.check()
            progress(done)
        interrupt.check()
        return request.write()

"""Carries out one shot: open the file, find the rigs, apply the setup, bake, save."""

import os
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Scene

from .. import api
from ..blender.armatures import Rig
from ..blender.bake.build_plan import after_followed
from ..blender.files import atomic_write, file_lock
from ..blender.messages.refused import Refused
from ..blender.scene.checks import given_rig
from ..blender.takes.take import Intake
from . import blend_file, interrupt, outcome, outputs, record, shot_options
from .formats import is_take
from .outcome import Clock, ExitStatus, Outcome
from .record import RefuseOther
from .shot import Progress, Setups, Shot, digests, imported
from .standard_streams import tell
from .text_values import declared

_AT_ONCE = 16
"""The most characters that are baked at the same time: their samples and keys are in memory together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What to do with one armature.

    chains : names of its chains; None for all
    plant : options of Plant
    """

    chains: list[str] | None
    plant: Mapping[str, Any]


@contextmanager
def _told(tell: Callable[[Refused], object], shot: Shot) -> Iterator[None]:
    """Tells what is refused inside, and to keep going lets no other armature know."""
    try:
        yield
    except Refused as refused:
        tell(refused)
        if not shot.keep_going:
            raise


def run_shot(shot: Shot, progress: Progress, refuse_other: RefuseOther | None = None) -> Outcome:
    """Carry out the shot; one of a list is skipped if its report says that the same was done before.

    refuse_other : is asked about a report that lies in its place and has another number or name
    """
    clock = Clock()
    request: dict[str, Any] = {}
    try:
        if shot.dry_run:
            ended = _to_do(shot)
        else:
            setups = _setups(shot)
            request = shot.request(setups)
            ended = _done_before(shot, request, refuse_other)
            if not ended:
                _refuse_at_once(shot)
                for path in filter(None, (*shot.outputs, shot.report)):
                    atomic_write.refuse_unwritable(path, force=shot.force)
                with file_lock.locked(shot.report) if shot.is_resumed and shot.report else nullcontext():
                    # Another task may have done it while this one waited.
                    ended = _done_before(shot, request, refuse_other)
                    ended = ended or _written(shot, setups, request, clock, progress)
        progress(1.0)
    except Refused as refused:
        if not shot.dry_run:
            about = {"state": outcome.REFUSED, "request": request, **clock.times()}
            record.write_failure(shot, about, refused, refuse_other)
        ended = Outcome(status=ExitStatus.REFUSED, state=outcome.REFUSED, text=str(refused))
    return ended


def done_before(shot: Shot, refuse_other: RefuseOther | None = None) -> Outcome | None:
    """The outcome of a shot that an earlier run has carried out; None if it is to be carried out, or cannot be."""
    try:
        if not (shot.is_resumed and record.earlier(shot)):
            return None
        return _done_before(shot, shot.request(_setups(shot)), refuse_other)
    except Refused:
        return None


def _to_do(shot: Shot) -> Outcome:
    """What would be done, as far as it can be told without opening a file; Refused if it cannot be done."""
    if shot.fault:
        raise shot.fault
    _refuse_at_once(shot)
    setups = [] if shot.keep_going else [rig.file for rig in shot.rigs]
    for path in filter(None, (shot.file, shot.python_before, shot.python_after, *setups)):
        atomic_write.refuse_missing(path)
    for path in filter(None, (*shot.outputs, shot.report)):
        atomic_write.refuse_read_only(path, force=shot.force)
    is_written = shot.report and all(map(os.path.exists, (*shot.outputs, shot.report)))
    if shot.is_resumed and is_written and not shot.force:
        text = f"{shot.command} again if anything has changed"
        return Outcome(status=ExitStatus.DONE, state=outcome.TO_COMPARE, text=text)
    files = ", ".join(f'"{output}"' for output in shot.outputs)
    return Outcome(status=ExitStatus.DONE, state=outcome.TO_DO, text=f"{shot.command}, writes {files or 'no file'}")


def _setups(shot: Shot) -> Setups:
    """The setup of each armature; to keep going, the refusal in place of one that cannot be read."""
    setups: list[api.Setup | Refused | None] = []
    for rig in shot.rigs:
        with _told(setups.append, shot):
            setups.append(rig.load())
    return setups


def _done_before(shot: Shot, request: dict[str, Any], refuse_other: RefuseOther | None) -> Outcome | None:
    """The outcome of an earlier run that carried out the same; Refused if another's file is in its place."""
    earlier = record.earlier(shot, refuse_other)
    try:
        summaries = record.done_before(shot, earlier, request) if shot.is_resumed else None
        return None if summaries is None else outcome.of_summaries(summaries, "done before", strict=shot.strict)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # refused then, a summary where all is asked for, or another version's


def _refuse_at_once(shot: Shot) -> None:
    """Raise `Refused` if the names of files and the options alone show that the shot cannot be carried out."""
    if shot.command == "switch" and is_take(shot.file):
        raise Refused("NO_SWITCH", value=str(shot.file))
    if shot.command == "switch" and not shot.to:
        raise Refused("NO_CONTROL_SET")
    outputs.refuse_formats(shot)


def _written(shot: Shot, setups: Setups, request: dict[str, Any], clock: Clock, progress: Progress) -> Outcome:
    """Open the file, bake, and write output and report, both or none; Refused if that cannot be done."""
    damage, taken = "", Intake()
    if not shot.is_open:
        damage, taken = blend_file.load(shot.file, enable_autoexec=shot.enable_autoexec, **imported(shot))
    if damage and shot.strict is not None:
        raise Refused("DAMAGED", value=damage)
    if shot.python_before:
        _run_script(shot.python_before)
    libraries = digests(blend_file.libraries() if shot.report else ())
    notes = [*blend_file.notes(), *taken.notes, *filter(None, [damage])]
    reports, refusals = _reports(shot, setups, progress)
    if shot.python_after:
        _run_script(shot.python_after)
    interrupt.check()
    with ExitStack() as opened:
        saved = [opened.enter_context(output) for output in outputs.saved(shot, reports, taken, notes)]
        reports = [replace(report, notes=(*report.notes, *notes)) for report in reports]
        about = {"request": request, "libraries": libraries, "damage": damage, **clock.times()}
        record.write(shot, about, reports, refusals, saved)
    ended = outcome.of_summaries([report.summary() for report in reports], outcome.DONE, strict=shot.strict)
    if refusals:
        ended = outcome.left_out(ended, refusals)
    return replace(ended, damage=damage, reports=tuple(reports))


def _run_script(path: Path) -> None:
    """Run a script of the user's; Refused if it fails."""
    try:
        runpy.run_path(str(path), run_name="__main__")
    except (Exception, SystemExit) as error:  # noqa: BLE001  (it may raise anything)
        tell(traceback.format_exc(), end="", stream=sys.stderr)
        reason = traceback.format_exception_only(error)[-1].strip()
        raise Refused("HOOK", value=str(path), reason=reason) from None


def _reports(shot: Shot, setups: Setups, progress: Progress) -> tuple[list[api.Report], list[Refused]]:
    """The reports of the armatures, and the refusals of those that were left out to keep going."""
    refusals: list[Refused] = []
    tasks = _tasks(shot, setups, refusals)
    outputs.refuse_several(shot, len(tasks))
    reports: list[api.Report] = []
    groups, in_circle = _groups(shot, tasks)
    for refusal in in_circle:
        with _told(refusals.append, shot):
            raise refusal
    posed = 0

    def go_on(done: float) -> None:
        progress((posed + done) / len(tasks))

    for group in groups:
        reports.extend(_posed(shot, {rig: tasks[rig] for rig in group}, refusals, go_on))
        posed += len(group)
    if not reports:
        raise refusals[0]
    return reports, refusals


def _tasks(shot: Shot, setups: Setups, refusals: list[Refused]) -> dict[Rig, _Task]:
    """The armatures of the open file that take part, with their setups applied."""
    tasks: dict[Rig, _Task] = {}
    for rig_setup, setup in zip(shot.rigs, setups, strict=True):
        with _told(refusals.append, shot):
            if isinstance(setup, Refused):
                raise setup
            with_chains = not (setup and setup.chains) and shot.command not in ("plant", "switch")
            for rig in blend_file.rigs(shot.file, rig_setup.name, with_chains=with_chains):
                with _told(refusals.append, shot):
                    tasks[rig] = _task(shot, given_rig(rig), setup)
    return tasks


def _posed(shot: Shot, tasks: Mapping[Rig, _Task], refusals: list[Refused], progress: Progress) -> list[api.Report]:
    """The reports of armatures that are posed at the same time; `progress` is told how many are ready."""
    prepared: list[api.Request] = []
    reports: list[api.Report] = []
    with ExitStack() as opened:
        for place, (rig, task) in enumerate(tasks.items()):
            with _told(refusals.append, shot):
                if shot.command == "check":
                    reports.append(api.check(rig, task.chains, shot.frames, scene=_scene(rig), sampling=shot.sampling))
                    continue
                asked = _requests(shot, rig, task)
                for number, request in enumerate(asked):
                    with _told(refusals.append, shot):
                        opened.enter_context(closing(request))
                        for done in request.prepare():
                            interrupt.check()
                            progress(place + (number + done) / len(asked))
                        prepared.append(request)
        interrupt.check()
        for end in api.write_together(prepared):
            with _told(refusals.append, shot):
                if isinstance(end, Refused):
                    raise end
                reports.append(end)
    return reports


def _groups(shot: Shot, tasks: Mapping[Rig, _Task]) -> tuple[list[tuple[Rig, ...]], list[Refused]]:
    """The armatures that are posed at the same time, later ones may follow earlier ones; and refusals of others."""
    if shot.command != "bake":
        return [(rig,) for rig in tasks], []
    groups, refusals = after_followed({rig: task.chains for rig, task in tasks.items()})
    return [group[at : at + _AT_ONCE] for group in groups for at in range(0, len(group), _AT_ONCE)], refusals


def _scene(rig: Rig) -> Scene | None:
    return bpy.context.scene if bpy.context.scene in rig.users_scene else None


def _task(shot: Shot, rig: Rig, setup: api.Setup | None) -> _Task:
    """Apply the setup to the armature; the task has those of its chains that are not muted."""
    if setup is None:
        return _Task(chains=None, plant=shot.plant)
    names = [name for name in api.apply_setup(rig, setup) if not rig.two_bone_ik_chains[name].mute]
    return _Task(chains=names if setup.chains else None, plant={**setup.plant, **shot.plant})


def _requests(shot: Shot, rig: Rig, task: _Task) -> list[api.Request]:
    """The request for the armature, or those for each of its actions."""
    shared: dict[str, Any] = {"frames": shot.frames, "scene": _scene(rig)}
    shared |= {name: getattr(shot, name) for name, row in declared("keys").items() if shot.command in row["commands"]}
    found: api.Request | list[api.Request]
    if shot.command == "plant":
        found = api.plant.request(rig, **shared, **shot_options.plant_keywords(task.plant))
    elif shot.command == "switch":
        assert shot.to  # refused at once otherwise
        found = api.switch.request(rig, shot.to, shot.switched, **shared)
    else:
        command = {"snap": api.bake_targets, "build": api.build}.get(shot.command, api.bake)
        found = command.request(rig, task.chains, **shared)
    return found if isinstance(found, list) else [found]

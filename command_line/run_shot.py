"""Carries out one shot: open the file, find the rigs, apply the setup, bake, save."""

import runpy
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Scene

from .. import api
from ..blender.armatures import Rig
from ..blender.bake.build_plan import TakingPart, after_followed, chains_taking_part
from ..blender.bake.chain import shear_refusal
from ..blender.chains import inherit_scale
from ..blender.files import atomic_write, file_lock
from ..blender.messages.refused import Refused
from . import blend_file, interrupt, outcome, outputs, plant_options, record
from .formats import is_take
from .outcome import Clock, ExitStatus, Outcome
from .shot import Progress, Setups, Shot
from .text_values import declared

_POSING = ("bake", "check", "snap")
"""Commands that pose chains."""

_AT_ONCE = 16
"""The most characters that are baked at the same time: their samples and keys are in memory together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What one armature is to get: names of its chains, None for all, and options of Plant.

    left_out : the chains that were left out before, where `chains` names all others
    """

    chains: list[str] | None
    plant: Mapping[str, Any]
    left_out: TakingPart | None = None


def run_shot(what: Shot, progress: Progress, *, wait: bool) -> Outcome:
    """Carry out the shot; one of a manifest is skipped if its report says that the same was done before.

    wait : until another pool that is at it has done it; else the outcome is BUSY
    """
    clock = Clock()
    request: dict[str, Any] = {}
    try:
        setups = _setups(what)
        request = what.request(setups)
        ended = _done_before(what, request) or _carried_out(what, setups, request, clock, progress, wait)
        if ended.state != outcome.BUSY:
            progress(1.0)
    except Refused as refused:
        if not what.dry_run:
            record.write_failure(what, request, outcome.REFUSED, refused, clock.times())
        ended = Outcome(status=ExitStatus.REFUSED, state=outcome.REFUSED, text=str(refused))
    return replace(ended, **clock.times())


def done_before(what: Shot) -> Outcome | None:
    """The outcome of a shot that an earlier run has carried out; None if it is to be carried out, or cannot be."""
    clock = Clock()
    try:
        if not (what.is_resumed and record.earlier(what)):
            return None
        ended = _done_before(what, what.request(_setups(what)))
    except Refused:
        return None
    return ended and replace(ended, **clock.times())


def _setups(what: Shot) -> Setups:
    """The setup of each armature; to keep going, the refusal in place of one that cannot be read."""
    setups: list[api.Setup | Refused | None] = []
    for rig in what.rigs:
        try:
            setups.append(rig.load())
        except Refused as refused:
            if not what.keep_going:
                raise
            setups.append(refused)
    return setups


def _done_before(what: Shot, request: dict[str, Any]) -> Outcome | None:
    """The outcome of an earlier run that carried out the same; Refused if another program's file is in its place."""
    earlier = record.earlier(what)
    try:
        summaries = record.done_before(what, earlier, request) if what.is_resumed else None
        return None if summaries is None else outcome.of_summaries(summaries, "done before", strict=what.strict)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # refused then, a summary where all is asked for, or another version's


def _carried_out(
    what: Shot,
    setups: Setups,
    request: dict[str, Any],
    clock: Clock,
    progress: Progress,
    wait: bool,
) -> Outcome:
    if what.command == "switch" and is_take(what.file):
        raise Refused("NO_SWITCH", value=str(what.file))
    if what.command == "switch" and not what.to:
        raise Refused("NO_CONTROL_SET")
    outputs.refuse_formats(what)
    for path in filter(None, (*what.outputs, what.report)):
        atomic_write.refuse_unwritable(path, force=what.force)
    if what.dry_run:
        files = ", ".join(f'"{output}"' for output in what.outputs)
        written = f"writes {files}" if files else "writes no file"
        return Outcome(status=ExitStatus.DONE, state=outcome.TO_DO, text=f"{what.command}, {written}")
    with file_lock.locked(what.report, wait=wait) if what.is_resumed and what.report else nullcontext(True) as is_ours:
        if not is_ours:
            return Outcome(status=ExitStatus.DONE, state=outcome.BUSY, text="")
        # Another pool may have done it while this one waited.
        return _done_before(what, request) or _written(what, setups, request, clock, progress)


def _written(what: Shot, setups: Setups, request: dict[str, Any], clock: Clock, progress: Progress) -> Outcome:
    """Open the file, bake, and write output and report, both or none; Refused if that cannot be done."""
    damage, notes = blend_file.Loaded() if what.is_open else _loaded(what)
    if damage and what.strict is not None:
        raise Refused("DAMAGED", value=damage)
    if what.python_before:
        _run_script(what.python_before)
    reports, refusals = _reports(what, setups, [*blend_file.notes(), *notes, *filter(None, [damage])], progress)
    if what.python_after:
        _run_script(what.python_after)
    interrupt.check()
    with ExitStack() as opened:
        saved = [opened.enter_context(output) for output in outputs.saved(what, reports)]
        record.write(what, request, reports, refusals, clock.times(), damage, saved)
    ended = outcome.of_summaries([report.summary() for report in reports], outcome.DONE, strict=what.strict)
    if refusals:
        ended = outcome.left_out(ended, refusals)
    return replace(ended, damage=damage, reports=tuple(reports))


def _loaded(what: Shot) -> blend_file.Loaded:
    return blend_file.load(
        what.file, enable_autoexec=what.enable_autoexec, fps=what.import_fps, scale=what.import_scale
    )


def _run_script(path: Path) -> None:
    """Run a script of the user's; Refused if it fails."""
    try:
        runpy.run_path(str(path), run_name="__main__")
    except (Exception, SystemExit) as error:  # noqa: BLE001  (it may raise anything)
        traceback.print_exc()
        reason = traceback.format_exception_only(error)[-1].strip()
        raise Refused("HOOK", value=str(path), reason=reason) from None


def _reports(
    what: Shot, setups: Setups, notes: list[str], progress: Progress
) -> tuple[list[api.Report], list[Refused]]:
    """The reports of the armatures, and the refusals of those that were left out to keep going."""
    refusals: list[Refused] = []

    @contextmanager
    def kept_going() -> Iterator[None]:
        try:
            yield
        except Refused as refused:
            refusals.append(refused)
            if not what.keep_going:
                raise

    found = _found(what, setups, kept_going)
    outputs.refuse_several(what, len(found))
    reports: list[api.Report] = []
    groups, in_circle = _groups(what, found)
    for refusal in in_circle:
        with kept_going():
            raise refusal
    for group in groups:
        rigs = {rig: found[rig] for rig in group}
        reports.extend(_posed(what, rigs, kept_going, lambda done: progress((len(reports) + done) / len(found))))
    if not reports:
        raise refusals[0]
    return [replace(report, notes=(*report.notes, *notes)) for report in reports], refusals


def _found(what: Shot, setups: Setups, kept_going: Callable[[], AbstractContextManager[None]]) -> dict[Rig, _Asked]:
    """The armatures of the open file that take part, with their setups applied."""
    found: dict[Rig, _Asked] = {}
    for asked, setup in zip(what.rigs, setups, strict=True):
        with kept_going():
            if isinstance(setup, Refused):
                raise setup
            with_chains = not (setup and setup.chains) and what.command not in ("plant", "switch")
            for rig in blend_file.rigs(what.file, asked.name, with_chains=with_chains):
                with kept_going():
                    asked_of_rig, refusals = _asked(what, rig, setup), list[Refused]()
                    if what.keep_going and what.command in _POSING:
                        asked_of_rig, refusals = _without_sheared(rig, asked_of_rig)
                    found[rig] = asked_of_rig
                    for refusal in refusals:
                        with kept_going():
                            raise refusal
    return found


def _without_sheared(rig: Rig, asked: _Asked) -> tuple[_Asked, list[Refused]]:
    """Without chains whose stretch would shear a bone, and why they are left out; all of them if no other is left."""
    found = chains_taking_part(rig, asked.chains)
    taken = [chain.name for chain in found.chains]
    sheared = inherit_scale.sheared(rig, taken)
    rest = [name for name in taken if name not in sheared]
    if not (sheared and rest):
        return asked, []
    ends = {chain.name: (chain.end_bone, chain.tip_bone) for chain in found.chains}
    refusals = [shear_refusal(rig, bones[0], ends[name]) for name, bones in sheared.items()]
    return replace(asked, chains=rest, left_out=found), refusals


def _told(report: api.Report, asked: _Asked) -> api.Report:
    """The report with the chains that were left out before it."""
    found = asked.left_out
    if not found:
        return report
    notes = (*report.notes, *found.alerts)
    return replace(report, left_out=found.left_out, lacking=tuple(found.lacking), notes=notes)


def _posed(
    what: Shot,
    rigs: Mapping[Rig, _Asked],
    kept_going: Callable[[], AbstractContextManager[None]],
    progress: Progress,
) -> list[api.Report]:
    """The reports of armatures that are posed at the same time; `progress` is told how many are ready."""
    requests: list[api.Request] = []
    prepared: list[_Asked] = []
    reports: list[api.Report] = []
    with ExitStack() as opened:
        for rig, asked in rigs.items():
            with kept_going():
                if what.command == "check":
                    report = api.check(rig, asked.chains, what.frames, scene=_scene(rig), sampling=what.sampling)
                    reports.append(_told(report, asked))
                    continue
                request = opened.enter_context(closing(_request(what, rig, asked)))
                for done in request.prepare():
                    interrupt.check()
                    progress(len(requests) + done)
                requests.append(request)
                prepared.append(asked)
        interrupt.check()
        for end, asked in zip(api.write_together(requests), prepared, strict=True):
            with kept_going():
                if isinstance(end, Refused):
                    raise end
                reports.append(_told(end, asked))
    return reports


def _groups(what: Shot, found: Mapping[Rig, _Asked]) -> tuple[list[tuple[Rig, ...]], list[Refused]]:
    """The armatures that are posed at the same time, later ones may follow earlier ones; and refusals of others."""
    if what.command != "bake":
        return [(rig,) for rig in found], []
    groups, refusals = after_followed({rig: asked.chains for rig, asked in found.items()})
    return [group[at : at + _AT_ONCE] for group in groups for at in range(0, len(group), _AT_ONCE)], refusals


def _scene(rig: Rig) -> Scene | None:
    return bpy.context.scene if bpy.context.scene in rig.users_scene else None


def _asked(what: Shot, rig: Rig, setup: api.Setup | None) -> _Asked:
    """Apply the setup to the armature; of its chains those that are not muted are asked for."""
    names = None
    if setup is not None:
        names = [name for name in api.apply_setup(rig, setup) if not rig.two_bone_ik_chains[name].mute]
    if what.set_aligned:
        api.set_aligned(rig, names or None)
    if setup is None:
        return _Asked(chains=None, plant=what.plant)
    return _Asked(chains=names if setup.chains else None, plant={**setup.plant, **what.plant})


def _request(what: Shot, rig: Rig, asked: _Asked) -> api.Request:
    taken = [name for name, row in declared("keys").items() if what.command in row["commands"] and "name" in row]
    shared: dict[str, Any] = {"frames": what.frames, "scene": _scene(rig)} | {
        name: getattr(what, name) for name in taken
    }
    if what.command == "plant":
        return api.plant.request(rig, **shared, **plant_options.keywords(asked.plant))
    if what.to:
        return api.switch.request(rig, what.to, what.switched, **shared)
    command = api.bake_targets if what.command == "snap" else api.bake
    return command.request(rig, asked.chains, **shared)

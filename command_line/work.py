"""What Blender does for a shot: open the file, find the rigs, give them the setup, bake, save."""

from __future__ import annotations

from os import SEEK_END
from pathlib import Path

import bpy
from bpy.types import Object

from .. import api
from ..blender import files
from ..blender.errors import Refused, nearest
from . import outcome, shot
from .outcome import Outcome
from .shot import Progress, Shot

_LAST = b"\xb1\xea\x92\x8f"
"""The end of the table of contents with which seekable Zstandard ends."""


def carried_out(what: Shot, *, strict: bool, resume: bool, progress: Progress) -> Outcome:
    """Do what the shot asks for; with `resume`, unless its report tells that just this was done before."""
    request: dict[str, object] = {}
    state = "done before"
    try:
        request = what.request()
        reports = shot.done_before(what, request) if resume else None
        if reports is None:
            state = "done"
            reports = _reports(what, progress)
            if what.output:
                _save(what.file, what.output)
            if what.report:
                shot.record(what.report, request, reports)
    except Refused as refused:
        if what.report:
            shot.record(what.report, request, refused)
        return Outcome(status=outcome.FAILED, state="refused", text=str(refused))
    progress(1.0)
    return outcome.of_reports(reports, state, strict=strict)


def _reports(what: Shot, progress: Progress) -> list[api.Report]:
    setup = api.load_setup(what.setup) if what.setup else None
    if not what.is_open:
        _open(what.file)
    rigs = [_named(name) for name in what.rigs] or _unnamed(what)
    chains = [_applied(rig, setup) if setup else None for rig in rigs]
    reports: list[api.Report] = []
    for rig, names in zip(rigs, chains, strict=True):
        reports.append(_report(what, rig, names, lambda done: progress((len(reports) + done) / len(rigs))))
    return reports


def _open(file: Path) -> None:
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file), load_ui=False)
    except RuntimeError as error:
        raise Refused(f'"{file}" cannot be opened: {_reason(error)}', kind="UNREADABLE", value=str(file)) from None


def _save(source: Path, output: Path) -> None:
    """Write what is open, compressed where its source is."""
    with source.open("rb") as file:
        compress = file.read(7) != b"BLENDER"
    with files.replaced(output) as beside:
        try:
            bpy.ops.wm.save_as_mainfile(filepath=str(beside), copy=True, compress=compress)
            reason = "" if not compress or _is_whole(beside) else "the disk is full"
        except RuntimeError as error:
            reason = _reason(error)
        if reason:
            raise Refused(f'"{output}" cannot be written: {reason}', kind="UNWRITABLE", value=str(output))


def _is_whole(compressed: Path) -> bool:
    """From 4.5 on Blender does not notice where a full disk cuts off what it compresses."""
    with compressed.open("rb") as file:
        file.seek(0, SEEK_END)
        file.seek(max(file.tell() - len(_LAST), 0))
        return file.read() == _LAST


def _reason(error: RuntimeError) -> str:
    """The last of what Blender says."""
    return str(error).strip().splitlines()[-1].removeprefix("Error: ")


def _named(name: str) -> Object:
    armatures = [item.name for item in bpy.data.objects if item.type == "ARMATURE"]
    if name not in armatures:
        sentence = f'There is no armature object "{name}": {nearest(name, armatures)}'
        raise Refused(sentence, kind="NO_RIG", object=name, value=name)
    return bpy.data.objects[name]


def _unnamed(what: Shot) -> list[Object]:
    """All armatures with chains, or the only one that can be given the chains of the setup."""
    armatures = [item for item in bpy.data.objects if item.type == "ARMATURE" and item.users_scene]
    if not what.setup:
        armatures = [item for item in armatures if item.two_bone_ik_chains]
    if not armatures:
        kind = "armature" if what.setup else "armature with chains"
        raise Refused(f'"{what.file}" has no {kind}: choose another file, or give it a --setup', kind="NO_RIG")
    if what.setup and len(armatures) > 1:
        names = ", ".join(item.name for item in armatures)
        sentence = f'"{what.file}" has several armatures: choose with --rig from {names}'
        raise Refused(sentence, kind="SEVERAL_RIGS", value=names)
    return armatures


def _applied(rig: Object, setup: api.Setup) -> list[str]:
    """The names of the setup's chains that are not muted."""
    return [name for name in api.apply_setup(rig, setup) if not rig.two_bone_ik_chains[name].mute]


def _report(what: Shot, rig: Object, chains: list[str] | None, progress: Progress) -> api.Report:
    scene = bpy.context.scene if bpy.context.scene in rig.users_scene else None
    if what.command == "check":
        return api.check(rig, chains, what.frames, scene=scene)
    if what.command == "snap":
        return api.bake_targets(rig, chains, what.frames, scene=scene)
    style = api.KeyStyle(keys=api.Keys(what.keys), tolerance=what.tolerance)
    steps = api.baking(rig, chains, what.frames, scene=scene, style=style)
    while True:
        try:
            progress(next(steps))
        except StopIteration as end:
            return end.value

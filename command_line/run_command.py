"""Commands that work on shots: on one shot, or on those of a manifest, in this Blender or in several."""

import os
from argparse import Namespace
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from functools import cache, partial
from glob import has_magic
from math import inf
from pathlib import Path

from ..blender.files import file_lock
from ..blender.messages.refused import Refused
from . import blend_file, manifest, outcome, rows, shot_options, worker
from .arguments import flag
from .formats import is_take
from .manifest import mapping
from .outcome import ExitStatus, Outcome, table
from .patterns import Listing
from .record import RefuseOther
from .run_shot import done_before, run_shot
from .shot import Shot, from_arguments
from .standard_streams import Progress, complain, one_line, tell


def run(arguments: Namespace, call: Sequence[str]) -> int:
    """Carry the command out and return the exit status; `call` is the command line that starts the same program."""
    progress = Progress(arguments.progress)
    try:
        return _run(arguments, call, progress)
    except Refused as refused:
        progress.failed(str(refused))
        raise


def _run(arguments: Namespace, call: Sequence[str], progress: Progress) -> int:
    if arguments.shot == worker.STDIN:
        listed_later = cache(lambda: _listed(_shot(arguments), arguments))
        worker.serve(lambda shot: run_shot(shot, progress, lambda *report: listed_later().refuse_other(*report)))
        return ExitStatus.DONE
    _refuse_combination(arguments)
    shot, are_many = _shot(arguments), _are_many(arguments)
    listed = _listed(shot, arguments) if are_many else None
    shots, refuse_other = (listed.chosen(), listed.refuse_other) if listed else ({0: shot}, None)
    _refuse_overwriting([replace(shot, outputs=())] if arguments.in_place else shots.values(), arguments)
    with _alone(arguments), closing(_outcomes(shots, refuse_other, arguments, call, progress)) as ending:
        outcomes = dict(ending)
    status, reason = _told_of_many(shots, outcomes) if are_many else _told_of_one(outcomes[0])
    for _, ended in sorted(outcomes.items()):
        if ended.damage:
            complain(ended.damage)
    if status != ExitStatus.DONE:
        progress.failed(reason)
        complain(reason)
    return status


@contextmanager
def _alone(arguments: Namespace) -> Iterator[None]:
    """Keeps other runs off the folder of the outputs while it is open; tasks that name their shots share it."""
    if arguments.shot or arguments.dry_run or not arguments.output_dir:
        yield
        return
    with file_lock.locked(arguments.output_dir / "two_bone_ik", wait=False) as is_ours:
        if not is_ours:
            raise Refused("ANOTHER_RUN", value=str(arguments.output_dir))
        yield


def _are_many(arguments: Namespace) -> bool:
    """Whether the arguments list shots: in a manifest, as several FILEs or animations, or with a folder for outputs."""
    files = arguments.file
    is_pattern = len(files) == 1 and has_magic(str(files[0])) and not os.path.exists(files[0])
    is_pattern = is_pattern or has_magic(getattr(arguments, "import_take", ""))
    return bool(arguments.manifest or arguments.output_dir or len(files) > 1 or is_pattern)


def _listed(common: Shot, arguments: Namespace) -> manifest.Shots:
    mapped = mapping(arguments.path_mapping)
    if path := arguments.manifest:
        listed = rows.of_manifest(path, whole=arguments.shot is None)
        allowed = arguments.allow_scripts
        listing = Listing(source=f'"{path}"', home=path.absolute().parent, mapped=mapped, allows_scripts=allowed)
    else:
        listed = rows.of_files(arguments.file)
        listing = Listing(source="the command line", home=Path.cwd(), mapped=mapped)
    return manifest.Shots(listed, listing, arguments, common)


def _outcomes(
    shots: Mapping[int, Shot],
    refuse_other: RefuseOther | None,
    arguments: Namespace,
    call: Sequence[str],
    progress: Progress,
) -> Generator[tuple[int, Outcome], None, None]:
    """The outcomes of the shots by their numbers, each as it ends."""
    # This Blender cannot stop itself, nor can it tell apart what it prints.
    jobs = arguments.jobs or int(bool(arguments.time_limit or arguments.log_dir))
    if jobs and not arguments.dry_run:
        time_limit = arguments.time_limit or inf
        before = partial(done_before, refuse_other=refuse_other)
        outcomes = worker.outcomes([*call, *worker.WORKER], shots, jobs, time_limit, before)
        for done, shot_outcome in enumerate(outcomes, 1):
            progress(done / len(shots))
            yield shot_outcome
    else:
        for done, (number, shot) in enumerate(shots.items()):
            yield number, run_shot(shot, progress.part(done, len(shots)), refuse_other)


def _refuse_combination(arguments: Namespace) -> None:
    """Raise `Refused` if arguments contradict each other, or none says what to write."""
    alone = ("file", "output", "in_place", "report")
    many = ("shot", "output_dir", "log_dir", "jobs", "path_mapping")
    are_many = _are_many(arguments)
    if are_many and not (arguments.manifest or arguments.file):
        raise Refused("ARGUMENTS.no_file")
    for name in alone if are_many else many:
        if getattr(arguments, name) and (name != "file" or arguments.manifest):
            raise Refused("ARGUMENTS.one_file" if are_many else "ARGUMENTS.many_files", value=flag(name))
    if arguments.in_place and arguments.file and is_take(arguments.file[0]):
        raise Refused("ARGUMENTS.in_place", value=str(arguments.file[0]))
    if arguments.command == "switch" and not (arguments.to or arguments.manifest):
        raise Refused("ARGUMENTS.no_control_set")
    if arguments.command != "check" and not (arguments.output or arguments.in_place or arguments.output_dir):
        where = "--output-dir" if are_many else "--output or --in-place"
        raise Refused("ARGUMENTS.no_output", where=where)


def _shot(arguments: Namespace) -> Shot:
    """The fields of a shot that the arguments give."""
    # The shots of a manifest have files of their own.
    file = arguments.manifest or blend_file.named_or_open(arguments.file[0] if arguments.file else None)
    names = {field.name for field in fields(Shot)}
    values = {name: value for name, value in vars(arguments).items() if name in names}
    plant = {name: value for name in shot_options.PLANT_NAMES if (value := getattr(arguments, name, None)) is not None}
    output = file if arguments.in_place else arguments.output
    outputs = (output,) if output else ()
    rigs = from_arguments(arguments.rigs or ())
    values |= {"file": file, "is_open": not arguments.file, "rigs": rigs, "plant": plant, "outputs": outputs}
    return Shot(**values)


def _refuse_overwriting(shots: Collection[Shot], arguments: Namespace) -> None:
    read = [path for shot in shots for path in (shot.file, *(rig.file for rig in shot.rigs))]
    read += [path for shot in shots for path in (shot.python_before, shot.python_after)]
    read += [arguments.manifest, arguments.path_mapping]
    written = [path for shot in shots for path in (*shot.outputs, shot.report, shot.log)]
    blend_file.refuse_overwriting(filter(None, read), filter(None, written))


def _told_of_one(ended: Outcome) -> tuple[int, str]:
    """Print all reports of a single shot; its exit status, and the reason for that."""
    for report in ended.reports:
        tell("\n".join(map(one_line, [report.subject, *report.lines()])))
    if ended.state == outcome.TO_DO:
        tell(one_line(f"{ended.state}: {ended.text}"))
    return ended.status, ended.text


def _told_of_many(shots: Mapping[int, Shot], outcomes: Mapping[int, Outcome]) -> tuple[int, str]:
    """Print how each shot of the list has ended; the exit status of all, and the reason for that."""
    tell(table({number: f"{shot.file} {shot.import_take}".rstrip() for number, shot in shots.items()}, outcomes))
    status = max(item.status for item in outcomes.values())
    least = min(status, ExitStatus.REFUSED)  # what was refused has failed as what crashed has
    numbers = [str(number) for number, item in sorted(outcomes.items()) if item.status >= least]
    what = {
        ExitStatus.FELL_SHORT: "did not always reach their targets",
        ExitStatus.NOT_POSED_SO: "were keyed, but are not posed so",
    }.get(ExitStatus(status), "failed")
    return status, f"{len(numbers)} of {len(outcomes)} shots {what}: {', '.join(numbers)}"

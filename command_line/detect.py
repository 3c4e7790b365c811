"""The command `detect`: finds the limbs of a rig and writes a setup file for them."""

from argparse import Namespace
from pathlib import Path

from .. import api
from ..blender.chains import setup_file
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused
from ..blender.rigs import rig_files
from . import blend_file
from .outcome import ExitStatus
from .shot import imported
from .standard_streams import complain, one_line, tell


def run(arguments: Namespace) -> int:
    """List the limbs of the rig and write their chains if an output is named; the exit status."""
    file = blend_file.named_or_open(arguments.file)
    if arguments.output:
        blend_file.refuse_overwriting([file], [arguments.output])
        atomic_write.refuse_unwritable(arguments.output, force=arguments.force)
        if not arguments.force:
            _refuse_foreign(arguments.output)
    if arguments.file:
        blend_file.load(file, enable_autoexec=arguments.enable_autoexec, **imported(arguments))
    (rig,) = blend_file.rigs(file, arguments.rig or "", with_chains=False)
    for note in rig_files.notes():
        complain(note)
    for limb in api.detect(rig):
        tell(one_line(f"{limb.name}: {limb.end_bone}. {limb.why}"))
    api.add_detected(rig)
    if arguments.output:
        setup_file.save(rig, arguments.output, create_targets=True, force=arguments.force)
    return ExitStatus.DONE


def _refuse_foreign(output: Path) -> None:
    """Raise `Refused` if there is a file, and people have written it."""
    first = atomic_write.first_line(output, len(setup_file.FIRST_LINE))
    if first and first != setup_file.FIRST_LINE.encode():
        raise Refused("OVERWRITE.setup", value=str(output))

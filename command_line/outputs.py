"""The files that a shot writes, each in the format of its suffix: of Blender, or of other programs."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from os import SEEK_END
from pathlib import Path
from typing import cast

import bpy

from .. import api
from ..blender.armatures import Rig
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused, reason
from ..blender.takes.export_take import OF_ONE, Export, export_take
from ..blender.takes.take import Intake
from . import interrupt
from .formats import BLEND, FORMATS, is_take
from .shot import Shot
from .standard_streams import blender_output

_LAST = b"\xb1\xea\x92\x8f"
"""The last bytes of seekable Zstandard, the end of its table of contents."""


def refuse_formats(shot: Shot) -> None:
    """Raise `Refused` if an output has no format that can be written from the shot's file."""
    for output in shot.outputs:
        suffix = output.suffix.lower()
        if suffix not in FORMATS:
            raise Refused("OUTPUT_FORMAT", value=str(output), known=", ".join(FORMATS))
        if shot.actions and suffix != BLEND:
            raise Refused("ONE_ACTION", value=str(output))
        if suffix == ".bvh" and (shot.is_open or shot.file.suffix.lower() != ".bvh"):
            raise Refused("NOT_OF_BVH.other", value=str(output))


def refuse_several(shot: Shot, count: int) -> None:
    """Raise `Refused` if an output holds one armature, and there are others."""
    for output in shot.outputs:
        if count > 1 and output.suffix.lower() in OF_ONE:
            raise Refused("SEVERAL_IN_ONE", value=str(output), count=count)


def saved(
    shot: Shot, reports: Sequence[api.Report], taken: Intake, notes: list[str]
) -> Iterator[AbstractContextManager[Path]]:
    """For each output a context that writes it; Refused if that cannot be done.

    It gives the path of the complete file, which is renamed to the output at the end. What is told of it is added to
    `notes`.
    """
    export = Export(
        scene=bpy.context.scene,
        layer=bpy.context.view_layer,
        rigs=[(cast(Rig, bpy.data.objects[report.rig]), report) for report in reports],
        source=shot.file,
        fps=shot.import_fps,
        taken=taken,
        notes=notes,
    )
    return (_saved(shot, output, export) for output in shot.outputs)


@contextmanager
def _saved(shot: Shot, output: Path, export: Export) -> Iterator[Path]:
    with atomic_write.atomic_write(output, force=shot.force) as beside:
        try:
            with atomic_write.as_private_as(output):
                if output.suffix.lower() == BLEND:
                    _save(shot.file, output, beside)
                else:
                    with blender_output():
                        export_take(beside, export)
            interrupt.check()  # what Blender prints goes through Python, and it swallows what is raised there
        except RuntimeError as error:
            # Blender's own reason is that of its last step, which only follows from what went wrong before.
            why = atomic_write.obstacle(beside, 2 * shot.file.stat().st_size) or reason(error)
            raise Refused("UNWRITABLE", value=str(output), reason=why) from None
        # It may take long, and what tells of the file should come just before the file.
        atomic_write.sync(beside)
        yield beside


def _save(source: Path, output: Path, beside: Path) -> None:
    """Save the open file for `output`, compressed if `source` is."""
    with source.open("rb") as file:
        compress = not is_take(source) and file.read(7) != b"BLENDER"
    # Relative paths in it count from where it is opened, and there a link may stand for it.
    moved = source.parent.resolve() != output.parent.resolve()
    bpy.ops.wm.save_as_mainfile(filepath=str(beside.absolute()), copy=True, compress=compress, relative_remap=moved)
    if compress and not _is_whole(beside):
        raise RuntimeError("it was cut off")


def _is_whole(compressed: Path) -> bool:
    """False if a compressed file was cut off by a full disk, which Blender does not notice from 4.5 on."""
    with compressed.open("rb") as file:
        file.seek(0, SEEK_END)
        file.seek(max(file.tell() - len(_LAST), 0))
        return file.read() == _LAST

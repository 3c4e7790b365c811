"""Opens and saves .blend files, and finds the armatures in them."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import cast

import bpy

from ..blender.armatures import Rig, is_rig
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused
from ..blender.messages.translation import nearest_name
from . import console_output, interrupt

_DAMAGE = {
    "is damaged": re.compile("corrupt|lost data", re.IGNORECASE),
    "was saved by a newer Blender": re.compile("loss of data", re.IGNORECASE),
}
"""Words with which Blender reports what it does not have from a file that it opens all the same."""

_LAST = b"\xb1\xea\x92\x8f"
"""The last bytes of seekable Zstandard, the end of its table of contents."""


def named_or_open(file: Path | None) -> Path:
    """The file if one is named, else the open file; Refused if there is neither."""
    if not (file or bpy.data.filepath):
        raise Refused("ARGUMENTS.no_file")
    return file or Path(bpy.data.filepath)


def refuse_overwriting(read: Iterable[Path], written: Iterable[Path]) -> None:
    """Raise `Refused` if an output is also an input, or two outputs are the same file, through any names or links."""
    is_read = dict.fromkeys(map(atomic_write.identity, read), True)
    for path in written:
        atomic_write.refuse_irregular(path)
        file = atomic_write.identity(path)
        if file in is_read:
            raise Refused("OVERWRITE.input" if is_read[file] else "OVERWRITE.output", value=str(path))
        is_read[file] = False


def load(file: Path, *, enable_autoexec: bool) -> str:
    """Open the file; its Python runs only if `enable_autoexec`. Refused if it cannot be opened.

    returns : a sentence if Blender says that the file is damaged or of a newer Blender, else ""
    """
    atomic_write.refuse_irregular(file)
    try:
        with console_output.blender_output() as lines:
            # Blender takes a relative path from $PWD, which a start from elsewhere may have left as it was. If
            # `use_scripts` is left out, the preferences decide, or what the file before was opened with.
            bpy.ops.wm.open_mainfile(filepath=str(file.absolute()), load_ui=False, use_scripts=enable_autoexec)
    except RuntimeError as error:
        raise Refused("UNREADABLE", value=str(file), reason=_reason(error)) from None
    interrupt.check()
    damage = {what: dict.fromkeys(filter(words.search, lines)) for what, words in _DAMAGE.items()}
    return "; ".join(f'"{file}" {what}, as Blender says: {"; ".join(said)}' for what, said in damage.items() if said)


def notes() -> list[str]:
    """Sentences about the open file that make the result of a bake doubtful."""
    if not bpy.app.autoexec_fail:
        return []
    # Most often it is the panel of a rig, which moves nothing; so that alone is no reason to refuse.
    return [f"Python was not run ({bpy.app.autoexec_fail_message}): use --enable-autoexec where targets depend on it"]


@contextmanager
def saved(source: Path, output: Path, *, force: bool) -> Iterator[Path]:
    """Write the open file to `output`, compressed if `source` is; Refused if that cannot be done.

    Gives the path of the complete file, which is renamed to `output` at the end.

    force : a file without write permission is replaced
    """
    with source.open("rb") as file:
        compress = file.read(7) != b"BLENDER"
    # Relative paths in it count from where it is opened, and there a link may stand for it.
    moved = source.parent.resolve() != output.parent.resolve()
    with atomic_write.atomic_write(output, force=force) as beside:
        try:
            with atomic_write.as_private_as(output):
                bpy.ops.wm.save_as_mainfile(
                    filepath=str(beside.absolute()), copy=True, compress=compress, relative_remap=moved
                )
            interrupt.check()  # what Blender prints goes through Python, and it swallows what is raised there
            reason = "" if not compress or _is_whole(beside) else "it was cut off"
        except RuntimeError as error:
            reason = _reason(error)
        if reason:
            # Blender's own is that of its last step, which only follows from what went wrong before.
            reason = atomic_write.obstacle(beside, 2 * source.stat().st_size) or reason
            raise Refused("UNWRITABLE", value=str(output), reason=reason)
        # It may take long, and what tells of the file should come just before the file.
        atomic_write.sync(beside)
        yield beside


def rigs(file: Path, name: str, *, with_chains: bool) -> list[Rig]:
    """The armature object of this name; without one, all that have chains, or else the only one.

    raises : Refused if there is none, or if there are several to choose from
    """
    if name:
        return [_named(name)]
    found = [item for item in bpy.data.objects if is_rig(item) and item.users_scene]
    if with_chains:
        found = [item for item in found if item.two_bone_ik_chains]
    if not found:
        raise Refused("NO_RIG.with_chains" if with_chains else "NO_RIG.in_scene", file=file)
    if len(found) > 1 and not with_chains:
        raise Refused("SEVERAL_RIGS", value=", ".join(item.name for item in found), file=file)
    return found


def _named(name: str) -> Rig:
    armatures = [item.name for item in bpy.data.objects if is_rig(item)]
    if name not in armatures:
        raise Refused("NO_RIG.named", object=name, value=name, nearest=nearest_name(name, armatures))
    return cast(Rig, bpy.data.objects[name])


def _is_whole(compressed: Path) -> bool:
    """False if a compressed file was cut off by a full disk, which Blender does not notice from 4.5 on."""
    with compressed.open("rb") as file:
        file.seek(0, SEEK_END)
        file.seek(max(file.tell() - len(_LAST), 0))
        return file.read() == _LAST


def _reason(error: RuntimeError) -> str:
    """The last line of Blender's error."""
    return str(error).strip().splitlines()[-1].removeprefix("Error: ")

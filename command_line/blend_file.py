"""Opens .blend files and takes, and finds the armatures in them."""

import re
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy

from ..blender.armatures import Rig, is_rig
from ..blender.files import atomic_write
from ..blender.messages.refused import Refused, reason
from ..blender.messages.translation import nearest_name, translated
from ..blender.takes.import_take import import_take
from ..blender.takes.take import Import, Intake
from . import interrupt
from .formats import BLEND, READABLE, is_take
from .standard_streams import blender_output

_BLENDER, _GZIP, _ZSTD = b"BLENDER", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""With these begin .blend files, and files that are packed."""

_HEAD = 1 << 18
"""Bytes of a packed file that hold at least the first of its blocks."""

_DAMAGE = {
    "is damaged": re.compile("corrupt|lost data", re.IGNORECASE),
    "was saved by a newer Blender": re.compile("loss of data", re.IGNORECASE),
}
"""Words with which Blender reports what it does not have from a file that it opens all the same."""


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


def load(file: Path, *, enable_autoexec: bool, **imported: Any) -> tuple[str, Intake]:
    """Open the file, or import it; its Python runs only if `enable_autoexec`. Refused if it cannot be opened.

    imported : how to import a take, as the fields of `Import`
    returns : a sentence if Blender says that the file is damaged or of a newer Blender, else ""; how a take was read
    """
    take, taken = is_take(file), Intake()
    if not take and file.exists() and not _is_blend(file):
        raise _unreadable(file, translated("part.no_blend"))
    try:
        with blender_output() as lines:
            if take:
                bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
                taken = import_take(Import(file, bpy.context.scene, **imported))
            else:
                # Blender takes a relative path from $PWD, which a start from elsewhere may have left as it was. If
                # `use_scripts` is left out, the preferences decide, or what the file before was opened with.
                bpy.ops.wm.open_mainfile(filepath=str(file.absolute()), load_ui=False, use_scripts=enable_autoexec)
    except RuntimeError as error:
        raise _unreadable(file, reason(error)) from None
    interrupt.check()
    return "" if take else _damage(file, lines), taken


def _unreadable(file: Path, why: str) -> Refused:
    named: dict[str, Any] = {"value": str(file), "reason": why, "known": ", ".join(READABLE)}
    return Refused("UNREADABLE.damaged" if file.suffix == BLEND else "UNREADABLE.format", **named)


def _is_blend(file: Path) -> bool:
    """Whether it begins as .blend files do, packed or not. Of any other, Blender would unpack all to see that."""
    with atomic_write.opened(file) as opened:
        head = opened.read(_HEAD)
    if head.startswith(_GZIP):
        with suppress(zlib.error):
            head = zlib.decompressobj(wbits=31).decompress(head, len(_BLENDER))
    elif head.startswith(_ZSTD):
        try:
            zstandard = import_module("zstandard")
        except ImportError:
            return True  # it comes with most Blenders; where it does not, Blender itself tells
        with suppress(zstandard.ZstdError):
            head = zstandard.ZstdDecompressor().stream_reader(head).read(len(_BLENDER))
    return head.startswith(_BLENDER)


def _damage(file: Path, lines: Sequence[str]) -> str:
    lines_of = {what: dict.fromkeys(filter(words.search, lines)) for what, words in _DAMAGE.items()}
    return "; ".join(f'"{file}" {what}, as Blender says: {"; ".join(told)}' for what, told in lines_of.items() if told)


def libraries() -> list[str]:
    """The absolute paths of the files that the open one links, also those that these link; not of what is packed."""
    # Blender gives the paths of all of them relative to the open file.
    return [bpy.path.abspath(library.filepath) for library in bpy.data.libraries if not library.packed_file]


def notes() -> list[str]:
    """Sentences about the open file that make the result of a bake doubtful."""
    if not bpy.app.autoexec_fail:
        return []
    # Most often it is the panel of a rig, which moves nothing; so that alone is no reason to refuse.
    return [f"Python was not run ({bpy.app.autoexec_fail_message}): use --enable-autoexec where targets depend on it"]


def rigs(file: Path, name: str, *, with_chains: bool) -> list[Rig]:
    """The armature object of this name; without one, all that have chains, or else the only one.

    raises : Refused if there is none, or if there are several to choose from
    """
    armatures = [item for item in bpy.data.objects if is_rig(item)]
    if name:
        named = [item for item in armatures if item.name == name]
        if not named:
            nearest = nearest_name(name, [item.name for item in armatures])
            raise Refused("NO_RIG.named", object=name, value=name, nearest=nearest)
        return named[:1]  # a linked one may have the same name
    armatures = [item for item in armatures if item.users_scene and (item.two_bone_ik_chains or not with_chains)]
    if not armatures:
        raise Refused("NO_RIG.with_chains" if with_chains else "NO_RIG.in_scene", file=file)
    if len(armatures) > 1 and not with_chains:
        raise Refused("SEVERAL_RIGS", value=", ".join(item.name for item in armatures), file=file)
    return armatures

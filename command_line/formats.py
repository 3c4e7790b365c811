"""The formats of the files that can be read and written, by their suffixes."""

from pathlib import Path

from ..blender.takes.export_take import WRITERS
from ..blender.takes.import_take import READERS

BLEND = ".blend"

FORMATS = (BLEND, *WRITERS)
"""The suffixes of all that can be written, Blender's own first: exporters change what is shown."""

READABLE = (BLEND, *READERS)
"""The suffixes of all that can be read."""


def is_take(file: Path) -> bool:
    """Whether the file is imported: its suffix says so."""
    return file.suffix.lower() in READERS

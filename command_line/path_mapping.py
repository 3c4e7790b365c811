"""Maps paths of the machine that wrote a manifest to paths of this machine, by the rules of Open Job Description."""

import json
from collections.abc import Callable
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from ..blender.files import atomic_write
from ..blender.messages.refused import Refused

PathMapping = Callable[[str], Path]

_KINDS: dict[str, type[PurePath]] = {"POSIX": PurePosixPath, "WINDOWS": PureWindowsPath}


def mapping(path: Path | None) -> PathMapping:
    """A function that maps paths by the rules in this JSON file; without a file it returns them unchanged."""
    if path is None:
        return Path
    try:
        content = json.loads(atomic_write.text(path))
        rules = [
            (_KINDS[rule["source_path_format"]](rule["source_path"]), Path(rule["destination_path"]))
            for rule in content.get("path_mapping_rules", [])
        ]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise Refused("NO_RULES", value=str(path)) from None

    def mapped(text: str) -> Path:
        for source, destination in rules:
            path = type(source)(text)
            if path.is_relative_to(source):
                return destination.joinpath(*path.relative_to(source).parts)
        return Path(text)

    return mapped

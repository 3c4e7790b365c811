"""The names of shots and of their outputs, which depend on the list alone; which shots names and numbers choose."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..blender.messages.refused import Refused
from ..blender.messages.translation import nearest_name
from .patterns import Listing

_SPAN = re.compile(r"([1-9]\d*)(?:(-)([1-9]\d*)?(?::([1-9]\d*))?)?")
"""Numbers of shots, which no name can be."""

_UNFIT = re.compile(r'[\x00-\x1f\\/:*?"<>|,]')
"""What names of files cannot have on some machine, and the comma between names of shots."""

_WILD = re.compile(r"[^/\\]*[*?[]")
_UP = os.path.join(os.pardir, "")


def endings(takes: Sequence[str]) -> list[str]:
    """What the names of each shot and of its outputs have for an animation that was found by a pattern; "" without."""
    return [take and f"_{_UNFIT.sub('_', take)}" for take in takes]


def outputs(files: Sequence[str], texts: Sequence[str], endings: Sequence[str], listing: Listing) -> Sequence[str]:
    """The path of each shot's outputs in their folder, without their suffix, if the shot names none itself.

    texts : the files as their rows have them, maybe patterns
    """
    plain = {text: _on_this_machine(text, listing) for text in texts}
    home = os.path.join(os.path.normpath(listing.home), "")
    paths = [os.path.normpath(plain[text] if file == text else file) for file, text in zip(files, texts, strict=True)]
    return [
        os.path.splitext(_seen(path, plain[text], home))[0] + ending
        for path, text, ending in zip(paths, texts, endings, strict=True)
    ]


def _on_this_machine(text: str, listing: Listing) -> str:
    return text if listing.mapped is Path and "$" not in text else str(listing.mapped(os.path.expandvars(text)))


def _seen(path: str, text: str, home: str) -> str:
    """The path of a file in the folder for outputs: below that of the list, or below the fixed part of a pattern.

    Without `Path`, which takes seconds for a hundred thousand rows.
    """
    if os.path.isabs(path):
        wild = _WILD.search(text)
        folders = (home, os.path.join(os.path.normpath(text[: wild.start()]), "")) if wild else (home,)
        return next((path.removeprefix(each) for each in folders if path.startswith(each)), os.path.basename(path))
    while path.startswith(_UP):
        path = path.removeprefix(_UP)
    return path


def names(own: Sequence[str], files: Sequence[str], endings: Sequence[str]) -> Sequence[str]:
    """The name of each shot, its own or one from its file.

    own : "" for a shot that has none
    """
    given = [name and name + ending for name, ending in zip(own, endings, strict=True)]
    stems = [_stem(file) + ending for file, ending in zip(files, endings, strict=True)]
    last = [stem.rpartition("/")[2] for stem in stems]
    counts = Counter(last)
    return [name or (part if counts[part] == 1 else stem) for name, part, stem in zip(given, last, stems, strict=True)]


def refuse_name(name: str, shots: int) -> None:
    """Raise `Refused` if the name that a row gives its shot can be none, or is that of several `shots`."""
    if "," in name or _SPAN.fullmatch(name):
        raise Refused("SHOT_NAME.range", value=name)
    if shots > 1:
        raise Refused("SHOT_NAME.twice", value=name)


def chosen(text: str | None, count: int, of_names: Mapping[str, int]) -> list[int]:
    """The numbers of names, and in range expressions such as 7, 1-10, 1-9:2, 191- or 1,4,8; None gives all `count`.

    A range that goes on beyond `count`, as the last task of a farm may ask for it, ends there.
    """
    if text is None:
        return list(range(1, count + 1))
    numbers: list[int] = []
    for part in map(str.strip, text.split(",")):
        span = _SPAN.fullmatch(part)
        if not span:
            if part not in of_names:
                raise Refused("ARGUMENTS.shot_name", value=part, nearest=nearest_name(part, of_names))
            numbers.append(of_names[part])
            continue
        first = int(span[1])
        last = int(span[3] or count) if span[2] else first
        if first > count:
            raise Refused("SHOT", value=first, count=count)
        if last < first:
            raise Refused("ARGUMENTS.shot", value=text)
        numbers += range(first, min(last, count) + 1, int(span[4] or 1))
    return list(dict.fromkeys(numbers))


def _stem(file: str) -> str:
    """The file without suffix, alike on all machines."""
    return os.path.splitext(os.path.normpath(file))[0].replace(os.sep, "/")

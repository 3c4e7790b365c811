"""The names of shots and of their outputs, which depend on the list alone: no two files of it get the same outputs.

Some file systems take names that differ in case alone as the same, and so does this.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

from ..blender.messages.refused import Refused
from .patterns import Listing

SPAN = re.compile(r"([1-9]\d*)(?:(-)([1-9]\d*)?(?::([1-9]\d*))?)?")
"""Numbers of shots, which no name can be."""

_UNFIT = re.compile(r'[\x00-\x1f\\/:*?"<>|,]')
"""What names of files cannot have on some machine, and the comma between names of shots."""

_WILD = re.compile(r"[^/\\]*[*?[]")
_UP = os.path.join(os.pardir, "")


def endings(files: Sequence[str], takes: Sequence[str]) -> list[str]:
    """What the names of each shot and of its outputs have for an animation that was found by a pattern; "" without."""
    of_file: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for file, take in zip(files, takes, strict=True):
        if take:
            of_file[file][take] = f"_{_UNFIT.sub('_', take)}"
    told = {file: dict(zip(found, _apart(found.values()), strict=True)) for file, found in of_file.items()}
    return [take and told[file][take] for file, take in zip(files, takes, strict=True)]


def outputs(files: Sequence[str], texts: Sequence[str], endings: Sequence[str], listing: Listing) -> Sequence[str]:
    """The path of each shot's outputs in their folder, without their suffix, if the shot names none itself.

    Files that differ in their suffixes alone keep these; of other files whose outputs would have the same name, all but
    the first get a number.

    texts : the files as their rows have them, maybe patterns
    """
    plain = {text: _on_this_machine(text, listing) for text in texts}
    home = os.path.join(os.path.normpath(listing.home), "")
    paths = [os.path.normpath(plain[text] if file == text else file) for file, text in zip(files, texts, strict=True)]
    seen = [_seen(path, plain[text], home) for path, text in zip(paths, texts, strict=True)]
    split = [*map(os.path.splitext, seen)]
    folded = [stem.casefold() for stem, _ in split]
    if not any(endings) and len(set(folded)) == len(folded):
        return [stem for stem, _ in split]
    found = {(stem, suffix.casefold()) for stem, (_, suffix) in zip(folded, split, strict=True)}
    suffixes = Counter(stem for stem, _ in found)
    bases = {
        (path, ending): (stem if suffixes[key] == 1 else stem + suffix) + ending
        for path, ending, (stem, suffix), key in zip(paths, endings, split, folded, strict=True)
    }
    told = dict(zip(bases, _apart(bases.values()), strict=True))
    return [told[key] for key in zip(paths, endings, strict=True)]


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


def _apart(texts: Collection[str]) -> Sequence[str]:
    """The texts, with a number behind those that an earlier one is the same as but for case."""
    folded = [text.casefold() for text in texts]
    taken = set(folded)
    if len(taken) == len(folded):
        return [*texts]
    told, counts = list[str](), Counter[str]()
    for text, key in zip(texts, folded, strict=True):
        counts[key] += 1
        number = ""
        if counts[key] > 1:
            while f"{key}_{counts[key]}" in taken:
                counts[key] += 1
            number = f"_{counts[key]}"
            taken.add(key + number)
        told.append(text + number)
    return told


def shot_names(own: Sequence[str], files: Sequence[str], endings: Sequence[str]) -> Sequence[str]:
    """The name of each shot, its own or one from its file; Refused if its own can be none, or another shot has it.

    own : "" for a shot that has none
    """
    given = [name and name + ending for name, ending in zip(own, endings, strict=True)]
    stems = [_stem(file) + ending for file, ending in zip(files, endings, strict=True)]
    last = [stem.rpartition("/")[2] for stem in stems]
    counts = Counter(last)
    names = [name or (part if counts[part] == 1 else stem) for name, part, stem in zip(given, last, stems, strict=True)]
    shots = Counter(names)
    for name in filter(None, given):
        if "," in name or SPAN.fullmatch(name):
            raise Refused("SHOT_NAME.range", value=name)
        if shots[name] > 1:
            raise Refused("SHOT_NAME.twice", value=name)
    return names


def _stem(file: str) -> str:
    """The file without suffix, alike on all machines."""
    return os.path.splitext(os.path.normpath(file))[0].replace(os.sep, "/")

"""Draws the faults: a hundred over all rooms by their lines of code, and twenty where Blender's versions differ."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, zip_longest
from pathlib import Path

from support.count_lines import ROOMS, code_lines

from .places import Place, places

IN_ROOMS, OF_VERSIONS = 100, 20
VERSIONS = "versions"
_OF_VERSIONS = re.compile(
    r"_HAS_|HAS_FBX|_GROUP\b|_SELECTS_|WITHOUT_TEXTURES|bl_system_properties"
    r"|Blender [45]\b|[Uu]p to 4\.|[Ff]rom 5\.\d|[Ff]rom 4\.\d"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A place with the file around it, as it is and with the fault."""

    room: str  # a folder, or "versions"
    place: Place
    old: bytes
    new: bytes

    @property
    def said(self) -> str:
        """What was changed, on one line."""
        old = b" ".join(self.old[self.place.begin : self.place.end].split()).decode()
        new = b" ".join(self.place.planted.split()).decode()
        line = self.old.splitlines()[self.place.line - 1].decode().strip()
        shown = new if self.place.kind == "branch" else f"{old} -> {new}"
        return f"{self.place.kind}: {shown[:100]}" + ("" if old in line and len(old) > 20 else f"   in: {line[:100]}")


def faults(checkout: Path) -> list[Fault]:
    """The same ones whenever the product is the same."""
    of_rooms, lines, sources = defaultdict[str, list[Place]](list), defaultdict[str, int](int), dict[str, bytes]()
    for file in _files(checkout):
        path, source = file.relative_to(checkout).as_posix(), file.read_bytes()
        sources[path] = source
        lines[room(path)] += code_lines(file)
        for place in places(path, source):
            if not _of_versions(place, source):
                of_rooms[room(path)].append(place)
            elif not place.only_oldest:
                of_rooms[VERSIONS].append(place)
    drawn = [(VERSIONS, place) for place in _draw(of_rooms[VERSIONS], OF_VERSIONS)]
    for name, count in _shares(lines).items():
        drawn += [(name, place) for place in _draw(of_rooms[name], count)]
    return [_fault(name, place, sources[place.path]) for name, place in drawn]


def room(path: str) -> str:
    """The folder that a file of the product, or of `tests/with_bpy`, is in."""
    folder = path.split("/")[:-1]
    return "/".join(folder[: 2 if folder[:1] == ["blender"] else 1]) or "__init__.py"


def _files(checkout: Path) -> list[Path]:
    found = ([checkout / name] if name.endswith(".py") else (checkout / name).rglob("*.py") for name in ROOMS)
    return sorted(chain.from_iterable(found))


def _of_versions(place: Place, source: bytes) -> bool:
    """Whether the place's function, or its line outside of functions, behaves otherwise in another Blender."""
    lines, (first, last) = source.decode().splitlines(), place.in_function
    text = "\n".join(lines[first - 1 : last] if first else lines[place.line - 1 : place.line])
    return bool(_OF_VERSIONS.search(text)) or (place.path == "blender/versions.py" and not first)


def _shares(lines: dict[str, int]) -> dict[str, int]:
    """How many faults each room gets; the largest remainders are rounded up."""
    exact = {name: IN_ROOMS * count / sum(lines.values()) for name, count in sorted(lines.items())}
    shares = {name: int(value) for name, value in exact.items()}
    largest = sorted(exact, key=lambda name: shares[name] - exact[name])
    for name in largest[: IN_ROOMS - sum(shares.values())]:
        shares[name] += 1
    return shares


def _draw(found: list[Place], count: int) -> list[Place]:
    """That many of these places, of all kinds in turn; which ones, their names alone decide."""
    by_kind = defaultdict[str, list[Place]](list)
    for place in sorted(found, key=lambda place: _chance(place.name)):
        by_kind[place.kind].append(place)
    kinds = sorted(by_kind, key=lambda kind: _chance(kind + by_kind[kind][0].name))
    in_turn = chain.from_iterable(zip_longest(*(by_kind[kind] for kind in kinds)))
    return [place for place in in_turn if place][:count]


def _chance(name: str) -> bytes:
    return sha256(name.encode()).digest()


def _fault(name: str, place: Place, source: bytes) -> Fault:
    new = source[: place.begin] + place.planted + source[place.end :]
    compile(new, place.path, "exec")
    return Fault(name, place, source, new)

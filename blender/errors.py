"""The one exception of the Blender side: what the user asked for cannot be done. And one of Blender's own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from difflib import SequenceMatcher

unless_gone = suppress(ReferenceError)
"""Around clean-up: it ends where the file no longer has what is to be cleaned, as after another one was loaded.

Only data-blocks tell. Blender crashes over a part of one, a bone or a constraint, which was held on to."""


class Refused(Exception):
    """A request that cannot be carried out; nothing was changed.

    The message is one sentence that names object, bone and value and says what to do. For scripts:

    kind : a short constant word such as "NO_TARGET", to branch on
    object, bone : names, "" where none is concerned
    value : what was refused
    """

    def __init__(self, message: str, *, kind: str, object: str = "", bone: str = "", value: object = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.object = object
        self.bone = bone
        self.value = value


def nearest(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of those known: which of them is most like it."""
    found = max(known, key=lambda other: SequenceMatcher(None, name.lower(), other.lower()).ratio(), default=None)
    return "there is none" if found is None else f'the nearest is "{found}"'

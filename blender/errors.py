"""The one exception of the Blender side: what the user asked for cannot be done."""

from __future__ import annotations


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

"""The one exception of the Blender side: what the user asked for cannot be done. And one of Blender's own."""

from __future__ import annotations

from contextlib import suppress

from .translation import translated

unless_gone = suppress(ReferenceError)
"""Around clean-up: it ends where the file no longer has what is to be cleaned, as after another one was loaded.

Only data-blocks tell. Blender crashes over a part of one, a bone or a constraint, which was held on to."""


class Refused(Exception):
    """A request that cannot be carried out; nothing was changed.

    The message is one sentence that names object, bone and value and says what to do. For scripts:

    kind : a short constant word such as "NO_TARGET", to branch on
    object, bone : names, "" where none is concerned
    value : what was refused

    Its `template` is filled in with these, and with what else is `named`, as `sentence` does.
    """

    def __init__(
        self, template: str, /, *, kind: str, object: str = "", bone: str = "", value: object = None, **named: object
    ) -> None:
        super().__init__(translated(template, object=object, bone=bone, value=value, **named))
        self.kind = kind
        self.object = object
        self.bone = bone
        self.value = value

"""The exception for requests that cannot be carried out, and a guard for clean-up after a file was closed."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bpy.types import Object, PropertyGroup

from .translation import known_words, translated

if TYPE_CHECKING:
    from ...skeleton.values import ChainPlan

unless_gone = suppress(ReferenceError)
"""Put around clean-up: ends it quietly if the data-block is gone, for example because another file was opened.

This works for data-blocks only. If Python keeps part of one, such as a bone or a constraint, Blender crashes.
"""


class Refused(Exception):
    """A request that cannot be carried out; nothing was changed.

    The message is one sentence that names object, bone and value and says what to do. For scripts:

    kind : a short constant word such as "NO_TARGET", to branch on
    object, bone : names, "" where none is concerned
    value : what was refused

    It is raised by the name of its sentence in sentences.toml, which is the kind, or the kind, a dot and the case:
    `Refused("NO_TARGET", chain=chain)`. `chain` gives the names of the chain, of its armature object and its end bone.
    """

    def __init__(
        self,
        sentence: str,
        /,
        *,
        chain: "ChainPlan | PropertyGroup | None" = None,
        object: Object | str = "",
        bone: str | None = None,
        value: object = None,
        **named: object,
    ) -> None:
        if chain is not None:
            rig, end_bone = _owners(chain)
            object = object or rig
            bone = end_bone if bone is None else bone
            named["chain"] = chain.name
        self.kind = sentence.partition(".")[0]
        self.object = object.name if isinstance(object, Object) else object
        self.bone = bone or ""
        self.value = value
        super().__init__(translated(sentence, object=self.object, bone=self.bone, value=value, **named))


def reason(error: RuntimeError) -> str:
    """Why Blender could not do it: the last line of its error that is not about the line of code."""
    lines = [line for line in str(error).strip().splitlines() if not line.startswith("Location:")]
    return lines[-1].removeprefix("Error: ")


def unknown_word(what: str, value: object, known: Iterable[str]) -> Refused:
    """The refusal of a value that is none of the words which `what` takes."""
    return Refused("UNKNOWN_WORD", what=what, value=value, known=known_words(value, known))


def _owners(chain: Any) -> tuple[Object, str]:
    """The armature object of the chain, and the name of its end bone."""
    return (chain.id_data, chain.end_bone) if hasattr(chain, "id_data") else (chain.rig, chain.end.name)

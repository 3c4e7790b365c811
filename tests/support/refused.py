"""What is refused, and that nothing in the file has changed for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from . import file_data


@contextmanager
def refused(
    kind: str = "", *words: str, match: str | None = None, evaluated: bool = True
) -> Iterator[pytest.ExceptionInfo[api.Refused]]:
    """It is refused, for this reason if one is given, in one sentence with these words, and nothing has changed.

    evaluated : False where it is refused for what Blender has not evaluated yet
    """
    if evaluated:
        bpy.context.view_layer.update()
    before = file_data.dump()
    with pytest.raises(api.Refused, match=match) as found:
        yield found
    if evaluated:
        bpy.context.view_layer.update()
    assert not file_data.changed(before)
    assert found.value.kind == (kind or found.value.kind)
    sentence = str(found.value)
    assert sentence
    assert "\n" not in sentence
    assert not sentence.endswith(".")
    for word in words:
        assert word in sentence

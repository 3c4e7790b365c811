"""What is refused, and that nothing in the file has changed for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from bl_ext.user_default.two_bone_ik import api

from . import file_data


@contextmanager
def refused(kind: str = "", *words: str, match: str | None = None) -> Iterator[pytest.ExceptionInfo[api.Refused]]:
    """It is refused, for this reason if one is given, in a sentence with these words, and nothing has changed."""
    before = file_data.dump()
    with pytest.raises(api.Refused, match=match) as found:
        yield found
    assert not file_data.changed(before)
    assert found.value.kind == (kind or found.value.kind)
    for word in words:
        assert word in str(found.value)

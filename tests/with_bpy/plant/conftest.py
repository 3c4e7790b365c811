"""What tests of Plant share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bpy.types import Object


@pytest.fixture
def rig(empty_file: None) -> Object:
    """A captured walk of two seconds."""
    from support.walker import captured, walker

    return walker(captured("walk", 2.0))

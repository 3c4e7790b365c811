"""What tests of Switch share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bpy.types import Object


@pytest.fixture
def rig(empty_file: None) -> Object:
    """The rig generated from the basic human metarig."""
    from support.rigify import generated

    return generated("basic_human")

"""Blender as the manual shows it: `make pictures` takes over what this leaves in out/pictures."""

from __future__ import annotations

from collections.abc import Callable


def test_the_pictures_of_the_manual_can_be_taken(play: Callable[[str], None]) -> None:
    play("pictures")

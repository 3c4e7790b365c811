"""Blender as the manual shows it: `make pictures` takes over what this leaves in out/pictures."""

from __future__ import annotations

from collections.abc import Callable


def test_the_pictures_of_the_manual_can_be_taken(play: Callable[[str], None]) -> None:
    play("pictures")


def test_one_press_switches_a_walk_to_fk_and_one_back(play: Callable[[str], None]) -> None:
    play("switch")

"""Blender as the manual shows it: `make pictures` takes over what this leaves in out/pictures."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def test_the_pictures_of_the_manual_can_be_taken(play_alone: Callable[..., None]) -> None:
    play_alone("pictures", width=1600)


def test_one_press_switches_a_walk_to_fk_and_one_back(play_alone: Callable[..., None]) -> None:
    play_alone("switch")


@pytest.mark.most
def test_contacts_are_seen_clicked_and_set(play_alone: Callable[..., None]) -> None:
    play_alone("contacts")

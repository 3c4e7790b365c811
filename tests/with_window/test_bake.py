"""What an animator does first."""

from __future__ import annotations

from collections.abc import Callable


def test_a_click_on_bake_keys_the_limb(play: Callable[[str], None]) -> None:
    play("bake")

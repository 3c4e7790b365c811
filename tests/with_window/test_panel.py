"""The panel, its lists and menus, and what comes and goes with the extension."""

from __future__ import annotations

from collections.abc import Callable


def test_hock_twist_and_pin_are_set_in_the_panel(play: Callable[[str], None]) -> None:
    play("limb_options")


def test_live_and_overlay_come_and_go_with_extension_and_file(play_alone: Callable[[str], None]) -> None:
    play_alone("come_and_go")


def test_every_string_goes_through_translation(play_alone: Callable[[str], None]) -> None:
    play_alone("translated")


def test_the_panel_follows_what_is_selected(play: Callable[[str], None]) -> None:
    play("selection")


def test_the_panel_shows_reports_at_once_and_keeps_its_rows(play_alone: Callable[[str], None]) -> None:
    play_alone("sidebar")


def test_one_press_copies_settings_and_a_bake_leaves_out(play: Callable[[str], None]) -> None:
    play("many")


def test_an_option_that_is_keyed_in_the_panel_counts(play: Callable[[str], None]) -> None:
    play("keyed")


def test_blender_quits_while_everything_is_in_use(play_alone: Callable[[str], None]) -> None:
    play_alone("quit")

"""Limbs posed by hand: live, pinned, dragged and pulled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

WITHOUT = Path(__file__).with_name("without_extension.py")


@pytest.mark.most
def test_a_live_limb_follows_the_mouse(play: Callable[[str], None]) -> None:
    play("live")


def test_a_live_limb_is_on_its_target_while_the_animation_plays(play: Callable[[str], None]) -> None:
    play("playback")


def test_pinned_feet_stay_while_the_mouse_moves_the_hips(play: Callable[[str], None]) -> None:
    play("pin")


def test_a_drag_that_esc_ends_leaves_no_trace(play: Callable[[str], None]) -> None:
    play("drag")


def test_a_straight_limb_gets_its_side_from_its_keys(play: Callable[[str], None]) -> None:
    play("side")


@pytest.mark.most
def test_a_tool_pulls_limbs_that_have_no_chain(play: Callable[[str], None]) -> None:
    play("pull")


def test_the_tool_pulls_the_hand_of_a_rig_that_shows_ik(play: Callable[[str], None]) -> None:
    play("pull_known")


def test_only_the_tool_itself_has_handles_that_pull(play: Callable[[str], None]) -> None:
    play("pull_chosen")


def test_live_list_and_overlay_tell_where_the_tip_is(play: Callable[[str], None]) -> None:
    play("truth")


def test_a_renamed_bone_takes_its_live_chain_along(play: Callable[[str], None]) -> None:
    play("renamed")


def test_a_built_human_plays_without_the_extension(
    play: Callable[[str], None], plain: Callable[..., CompletedProcess[str]]
) -> None:
    play("built")
    run = plain("-b", "--factory-startup", "--disable-autoexec", "out/built.blend", "--python", WITHOUT)
    assert "plays the same" in run.stdout, run.stdout + run.stderr

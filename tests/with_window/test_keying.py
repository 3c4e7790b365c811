"""What ends in keys: baked, planted, held, taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.most
def test_a_click_on_bake_keys_the_limb(play: Callable[[str], None]) -> None:
    play("bake")


def test_esc_gives_up_a_bake_that_takes_long(play: Callable[[str], None]) -> None:
    play("give_up")


def test_one_press_bakes_all_actions_and_undo_is_one_step(play: Callable[[str], None]) -> None:
    play("all_actions")


def test_undo_takes_created_and_baked_targets_back(play: Callable[[str], None]) -> None:
    play("targets")


def test_bones_as_targets_are_one_undo_step(play: Callable[[str], None]) -> None:
    play("target_bones")


def test_six_clicks_lead_from_a_metarig_to_four_baked_limbs(play: Callable[[str], None]) -> None:
    play("six_clicks")


@pytest.mark.most
def test_every_operator_is_one_undo_step(play: Callable[[str], None]) -> None:
    play("undo")


def test_a_click_goes_to_the_frame_that_is_posed_otherwise(play: Callable[[str], None]) -> None:
    play("worst_frame")


def test_eight_clicks_lead_from_a_capture_to_baked_limbs(play: Callable[[str], None]) -> None:
    play("mocap")


def test_three_clicks_lead_from_near_the_cup_to_on_the_cup(play: Callable[[str], None]) -> None:
    play("hold")


def test_two_clicks_lead_from_a_capture_to_feet_that_stand(play: Callable[[str], None]) -> None:
    play("plant")


def test_one_press_leads_from_a_file_to_feet_that_stand(play: Callable[[str], None]) -> None:
    play("capture")

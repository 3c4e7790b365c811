"""What an animator does first."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.most
def test_a_click_on_bake_keys_the_limb(play: Callable[[str], None]) -> None:
    play("bake")


def test_esc_gives_up_a_bake_that_takes_long(play: Callable[[str], None]) -> None:
    play("give_up")


def test_undo_takes_created_and_baked_targets_back(play: Callable[[str], None]) -> None:
    play("targets")


def test_bones_as_targets_are_one_undo_step(play: Callable[[str], None]) -> None:
    play("target_bones")


@pytest.mark.most
def test_a_live_limb_follows_the_mouse(play: Callable[[str], None]) -> None:
    play("live")


def test_a_live_limb_is_on_its_target_while_the_animation_plays(play: Callable[[str], None]) -> None:
    play("playback")


def test_pinned_feet_stay_while_the_mouse_moves_the_hips(play: Callable[[str], None]) -> None:
    play("pin")


def test_a_pinned_hand_of_a_generated_rig_keeps_its_way(play: Callable[[str], None]) -> None:
    play("pin_known")


def test_a_drag_that_esc_ends_leaves_no_trace(play: Callable[[str], None]) -> None:
    play("drag")


def test_six_clicks_lead_from_a_metarig_to_four_baked_limbs(play: Callable[[str], None]) -> None:
    play("six_clicks")


def test_a_straight_limb_gets_its_side_from_its_keys(play: Callable[[str], None]) -> None:
    play("side")


@pytest.mark.most
def test_every_operator_is_one_undo_step(play: Callable[[str], None]) -> None:
    play("undo")


def test_hock_twist_and_pin_are_set_in_the_panel(play: Callable[[str], None]) -> None:
    play("limb_options")


def test_the_pie_menu_opens_by_a_key_of_the_users(play_alone: Callable[[str], None]) -> None:
    play_alone("pie")


def test_live_and_overlay_come_and_go_with_extension_and_file(play_alone: Callable[[str], None]) -> None:
    play_alone("come_and_go")


def test_a_click_goes_to_the_frame_that_is_posed_otherwise(play: Callable[[str], None]) -> None:
    play("worst_frame")


def test_every_string_goes_through_translation(play_alone: Callable[[str], None]) -> None:
    play_alone("translated")


@pytest.mark.most
def test_a_tool_pulls_limbs_that_have_no_chain(play: Callable[[str], None]) -> None:
    play("pull")


def test_the_tool_pulls_the_hand_of_a_rig_that_shows_ik(play: Callable[[str], None]) -> None:
    play("pull_known")


def test_only_the_tool_itself_has_handles_that_pull(play: Callable[[str], None]) -> None:
    play("pull_chosen")


def test_the_panel_follows_what_is_selected(play: Callable[[str], None]) -> None:
    play("selection")


def test_the_panel_shows_reports_at_once_and_keeps_its_rows(play_alone: Callable[[str], None]) -> None:
    play_alone("sidebar")


def test_live_list_and_overlay_tell_where_the_tip_is(play: Callable[[str], None]) -> None:
    play("truth")


def test_one_press_copies_settings_and_a_bake_leaves_out(play: Callable[[str], None]) -> None:
    play("many")


def test_eight_clicks_lead_from_a_capture_to_baked_limbs(play: Callable[[str], None]) -> None:
    play("mocap")


def test_an_option_that_is_keyed_in_the_panel_counts(play: Callable[[str], None]) -> None:
    play("keyed")


def test_three_clicks_lead_from_near_the_cup_to_on_the_cup(play: Callable[[str], None]) -> None:
    play("hold")


def test_two_clicks_lead_from_a_capture_to_feet_that_stand(play: Callable[[str], None]) -> None:
    play("plant")


def test_blender_quits_while_everything_is_in_use(play_alone: Callable[[str], None]) -> None:
    play_alone("quit")


def test_a_renamed_bone_takes_its_live_chain_along(play: Callable[[str], None]) -> None:
    play("renamed")

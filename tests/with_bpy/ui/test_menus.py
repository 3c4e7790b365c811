"""Menus have all that the extension can do; the panel shows what is of use to the character, and how work begins."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.chains.limbs import ik_hiding_chains
from bl_ext.user_default.two_bone_ik.blender.extension import WEBSITE
from bl_ext.user_default.two_bone_ik.blender.plant import contact_keys
from bl_ext.user_default.two_bone_ik.blender.targets.create_targets import lacks
from bl_ext.user_default.two_bone_ik.blender.targets.target_names import Role
from bl_ext.user_default.two_bone_ik.ui.panel import PIN, PLANT, SWITCH, TAKE_OVER, first_step
from bpy.types import Object

from support.library import linked
from support.rigify import generated, metarig
from support.rigs import animate, arm, armature, empty

MENUS = Path(__file__).parents[3] / "ui" / "menus.toml"
MOST = 20
"""Rows of one menu: it fits a small window."""


def entries() -> dict[str, list[tuple[str, str]]]:
    """Of each menu what its entries do, and their words; "" for those of the operator's own label."""
    return {
        name: [(f"two_bone_ik.{entry['operator']}", entry["text"]) for entry in menu["entries"] if "operator" in entry]
        for name, menu in tomllib.loads(MENUS.read_text("utf-8")).items()
    }


def test_every_operator_is_in_the_menus() -> None:
    shown = {name for menu in entries().values() for name, _ in menu}
    known = {f"two_bone_ik.{name}" for name in dir(bpy.ops.two_bone_ik)}
    # Lines of a report and runs of contacts go to their frames, each twist bone of the panel has its share, and Live
    # is a button that shows whether it is on.
    named = ("go_to_frame", "contact_select", "twist_share", "live")
    assert known - shown == {f"two_bone_ik.{name}" for name in named}


def test_no_entry_repeats_the_title_and_no_menu_is_long() -> None:
    for menu in entries().values():
        assert len(menu) < MOST
        assert [name for name, text in menu if not text or "Two-Bone" in text] == []


def test_muting_is_offered_where_there_is_an_ik_constraint() -> None:
    rig = arm().id_data
    assert ik_hiding_chains(rig) == []
    constraint = rig.pose.bones["hand"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Other"), 1
    assert ik_hiding_chains(rig) == [], "it moves no bone of the limb"
    constraint.chain_count = 3
    assert ik_hiding_chains(rig) == [("hand", "IK")]


def test_a_linked_armature_is_asked_for_its_targets(tmp_path: Path) -> None:
    """A panel that is drawn for it asks, though no local armature uses these targets."""
    rig = api.add_chain(arm().id_data, "hand", mute=True).id_data
    api.create_targets(rig, ["hand"])
    chain = linked(tmp_path, rig.name).two_bone_ik_chains["hand"]
    assert chain.target
    chain.target.two_bone_ik_made_for = "Somebody"
    assert not lacks(chain, Role.TARGET)


def test_the_preferences_lead_to_the_page_of_the_extension() -> None:
    assert WEBSITE.startswith("https://")
    assert "two-bone-ik" in WEBSITE


@pytest.fixture
def rig() -> Object:
    return armature()


def turned(rig: Object, bone: str, count: int) -> None:
    rig.pose.bones[bone].rotation_mode = "XYZ"
    animate(rig.pose.bones[bone], rotation_euler={frame: (0.01 * frame, 0.0, 0.0) for frame in range(1, count + 1)})


def ten_keys(rig: Object) -> None:
    turned(rig, "lower", 10)


def eleven_keys(rig: Object) -> None:
    turned(rig, "lower", 11)


def four_keys_with_keys_beside(rig: Object) -> None:
    """As four presses of Switch on a frame each leave them."""
    places = (5.0, 12.0, 20.0, 28.0)
    turned(rig, "lower", 0)
    turns = {frame + beside: (0.1, 0.0, 0.0) for frame in places for beside in (-1.0, 0.0, 0.02)}
    animate(rig.pose.bones["lower"], rotation_euler=turns)


def many_keys_a_frame(rig: Object) -> None:
    """As a capture of a thousand frames a second has them at 24."""
    turned(rig, "lower", 0)
    turns = {0.024 * number: (0.01 * number, 0.0, 0.0) for number in range(40)}
    animate(rig.pose.bones["lower"], rotation_euler=turns)


def with_contact(rig: Object) -> None:
    animate(rig.pose.bones["lower"], two_bone_ik_contact={5: "BOTH"})


def moved_elsewhere(rig: Object) -> None:
    turned(rig, "spine", 30)
    animate(rig, location={frame: (0.0, 0.0, frame) for frame in range(1, 31)})


def still(_rig: Object) -> None:
    pass


CAPTURED = {
    still: False,
    ten_keys: False,
    eleven_keys: True,
    four_keys_with_keys_beside: False,
    many_keys_a_frame: True,
    with_contact: True,
}


@pytest.mark.parametrize(
    ("arrange", "shows", "chains"),
    [*((*case, chains) for case in CAPTURED.items() for chains in (False, True)), (moved_elsewhere, False, True)],
)
def test_a_limb_with_keys_or_a_contact_is_captured(
    rig: Object, arrange: Callable[[Object], None], shows: bool, chains: bool
) -> None:
    if chains:
        api.add_chain(rig, "lower")
    arrange(rig)
    assert contact_keys.is_captured(rig) == shows


@pytest.mark.parametrize(
    ("constrained", "mute", "keys", "first"),
    [
        (False, False, 0, PIN),
        (True, False, 0, TAKE_OVER),
        (True, True, 0, TAKE_OVER),
        (True, False, 30, PLANT),
    ],
)
def test_work_begins_with_what_the_armature_has(
    rig: Object, constrained: bool, mute: bool, keys: int, first: object
) -> None:
    """A capture is planted whatever constrains it."""
    if constrained:
        constraint = rig.pose.bones["lower"].constraints.new("IK")
        constraint.target, constraint.chain_count, constraint.mute = bpy.data.objects.new("Target", None), 2, mute
    turned(rig, "lower", keys)
    assert first_step(rig) == first


def test_a_metarig_gets_pins_and_what_it_generates_switches() -> None:
    assert first_step(metarig("human")) == PIN
    assert first_step(generated("human")) == SWITCH

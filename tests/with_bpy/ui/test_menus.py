"""Menu search goes through the menus: these have all that the extension can do, and no words that their titles have."""

from __future__ import annotations

import ast
from pathlib import Path

import bpy
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.chains.limbs import hiding_constraints
from bl_ext.user_default.two_bone_ik.blender.extension import WEBSITE
from bl_ext.user_default.two_bone_ik.blender.targets.create_targets import lacks
from bl_ext.user_default.two_bone_ik.blender.targets.new_targets import Role

from support.empty_file import open_empty_file
from support.rigs import arm, empty

MENUS = Path(__file__).parents[3] / "ui" / "menus.py"
MOST = 20
"""Rows of one menu: it fits a small window."""


def entries() -> dict[str, list[tuple[str, str]]]:
    """Of each menu what its entries do, and their words; "" for those of the operator's own label."""
    found: dict[str, list[tuple[str, str]]] = {}
    for menu in (node for node in ast.parse(MENUS.read_text("utf-8")).body if isinstance(node, ast.ClassDef)):
        for call in (node for node in ast.walk(menu) if isinstance(node, ast.Call) and node.args):
            if getattr(call.func, "attr", "") in ("operator", "operator_menu_enum"):
                texts = [word.value.value for word in call.keywords if word.arg == "text"]
                found.setdefault(menu.name, []).append((call.args[0].value, "".join(texts)))
    return found


def test_every_operator_is_in_the_menus() -> None:
    shown = {name for menu in entries().values() for name, _ in menu}
    known = {f"two_bone_ik.{name}" for name in dir(bpy.ops.two_bone_ik)}
    # Lines of a report and runs of contacts go to their frames, and each twist bone of the panel has its share.
    named = ("go_to_frame", "contact_select", "twist_share")
    assert known - shown == {f"two_bone_ik.{name}" for name in named}


def test_no_entry_repeats_the_title_and_no_menu_is_long() -> None:
    for menu in entries().values():
        assert len(menu) < MOST
        assert [name for name, text in menu if not text or "Two-Bone" in text] == []


def test_muting_is_offered_where_there_is_an_ik_constraint() -> None:
    rig = arm().id_data
    assert hiding_constraints(rig) == []
    constraint = rig.pose.bones["hand"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Other"), 1
    assert hiding_constraints(rig) == [], "it moves no bone of the limb"
    constraint.chain_count = 3
    assert hiding_constraints(rig) == [("hand", "IK")]


def test_a_linked_armature_is_asked_for_its_targets(tmp_path: Path) -> None:
    """A panel that is drawn for it asks, though no local armature uses these targets."""
    rig = api.add_chain(arm().id_data, "hand", mute=True).id_data
    api.create_targets(rig, ["hand"])
    path = str(tmp_path / "hero.blend")
    rig.name = "Hero"
    bpy.data.libraries.write(path, {rig})
    open_empty_file()
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Hero"]
    [linked] = wanted.objects
    assert linked.two_bone_ik_chains["hand"].target
    linked.two_bone_ik_chains["hand"].target.two_bone_ik_made_for = "Somebody"
    assert not lacks(linked.two_bone_ik_chains["hand"], Role.TARGET)


def test_the_preferences_lead_to_the_page_of_the_extension() -> None:
    assert WEBSITE.startswith("https://")
    assert "two-bone-ik" in WEBSITE

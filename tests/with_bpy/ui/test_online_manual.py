"""Online Manual, as Blender looks it up: of all that is ours a section of our manual, of nothing else."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import bpy
from bl_ext.user_default.two_bone_ik.blender.settings.properties import TwoBoneIKChain
from bl_ext.user_default.two_bone_ik.ui import online_manual
from bl_operators.wm import WM_OT_doc_view_manual, _wm_doc_get_id

MANIFEST = tomllib.loads((Path(__file__).parents[3] / "blender_manifest.toml").read_text("utf-8"))
OWNERS = (bpy.types.Object, bpy.types.PoseBone, bpy.types.Scene, bpy.types.WindowManager, bpy.types.Action)


def ours() -> Iterator[str]:
    """What the menu of a button or a field hands to Blender's lookup."""
    yield from (f"two_bone_ik.{name}" for name in dir(bpy.ops.two_bone_ik))
    yield from (f"TwoBoneIKChain.{name}" for name in fields(TwoBoneIKChain, ""))
    for owner in OWNERS:
        yield from (f"{owner.__name__}.{name}" for name in fields(owner, "two_bone_ik_"))


def fields(owner: type, prefix: str) -> list[str]:
    """Those that are shown; the name of a chain is `PropertyGroup.name` to Blender, of whatever it is the name."""
    shown = [
        field.identifier for field in owner.bl_rna.properties if not field.is_hidden and field.identifier != "name"
    ]
    return [name for name in shown if name.startswith(prefix)]


def page(doc_id: str) -> str:
    """The address that Blender opens; "" where it knows none."""
    found = _wm_doc_get_id(doc_id, do_url=False)
    return WM_OT_doc_view_manual._lookup_rna_url(found, verbose=False) or ""


def test_all_that_is_ours_has_a_section_of_the_manual() -> None:
    names = list(ours())
    assert {"two_bone_ik.bake", "TwoBoneIKChain.softness", "PoseBone.two_bone_ik_softness"} <= set(names)
    assert [name for name in names if not page(name).startswith(MANIFEST["website"])] == []


def test_no_section_is_for_what_is_gone() -> None:
    there = {name.lower().rpartition(".")[2].removeprefix("two_bone_ik_") for name in ours()}
    named = {pattern.rpartition(".")[2] for pattern, _ in online_manual.sections()[1] if "_ik_" not in pattern}
    assert named - {"*"} - there == set()


def test_a_setting_of_an_operator_leads_where_it_leads() -> None:
    assert page("TWO_BONE_IK_OT_bake.frame_start") == page("two_bone_ik.bake")


def test_what_is_blenders_keeps_its_page() -> None:
    for name in ("Object.location", "PoseBone.rotation_mode", "object.delete", "pose.ik_add"):
        assert "docs.blender.org" in page(name), name

"""The extension comes and goes without a trace, and what it registers is the interface."""

from __future__ import annotations

from enum import StrEnum

import addon_utils
import bpy
import pytest
from bl_ext.user_default.two_bone_ik.solver import values

from support.blender_process import MODULE
from support.footprint import footprint

pytestmark = pytest.mark.versions

CHAIN_FIELDS = (
    "name mute end_bone root_bone tip_bone hock_bone hock hock_angle target subtarget pole_target pole_subtarget "
    "pole_angle pole_influence pole_pin pole_smoothing plane reference hinge_axis bend unreachable softness "
    "max_stretch use_extension_limit use_bend_limits bend_min bend_max use_rotation rotation_influence reach_with "
    "use_twist influence"
).split()


def chain_properties() -> bpy.types.bpy_prop_collection:
    return bpy.types.Object.bl_rna.properties["two_bone_ik_chains"].fixed_type.properties


def test_disabling_leaves_nothing_behind() -> None:
    enabled = footprint()
    addon_utils.disable(MODULE, default_set=True)
    disabled = footprint()
    assert not [trace for trace in disabled if "two_bone" in trace.lower()]
    addon_utils.enable(MODULE, default_set=True)
    assert footprint() == enabled
    addon_utils.disable(MODULE, default_set=True)
    assert footprint() == disabled
    addon_utils.enable(MODULE, default_set=True)


def test_chains_outlive_an_extension_that_is_disabled() -> None:
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    rig.two_bone_ik_chains.add().end_bone = "forearm"
    addon_utils.disable(MODULE, default_set=True)
    addon_utils.enable(MODULE, default_set=True)
    assert rig.two_bone_ik_chains[0].end_bone == "forearm"


def test_a_chain_has_the_fields_of_the_interface() -> None:
    # Blender lists `name` twice: its own, which every item of a collection has, and ours on top of it.
    shown = [field.identifier for field in chain_properties() if not field.is_hidden]
    assert list(dict.fromkeys(shown)) == CHAIN_FIELDS


@pytest.mark.parametrize(
    ("field", "enumeration"),
    [
        ("plane", values.Plane),
        ("reference", values.Reference),
        ("hinge_axis", values.HingeAxis),
        ("bend", values.Bend),
        ("unreachable", values.Unreachable),
        ("hock", values.Hock),
        ("reach_with", values.ReachWith),
    ],
)
def test_a_choice_has_the_words_of_the_solver_in_their_order(field: str, enumeration: type[StrEnum]) -> None:
    items = chain_properties()[field].enum_items
    assert [item.identifier for item in items] == list(enumeration)
    assert [item.value for item in items] == list(range(len(items)))


def test_a_new_chain_has_the_defaults_of_the_solver() -> None:
    chain = bpy.data.objects.new("rig", None).two_bone_ik_chains.add()
    options = values.Options()
    shared = [field for field in CHAIN_FIELDS if hasattr(options, field)]
    assert len(shared) == 14
    assert {field: getattr(chain, field) for field in shared} == pytest.approx(
        {field: getattr(options, field) for field in shared}
    )
    assert chain.hinge_axis == values.HingeAxis.AUTO


def test_chain_names_are_unique() -> None:
    chains = bpy.data.objects.new("rig", None).two_bone_ik_chains
    for _ in range(3):
        chains.add().name = "arm.L"
    chains.add().name = "arm.L.001"
    assert [chain.name for chain in chains] == ["arm.L", "arm.L.001", "arm.L.002", "arm.L.003"]
    chains[2].name = chains[3].name = "finger2"
    assert [chain.name for chain in chains] == ["arm.L", "arm.L.001", "finger2", "finger2.001"]


def test_words_for_users_are_in_the_style_of_blender() -> None:
    operators = [getattr(bpy.ops.two_bone_ik, name).get_rna_type() for name in dir(bpy.ops.two_bone_ik)]
    assert operators
    for owner in (bpy.types.Object.bl_rna.properties["two_bone_ik_chains"].fixed_type, *operators):
        assert not owner.description.endswith(".")
    fields = [*chain_properties(), *(field for operator in operators for field in operator.properties)]
    for field in fields:
        if field.identifier == "rna_type":
            continue
        texts = [field, *(field.enum_items if field.type == "ENUM" else ())]
        for text in texts:
            assert text.name[:1].isupper() or text.name[:1] == "-", text.identifier
            assert text.description, (field.identifier, text.identifier)
            assert not text.description.endswith("."), text.description

"""Shares of twist that were set by hand go along with a chain: in setup files, and to the other side."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.chain import twists_found
from bpy.types import Object, PropertyGroup
from mathutils import Vector

from support import rigs, twisted
from support.characters import select

BY_PLACE = -1.0
MIRROR = Vector((-1.0, 1.0, 1.0))


def both_sides(name: str = "Rig") -> Object:
    """An arm with twist bones, and its mirror image."""
    bones = [
        bone._replace(
            name=f"{bone.name}.{side}",
            parent=bone.parent and f"{bone.parent}.{side}",
            head=Vector(bone.head) * sign,
            tail=Vector(bone.tail) * sign,
        )
        for side, sign in (("L", Vector((1.0, 1.0, 1.0))), ("R", MIRROR))
        for bone in twisted.SIDE
    ]
    return rigs.armature(bones, name=name)


def arm(rig: Object, side: str = "L") -> PropertyGroup:
    """A chain of one side, with the twist bones of which some have shares by hand."""
    target = rigs.empty(f"Target.{side}", (1.0, 0.5, 1.0))
    fields = {"root_bone": f"upper.{side}", "tip_bone": f"hand.{side}", "use_twist": True}
    chain = api.add_chain(rig, f"lower.{side}", target=target, **fields)
    for bone, share in (("lower_twist_a", 0.25), ("upper_twist_b", 1.0)):
        rig.pose.bones[f"{bone}.{side}"].two_bone_ik_twist = share
    return chain


def shares(rig: Object) -> dict[str, float]:
    """Of all bones that have one."""
    bones = {bone.name: bone.two_bone_ik_twist for bone in rig.pose.bones}
    return {name: share for name, share in bones.items() if share != BY_PLACE}


def on_side(given: dict[str, float], side: str) -> dict[str, float]:
    """These shares with the side in the names of the bones."""
    return {f"{name}.{side}": share for name, share in given.items()}


BY_HAND = {"lower_twist_a": 0.25, "upper_twist_b": 1.0}


def test_setup_files_have_them(tmp_path: Path) -> None:
    rig, other = both_sides(), both_sides("Other")
    arm(rig)
    path = tmp_path / "arm.toml"
    api.save_setup(rig, path)
    other.pose.bones["lower_twist_b.L"].two_bone_ik_twist = 0.5
    other.pose.bones["lower_twist_b.R"].two_bone_ik_twist = 0.5
    [applied] = api.apply_setup(other, api.load_setup(path))
    assert other.two_bone_ik_chains[applied].use_twist
    # What a setup leaves out is as it is on a new chain; the other arm has no part in it.
    assert shares(other) == on_side(BY_HAND, "L") | {"lower_twist_b.R": 0.5}
    again = tmp_path / "again.toml"
    api.save_setup(other, again)
    assert path.read_text().splitlines()[1:] == again.read_text().splitlines()[1:]


def test_one_line_serves_both_sides(tmp_path: Path) -> None:
    rig = both_sides()
    path = tmp_path / "arms.toml"
    path.write_text(
        '[[chain]]\nend_bone = "lower.?"\ntip_bone = "hand.?"\nuse_twist = true\n'
        'twist_shares = { "lower_twist_a.?" = 0.25, "upper_twist_b.?" = 1 }\n'
    )
    api.apply_setup(rig, api.load_setup(path))
    assert shares(rig) == on_side(BY_HAND, "L") | on_side(BY_HAND, "R")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("0.3", "twist_shares = 0.3, but it takes a table of bones with their shares"),
        ('{ "lower_twist_a.L" = 1.5 }', 'twist_shares."lower_twist_a.L" = 1.5, but it takes -1 to 1'),
        ('{ "lower_twist_a.L" = "all" }', "takes a number"),
        (
            '{ "lower_twist.L" = 0.5 }',
            'share of twist for "lower_twist.L", which is no twist bone of that limb of "Rig"',
        ),
        ('{ "hand.L" = 0.5 }', "no twist bone"),
    ],
)
def test_a_share_that_does_not_fit_is_refused(tmp_path: Path, written: str, words: str) -> None:
    rig = both_sides()
    chain = arm(rig)
    path = tmp_path / "arm.toml"
    path.write_text(f'[[chain]]\nend_bone = "lower.L"\ntip_bone = "hand.L"\ntwist_shares = {written}\n')
    with pytest.raises(api.Refused) as refused:
        api.apply_setup(rig, api.load_setup(path))
    assert words in str(refused.value)
    assert chain.use_twist
    assert shares(rig) == on_side(BY_HAND, "L")


def test_copy_and_mirror_settings_give_them_to_the_other_side() -> None:
    rig = both_sides()
    left = arm(rig)
    api.mirror_settings(rig, left.name)
    both = on_side(BY_HAND, "L") | on_side(BY_HAND, "R")
    assert shares(rig) == both
    rig.pose.bones["lower_twist_b.R"].two_bone_ik_twist = 0.5
    rig.pose.bones["lower_twist_a.R"].two_bone_ik_twist = BY_PLACE
    api.copy_settings(rig, left.name, sections=["BEND"])
    assert shares(rig) != both
    api.copy_settings(rig, left.name, sections=["BONES"])
    assert shares(rig) == both


def test_a_chain_that_is_another_limb_keeps_its_own() -> None:
    rig = both_sides()
    left = arm(rig)
    beside = api.add_chain(rig, "hand.L", target=left.target)
    api.copy_settings(rig, left.name, sections=["BONES"])
    assert (beside.use_twist, beside.tip_bone) == (True, "")
    assert shares(rig) == on_side(BY_HAND, "L")


def test_a_side_without_such_a_bone_is_refused_if_it_counts() -> None:
    rig = both_sides()
    left = arm(rig)
    rig.data.bones["lower_twist_a.R"].name = "turning.R"
    with pytest.raises(api.Refused, match=r"lower_twist_a\.L"):
        api.mirror_settings(rig, left.name)
    assert [chain.name for chain in rig.two_bone_ik_chains] == [left.name]
    left.use_twist = False
    api.mirror_settings(rig, left.name)
    assert shares(rig) == on_side(BY_HAND, "L")


def test_of_two_chains_on_a_limb_one_has_them(tmp_path: Path) -> None:
    rig = both_sides()
    path = tmp_path / "arms.toml"
    limb = '[[chain]]\nend_bone = "lower.L"\ntip_bone = "hand.L"\n'
    path.write_text(
        f'{limb}name = "One"\ntwist_shares = {{ "lower_twist_a.L" = 0.25 }}\n\n{limb}name = "Two"\nmute = true\n'
    )
    for _ in range(2):
        api.apply_setup(rig, api.load_setup(path))
        assert shares(rig) == {"lower_twist_a.L": 0.25}


def test_auto_takes_what_the_place_gives_and_back() -> None:
    rig = both_sides()
    select(rig)
    (place,) = (place for place in twists_found(rig, arm(rig)).bones if place.name == "lower_twist_b.L")
    bone = rig.pose.bones[place.name]
    for share in (place.by_place, BY_PLACE, 0.25):
        bpy.ops.two_bone_ik.twist_share(twist_bone=bone.name, twist_share=share)
        assert bone.two_bone_ik_twist == pytest.approx(share)


def test_a_share_for_an_unknown_bone_is_refused() -> None:
    select(both_sides())
    with pytest.raises(RuntimeError, match='has no bone "lower_twist": give the name of a twist bone'):
        bpy.ops.two_bone_ik.twist_share(twist_bone="lower_twist", twist_share=0.5)


@pytest.mark.parametrize("spread", [False, True])
def test_detect_names_limbs_with_twist_bones(capfd: pytest.CaptureFixture[str], spread: bool) -> None:
    rig = both_sides()
    for side in "LR":
        for name, human in (("upper", "upper_arm"), ("lower", "forearm")):
            rig.data.bones[f"{name}.{side}"].name = f"{human}.{side}"
    select(rig)
    bpy.ops.two_bone_ik.chains_detect(spread_twist=spread)
    chains = rig.two_bone_ik_chains
    assert len(chains) == 2
    assert [chain.use_twist for chain in chains] == [spread, spread]
    said = capfd.readouterr().out.splitlines()[-1]
    assert ("Arm.L, Arm.R have twist bones: Spread Twist" in said) != spread


def test_detect_names_no_limb_without_twist_bones(capfd: pytest.CaptureFixture[str]) -> None:
    rig = rigs.armature()
    select(rig)
    bpy.ops.two_bone_ik.chains_detect(spread_twist=True)
    assert not rig.two_bone_ik_chains[0].use_twist
    assert capfd.readouterr().out.splitlines()[-1] == "Info: Rig: added Arm"


def test_twist_bones_that_cannot_turn_are_refused_or_told() -> None:
    chain = twisted.arm(turns=0.0)
    rig = chain.id_data
    api.bake(rig, frames=(1, 2))
    told = rig.pose.bones["lower_twist_a"].constraints.new("COPY_ROTATION")
    told.target = chain.target
    driver = rig.pose.bones["upper_twist_b"].driver_add("rotation_quaternion", 1)
    driver.driver.expression = "0.1"
    report = api.bake(rig, frames=(1, 2))
    assert any(note.endswith(" are left alone: upper_twist_b, lower_twist_a") for note in report.notes)
    other = api.add_chain(rig, "lower_twist_b", target=chain.target, root_bone="lower")
    other.name = "other"
    with pytest.raises(api.Refused, match='both pose bone "lower'):
        api.bake(rig, frames=(1, 2))
    rig.two_bone_ik_chains.remove(1)
    chain.tip_bone, chain.use_rotation = "", False
    api.bake(rig, frames=(1, 2))
    chain.unreachable = "STRETCH"
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    with pytest.raises(api.Refused, match='Stretch would shear bone "upper_twist_a"'):
        api.bake(rig, frames=(1, 2))
    assert api.set_aligned(rig) == ["upper_twist_a"]
    bare = rigs.armature(name="Bare")
    api.add_chain(bare, "lower", target=chain.target, use_twist=True)
    assert 'Chain "lower" has no twist bones to spread its twist over' in api.bake(bare, frames=(1, 2)).notes

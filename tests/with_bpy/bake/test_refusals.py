"""What cannot be done is refused before anything changes, in one sentence that names it and says what would do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object, PropertyGroup

from support import file_data
from support.empty_file import open_empty_file
from support.rigs import ARM, Bone, animate, arm, armature, empty, keys

Change = Callable[[PropertyGroup], object]


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    return animated_arm()


def animated_arm() -> PropertyGroup:
    chain = arm(pole=(1, 3, 1), name="arm.L")
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    animate(chain.id_data.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 10: (1, 0.1, 0, 0)})
    return chain


def refusal(act: Callable[[], object]) -> api.Refused:
    """What is said, once it is sure that nothing changed and that a check says the same."""
    bpy.context.view_layer.update()
    before = file_data.dump()
    with pytest.raises(api.Refused) as refused:
        act()
    bpy.context.view_layer.update()
    assert not file_data.changed(before)
    sentence = str(refused.value)
    assert sentence
    assert "\n" not in sentence
    assert not sentence.endswith(".")
    return refused.value


def in_edit_mode(chain: PropertyGroup) -> None:
    bpy.ops.object.mode_set(mode="EDIT")


def in_rest_position(chain: PropertyGroup) -> None:
    chain.id_data.data.pose_position = "REST"


def in_no_scene(chain: PropertyGroup) -> None:
    bpy.context.scene.collection.objects.unlink(chain.id_data)


def without_target(chain: PropertyGroup) -> None:
    chain.target = None


def with_unknown_subtarget(chain: PropertyGroup) -> None:
    chain.target, chain.subtarget = armature(name="Other"), "nose"


def with_unknown_pole_subtarget(chain: PropertyGroup) -> None:
    chain.pole_target, chain.pole_subtarget = armature(name="Other"), "nose"


def in_the_plane_of_no_pole(chain: PropertyGroup) -> None:
    chain.pole_target, chain.plane = None, "POLE"


def with_unknown_end_bone(chain: PropertyGroup) -> None:
    chain.end_bone = "fin"


def without_end_bone(chain: PropertyGroup) -> None:
    chain.end_bone = ""


def ending_in_a_bone_without_parent(chain: PropertyGroup) -> None:
    chain.end_bone = "spine"


def with_a_root_below_its_end(chain: PropertyGroup) -> None:
    chain.root_bone = "hand"


def with_unknown_root_bone(chain: PropertyGroup) -> None:
    chain.root_bone = "fin"


def with_a_tip_elsewhere(chain: PropertyGroup) -> None:
    chain.tip_bone = "spine"


def turning_no_tip(chain: PropertyGroup) -> None:
    chain.use_rotation = True


def reaching_for_its_own_hand(chain: PropertyGroup) -> None:
    chain.target, chain.subtarget = chain.id_data, "hand"


def reaching_for_what_hangs_on_its_hand(chain: PropertyGroup) -> None:
    chain.target.parent = empty("Glove")
    chain.target.parent.parent, chain.target.parent.parent_type = chain.id_data, "BONE"
    chain.target.parent.parent_bone = "hand"


def reaching_for_what_a_constraint_ties_to_its_hand(chain: PropertyGroup) -> None:
    constraint = chain.target.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = chain.id_data, "hand"


def bending_towards_its_own_forearm(chain: PropertyGroup) -> None:
    chain.pole_target, chain.pole_subtarget = chain.id_data, "lower"


def with_its_channels_driven(chain: PropertyGroup) -> None:
    chain.id_data.pose.bones["lower"].driver_add("rotation_quaternion", 1)


def with_its_curves_locked(chain: PropertyGroup) -> None:
    animate(chain.id_data.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0)})
    curve_of(chain.id_data, "upper").lock = True


def with_its_curves_muted(chain: PropertyGroup) -> None:
    animate(chain.id_data.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0)})
    curve_of(chain.id_data, "upper").mute = True


def in_tweak_mode(chain: PropertyGroup) -> None:
    animation = chain.id_data.animation_data
    track = animation.nla_tracks.new()
    track.strips.new("Strip", 1, animation.action)
    animation.action = None
    animation.use_tweak_mode = True


def with_all_chains_muted(chain: PropertyGroup) -> None:
    chain.mute = True


def without_chains(chain: PropertyGroup) -> None:
    chain.id_data.two_bone_ik_chains.clear()


def with_time_stretched(chain: PropertyGroup) -> None:
    bpy.context.scene.render.frame_map_new = 50


def out_of_reach_where_that_is_an_error(chain: PropertyGroup) -> None:
    chain.unreachable = "ERROR"
    animate(chain.target, location={2: (1.2, 9, 1.3)})


def curve_of(rig: Object, bone: str) -> bpy.types.FCurve:
    from bl_ext.user_default.two_bone_ik.blender import versions

    return next(curve for curve in versions.curves(rig) if f'"{bone}"' in curve.data_path)


@pytest.mark.parametrize(
    ("spoil", "kind", "named"),
    [
        (in_edit_mode, "EDIT_MODE", ["Rig"]),
        (in_rest_position, "REST_POSITION", ["Rig"]),
        (in_no_scene, "NO_SCENE", ["Rig"]),
        (without_target, "NO_TARGET", ["arm.L", "Rig"]),
        (with_unknown_subtarget, "NO_SUBTARGET", ["arm.L", "nose", "Other"]),
        (with_unknown_pole_subtarget, "NO_SUBTARGET", ["arm.L", "nose", "Other"]),
        (in_the_plane_of_no_pole, "NO_POLE", ["arm.L", "Rig"]),
        (with_unknown_end_bone, "NO_BONE", ['Chain "arm.L"', "fin", "Rig"]),
        (without_end_bone, "NO_BONE", ['Chain "arm.L"', "Rig"]),
        (ending_in_a_bone_without_parent, "NO_PARENT", ["spine", "Rig"]),
        (with_a_root_below_its_end, "NOT_A_CHAIN", ["hand", "lower", "Rig"]),
        (with_unknown_root_bone, "NO_BONE", ['Chain "arm.L"', "fin", "Rig"]),
        (with_a_tip_elsewhere, "NOT_A_CHILD", ["spine", "lower", "Rig"]),
        (turning_no_tip, "NO_TIP_BONE", ["arm.L", "Rig"]),
        (reaching_for_its_own_hand, "TARGET_FOLLOWS", ["arm.L", "Rig", "hand"]),
        (reaching_for_what_hangs_on_its_hand, "TARGET_FOLLOWS", ["arm.L", "Rig", "Target"]),
        (reaching_for_what_a_constraint_ties_to_its_hand, "TARGET_FOLLOWS", ["arm.L", "Rig", "Target"]),
        (bending_towards_its_own_forearm, "TARGET_FOLLOWS", ["arm.L", "Rig", "lower"]),
        (with_its_channels_driven, "CURVE_DRIVEN", ["lower", "Rig", "rotation_quaternion"]),
        (with_its_curves_locked, "CURVE_LOCKED", ["upper", "Rig"]),
        (with_its_curves_muted, "CURVE_MUTED", ["upper", "Rig"]),
        (in_tweak_mode, "TWEAK_MODE", ["Rig"]),
        (with_all_chains_muted, "ALL_MUTED", ["Rig"]),
        (without_chains, "NO_CHAINS", ["Rig"]),
        (with_time_stretched, "TIME_STRETCHING", ["Rig", "Scene", "50"]),
        (out_of_reach_where_that_is_an_error, "UNREACHABLE", ["arm.L", "Rig", "frame 2"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_chain_is_not_baked(chain: PropertyGroup, spoil: Change, kind: str, named: list[str]) -> None:
    rig = chain.id_data
    spoil(chain)
    refused = refusal(lambda: api.bake(rig, frames=(1, 10)))
    assert refused.kind == kind
    for name in named:
        assert name in str(refused)
    assert refused.object == "Rig"


@pytest.mark.parametrize("distance", [(3.0, 0, 1), (0.05, 0, 1)], ids=["too far", "too close"])
def test_out_of_reach_names_the_distance_and_the_annulus(chain: PropertyGroup, distance: tuple) -> None:
    rig = chain.id_data
    rig.scale = (2, 2, 2)
    chain.target.animation_data_clear()
    chain.target.location = [2 * value for value in distance]
    rig.pose.bones["spine"].rotation_quaternion = (1, 0, 0, 0)
    rig.animation_data_clear()
    chain.unreachable = "ERROR"
    refused = refusal(lambda: api.bake(rig, frames=(1, 1)))
    upper, lower = (rig.data.bones[name].length for name in ("upper", "lower"))
    assert refused.value == pytest.approx(2 * distance[0], rel=1e-6)
    for length in (2 * distance[0], 2 * (upper - lower), 2 * (upper + lower)):
        assert f"{1e3 * length:.0f} mm" in str(refused) or f"{length:.3g} m" in str(refused)


@pytest.mark.parametrize(
    ("frames", "kind"),
    [
        ((10, 1), "EMPTY_RANGE"),
        ((1, float("nan")), "EMPTY_RANGE"),
        ((float("-inf"), 1), "EMPTY_RANGE"),
        ((1, 10, 0), "FRAME_STEP"),
        ((1, 10, -1), "FRAME_STEP"),
        ((1, 10, 0.001), "FRAME_STEP"),
        ((1, 10, float("nan")), "FRAME_STEP"),
    ],
)
def test_a_range_without_frames_is_refused(chain: PropertyGroup, frames: tuple, kind: str) -> None:
    refused = refusal(lambda: api.bake(chain.id_data, frames=frames))
    assert refused.kind == kind


def test_an_unknown_chain_is_refused_with_those_there_are(chain: PropertyGroup) -> None:
    refused = refusal(lambda: api.bake(chain.id_data, ["arm.R"]))
    assert refused.kind == "UNKNOWN_CHAIN"
    assert "arm.R" in str(refused)
    assert "arm.L" in str(refused)


@pytest.mark.parametrize("style", [{"interpolation": "CUBIST"}, {"key_type": "GOLDEN"}])
def test_an_unknown_style_of_keys_is_refused_with_choices(chain: PropertyGroup, style: dict) -> None:
    refused = refusal(lambda: api.bake(chain.id_data, **style))
    assert refused.kind == "UNKNOWN_KEY_STYLE"
    assert next(iter(style.values())) in str(refused)


@pytest.mark.parametrize("act", [api.bake, api.check, api.solve], ids=lambda act: act.__name__)
def test_what_is_no_armature_is_refused(act: Callable) -> None:
    for other in (empty("Cube"), None):
        assert refusal(lambda other=other: act(other)).kind == "NO_ARMATURE"


def test_linked_rigs_and_actions_are_refused(tmp_path: Path) -> None:
    animated_arm()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    open_empty_file()
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.objects = ["Rig"]
    (rig,) = linked.objects
    bpy.context.scene.collection.objects.link(rig)
    assert refusal(lambda: api.bake(rig)).kind == "LINKED"
    rig = rig.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    rig.override_library.is_system_override = True
    assert refusal(lambda: api.bake(rig)).kind == "LINKED"
    rig.override_library.is_system_override = False
    assert refusal(lambda: api.bake(rig)).kind == "LINKED_ACTION"
    api.bake(rig, frames=(1, 10), new_action=True)
    assert list(keys(rig.pose.bones["upper"])) == list(range(1, 11))


def test_a_check_and_a_solve_refuse_what_a_bake_refuses(chain: PropertyGroup) -> None:
    chain.target = None
    for act in (api.check, api.solve):
        assert refusal(lambda act=act: act(chain.id_data)).kind == "NO_TARGET"


@pytest.mark.parametrize(("end", "kind"), [("spine", "NO_PARENT"), ("fin", "NO_BONE")])
def test_no_chain_is_added_where_bones_make_none(end: str, kind: str) -> None:
    rig = armature((*ARM, Bone("toe", (0, 0, 0), (0, 0, 1))))
    assert refusal(lambda: api.add_chain(rig, end)).kind == kind


def test_a_chain_with_fields_that_do_not_fit_is_not_added() -> None:
    rig = armature()
    before = file_data.dump()
    for fields in ({"softness": "soft"}, {"bend": "SIDEWAYS"}):
        with pytest.raises((api.Refused, TypeError)):
            api.add_chain(rig, "lower", **fields)
    assert not file_data.changed(before)

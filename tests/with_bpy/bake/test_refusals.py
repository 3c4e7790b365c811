"""What cannot be done is refused before anything changes, in one sentence that names it and says what would do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import PropertyGroup

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
    """What is said, once it is sure that nothing changed and that it is one sentence."""
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


def reaching_for_what_hangs_on_its_hand(chain: PropertyGroup) -> None:
    chain.target.parent = empty("Glove")
    chain.target.parent.parent, chain.target.parent.parent_type = chain.id_data, "BONE"
    chain.target.parent.parent_bone = "hand"


def reaching_for_what_a_constraint_ties_to_its_hand(chain: PropertyGroup) -> None:
    constraint = chain.target.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = chain.id_data, "hand"


def in_tweak_mode(chain: PropertyGroup) -> None:
    animation = chain.id_data.animation_data
    track = animation.nla_tracks.new()
    track.strips.new("Strip", 1, animation.action)
    animation.action = None
    animation.use_tweak_mode = True


def beside_a_solo_track(chain: PropertyGroup) -> None:
    tracks = chain.id_data.animation_data.nla_tracks
    tracks.new().strips.new("Strip", 1, chain.id_data.animation_data.action)
    tracks[0].is_solo = True


def with_keyed_modes(chain: PropertyGroup) -> None:
    bone = chain.id_data.pose.bones["lower"]
    for frame, mode in ((1, "XYZ"), (3, "QUATERNION")):
        bone.rotation_mode = mode
        bone.keyframe_insert("rotation_mode", frame=frame)


def without_chains(chain: PropertyGroup) -> None:
    chain.id_data.two_bone_ik_chains.clear()


def having(**fields: object) -> Change:
    """A chain with these values; an armature is meant by its name, which has the bones of the rig."""

    def change(chain: PropertyGroup) -> None:
        for name, value in fields.items():
            if isinstance(value, str) and name in ("target", "pole_target"):
                value = bpy.data.objects.get(value) or armature(name=value)
            setattr(chain, name, value)

    return change


def with_curves(name: str) -> Change:
    """The root bone's curves locked or muted."""

    def change(chain: PropertyGroup) -> None:
        animate(chain.id_data.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0)})
        setattr(next(curve for curve in versions.curves(chain.id_data) if '"upper"' in curve.data_path), name, True)

    return change


def out_of_reach_where_that_is_an_error(chain: PropertyGroup) -> None:
    chain.unreachable = "ERROR"
    animate(chain.target, location={2: (1.2, 9, 1.3)})


SPOILT = {
    "edit mode": (in_edit_mode, "EDIT_MODE", ["Rig"]),
    "rest position": (lambda chain: setattr(chain.id_data.data, "pose_position", "REST"), "REST_POSITION", ["Rig"]),
    "in no scene": (
        lambda chain: bpy.context.scene.collection.objects.unlink(chain.id_data),
        "NO_SCENE",
        ["Rig"],
    ),
    "no target": (having(target=None), "NO_TARGET", ["arm.L", "Rig"]),
    "unknown subtarget": (having(target="Other", subtarget="nose"), "NO_SUBTARGET", ["arm.L", "nose", "Other"]),
    "unknown pole subtarget": (
        having(pole_target="Other", pole_subtarget="nose"),
        "NO_SUBTARGET",
        ["arm.L", "nose", "Other"],
    ),
    "the plane of no pole": (having(pole_target=None, plane="POLE"), "NO_POLE", ["arm.L", "Rig"]),
    "unknown end bone": (having(end_bone="fin"), "NO_BONE", ['Chain "arm.L"', "fin", "Rig"]),
    "no end bone": (having(end_bone=""), "NO_BONE", ['Chain "arm.L"', "Rig"]),
    "a bone without parent": (having(end_bone="spine"), "NO_PARENT", ["spine", "Rig"]),
    "a root below its end": (having(root_bone="hand"), "NOT_A_CHAIN", ["hand", "lower", "Rig"]),
    "unknown root bone": (having(root_bone="fin"), "NO_BONE", ['Chain "arm.L"', "fin", "Rig"]),
    "a tip elsewhere": (having(tip_bone="spine"), "NOT_A_CHILD", ["spine", "lower", "Rig"]),
    "turning no tip": (having(use_rotation=True), "NO_TIP_BONE", ["arm.L", "Rig"]),
    "its own hand": (having(target="Rig", subtarget="hand"), "TARGET_FOLLOWS", ["arm.L", "Rig", "hand"]),
    "what hangs on its hand": (reaching_for_what_hangs_on_its_hand, "TARGET_FOLLOWS", ["arm.L", "Rig", "Target"]),
    "what copies its hand": (
        reaching_for_what_a_constraint_ties_to_its_hand,
        "TARGET_FOLLOWS",
        ["arm.L", "Rig", "Target"],
    ),
    "its own forearm": (having(pole_target="Rig", pole_subtarget="lower"), "TARGET_FOLLOWS", ["arm.L", "Rig", "lower"]),
    "crossed limits": (
        having(use_bend_limits=True, bend_min=1.0, bend_max=0.5),
        "CROSSED_LIMITS",
        ['"arm.L" of "Rig" has bend limits from ', " degrees: set the minimum"],
    ),
    "driven": (
        lambda chain: chain.id_data.pose.bones["lower"].driver_add("rotation_quaternion", 1),
        "CURVE_DRIVEN",
        ["lower", "Rig", "rotation_quaternion"],
    ),
    "locked curves": (with_curves("lock"), "CURVE_LOCKED", ["upper", "Rig"]),
    "muted curves": (with_curves("mute"), "CURVE_MUTED", ["upper", "Rig"]),
    "tweak mode": (in_tweak_mode, "TWEAK_MODE", ["Rig"]),
    "keyed modes": (with_keyed_modes, "MODE_KEYED", ['Keys change the rotation_mode of bone "lower" on "Rig"']),
    "solo track": (beside_a_solo_track, "SOLO_TRACK", ['NLA track "NlaTrack" of "Rig" plays solo']),
    "all muted": (having(mute=True), "ALL_MUTED", ["Rig"]),
    "no chains": (without_chains, "NO_CHAINS", ["Rig"]),
    "out of reach": (out_of_reach_where_that_is_an_error, "UNREACHABLE", ["arm.L", "Rig", "frame 2"]),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_chain_is_not_baked(chain: PropertyGroup, case: str) -> None:
    rig, (spoil, kind, named) = chain.id_data, SPOILT[case]
    spoil(chain)
    refused = refusal(lambda: api.bake(rig, frames=(1, 10)))
    assert refused.kind == kind
    for name in named:
        assert name in str(refused)
    assert refused.object == "Rig"


def test_keys_of_a_mode_are_no_hindrance_where_they_are_muted(chain: PropertyGroup) -> None:
    rig = chain.id_data
    with_keyed_modes(chain)
    for curve in versions.curves(rig):
        curve.mute = curve.data_path.endswith("rotation_mode")
    assert api.bake(rig, frames=(1, 10)).posed


def test_nor_are_those_of_another_range(chain: PropertyGroup) -> None:
    with_keyed_modes(chain)
    assert api.bake(chain.id_data, frames=(3, 10)).posed
    assert refusal(lambda: api.bake(chain.id_data, frames=(2, 10))).kind == "MODE_KEYED"


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


@pytest.mark.parametrize(
    ("style", "kind", "words"),
    [
        ({"interpolation": "CUBIST"}, "UNKNOWN_KEY_STYLE", "CUBIST"),
        ({"key_type": "GOLDEN"}, "UNKNOWN_KEY_STYLE", "GOLDEN"),
        ({"keys": "REDUCED", "interpolation": "SINE"}, "IRREDUCIBLE", 'Keys of "Rig" cannot be reduced'),
        ({"keys": "REDUCED", "tolerance": 0.0}, "WRONG_TYPE", "tolerance = 0.0"),
    ],
)
def test_a_style_that_keys_cannot_have_is_refused(chain: PropertyGroup, style: dict, kind: str, words: str) -> None:
    refused = refusal(lambda: api.bake(chain.id_data, **style))
    assert refused.kind == kind
    assert words in str(refused)


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


@pytest.mark.parametrize("fields", [{"softness": "soft"}, {"bend": "SIDEWAYS"}, {"colour": 1}], ids=str)
def test_a_chain_with_fields_that_do_not_fit_is_not_added(fields: dict) -> None:
    rig = armature()
    before = file_data.dump()
    with pytest.raises((api.Refused, TypeError), match='"colour", which means nothing' if "colour" in fields else ""):
        api.add_chain(rig, "lower", **fields)
    assert not file_data.changed(before)

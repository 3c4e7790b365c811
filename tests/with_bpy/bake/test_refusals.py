"""What cannot be done is refused before anything changes, in one sentence that names it and says what would do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import PropertyGroup

from support.empty_file import open_empty_file
from support.refused import refused
from support.rigs import animate, arm, armature, empty, keys

Change = Callable[[PropertyGroup], object]


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    return animated_arm()


def animated_arm() -> PropertyGroup:
    chain = arm(pole=(1, 3, 1), name="arm.L")
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    animate(chain.id_data.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 10: (1, 0.1, 0, 0)})
    return chain


def in_edit_mode(chain: PropertyGroup) -> None:
    bpy.ops.object.mode_set(mode="EDIT")


def reaching_for_what_hangs_on_its_hand(chain: PropertyGroup) -> None:
    chain.target.parent = empty("Glove")
    chain.target.parent.parent, chain.target.parent.parent_type = chain.id_data, "BONE"
    chain.target.parent.parent_bone = "hand"


def reaching_for_what_a_constraint_ties_to_its_hand(chain: PropertyGroup) -> None:
    constraint = chain.target.constraints.new("COPY_LOCATION")
    constraint.target, constraint.subtarget = chain.id_data, "hand"


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


def out_of_reach_where_that_is_an_error(chain: PropertyGroup) -> None:
    chain.unreachable = "ERROR"
    animate(chain.target, location={2: (1.2, 9, 1.3)})


SPOILT = {
    "edit mode": (in_edit_mode, "EDIT_MODE", ["Rig"]),
    "rest position": (lambda chain: setattr(chain.id_data.data, "pose_position", "REST"), "REST_POSITION", ["Rig"]),
    "in no scene": (lambda chain: bpy.context.scene.collection.objects.unlink(chain.id_data), "NO_SCENE", ["Rig"]),
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
    "shear": (
        having(unreachable="STRETCH"),
        "SHEAR",
        ['shear bone "lower" of "Rig": set its Inherit Scale to None or Aligned'],
    ),
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
    with refused(kind, *named) as found:
        api.bake(rig, frames=(1, 10))
    assert found.value.object == "Rig"


def test_keys_of_a_mode_are_no_hindrance_where_they_are_muted(chain: PropertyGroup) -> None:
    rig = chain.id_data
    with_keyed_modes(chain)
    for curve in versions.curves(rig):
        curve.mute = curve.data_path.endswith("rotation_mode")
    assert api.bake(rig, frames=(1, 10)).posed


def test_nor_are_those_of_another_range(chain: PropertyGroup) -> None:
    with_keyed_modes(chain)
    assert api.bake(chain.id_data, frames=(3, 10)).posed
    with refused("MODE_KEYED"):
        api.bake(chain.id_data, frames=(2, 10))


@pytest.mark.parametrize("distance", [3.0, 0.05, 0.0], ids=["too far", "too close", "on the root"])
def test_out_of_reach_names_the_distance_and_the_annulus(chain: PropertyGroup, distance: float) -> None:
    rig = chain.id_data
    rig.scale = (2, 2, 2)
    chain.target.animation_data_clear()
    chain.target.location = (2 * distance, 0, 2)
    rig.pose.bones["spine"].rotation_quaternion = (1, 0, 0, 0)
    rig.animation_data_clear()
    chain.unreachable = "ERROR"
    with refused("UNREACHABLE") as found:
        api.bake(rig, frames=(1, 1))
    upper, lower = (rig.data.bones[name].length for name in ("upper", "lower"))
    assert found.value.value == pytest.approx(2 * distance, rel=1e-6)
    for length in (2 * distance, 2 * (upper - lower), 2 * (upper + lower)):
        assert f" {1e3 * length:.0f} mm" in str(found.value) or f" {length:.3g} m" in str(found.value)


@pytest.mark.parametrize(
    ("frames", "kind"),
    [
        *(((10, 1), "EMPTY_RANGE"), ((1, float("nan")), "EMPTY_RANGE"), ((float("-inf"), 1), "EMPTY_RANGE")),
        *(((1, 10, step), "FRAME_STEP") for step in (0, -1, 0.001, float("nan"))),
    ],
)
def test_a_range_without_frames_is_refused(chain: PropertyGroup, frames: tuple, kind: str) -> None:
    with refused(kind):
        api.bake(chain.id_data, frames=frames)


@pytest.mark.parametrize(
    ("names", "style", "kind", "words"),
    [
        (["arm.R"], {}, "UNKNOWN_CHAIN", ["arm.R", "arm.L"]),
        (None, {"keys": "REDUCED", "interpolation": "SINE"}, "IRREDUCIBLE", ['Keys of "Rig" cannot be reduced']),
        (None, {"keys": "REDUCED", "tolerance": 0.0}, "WRONG_TYPE", ["tolerance = 0.0"]),
    ],
)
def test_what_there_is_not_is_refused(
    chain: PropertyGroup, names: list[str] | None, style: dict, kind: str, words: list[str]
) -> None:
    with refused(kind, *words):
        api.bake(chain.id_data, names, **style)


@pytest.mark.parametrize("act", [api.bake, api.check, api.solve], ids=lambda act: act.__name__)
def test_what_is_no_armature_is_refused(act: Callable) -> None:
    for other in (empty("Cube"), None):
        with refused("NO_ARMATURE"):
            act(other)


def test_linked_rigs_and_actions_are_refused(tmp_path: Path) -> None:
    animated_arm()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    open_empty_file()
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.objects = ["Rig"]
    (rig,) = linked.objects
    bpy.context.scene.collection.objects.link(rig)
    with refused("LINKED"):
        api.bake(rig)
    rig = rig.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    for is_system, kind in ((True, "LINKED"), (False, "LINKED_ACTION")):
        rig.override_library.is_system_override = is_system
        with refused(kind):
            api.bake(rig)
    api.bake(rig, frames=(1, 10), new_action=True)
    assert list(keys(rig.pose.bones["upper"])) == list(range(1, 11))


@pytest.mark.parametrize("act", [api.add_chain, api.ensure_chain], ids=lambda act: act.__name__)
@pytest.mark.parametrize(
    ("end", "fields"),
    [
        *(("spine", {}), ("fin", {}), ("lower", {"softness": "soft"}), ("lower", {"bend": "SIDEWAYS"})),
        *(("lower", {"softness": 0.5, "colour": 1}), ("lower", {"softness": 0.5, "root_bone": "hand"})),
    ],
)
def test_a_chain_that_does_not_fit_is_neither_added_nor_changed(act: Callable, end: str, fields: dict) -> None:
    rig = armature()
    if act == api.ensure_chain:
        api.add_chain(rig, "lower", softness=0.25)
    with refused():
        act(rig, end, **fields)

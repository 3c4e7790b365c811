"""Chains are read as they are: whatever scales, shears, offsets or rolls their bones, the tip meets its target.

Poses that the chain itself had say what is within its reach; geometry knows nothing of what brought it there.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.build_plan import build_plan
from bpy.types import Object, PropertyGroup
from mathutils import Euler

from support.rigs import ARM, Bone, animate, arm, armature, chain, editing, empty
from support.truth import Limb, on_frame

FRAMES = range(1, 13)
CLOSE = 1e-5
INHERIT_SCALE = ["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"]
WITH_TWIST = (
    *ARM[:2],
    Bone("twist", (1, 0.2, 1), (1.3, 0.2, 1.1), "upper", 0.4),
    Bone("lower", (1.3, 0.2, 1.1), (2.1, 0, 1.1), "twist"),
)

WITH_CARPUS = (
    *ARM[:3],
    Bone("carpus", (1.8, 0, 1.1), (1.85, 0.05, 1.1), "lower", 0.3),
    Bone("hand", (1.9, 0.1, 1.1), (2.1, 0.1, 1.1), "carpus", 0.2),
)


def moving(chain: PropertyGroup) -> Object:
    """The rig of an arm, with target and spine animated over the frames."""
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 6: (0.5, -0.8, 1.5), 12: (1.4, 0.2, 0.9)})
    turns = {1: (0, 0, 0), 12: (0.2, 0.3, -0.2)}
    animate(
        chain.id_data.pose.bones["spine"], rotation_quaternion={f: Euler(t).to_quaternion() for f, t in turns.items()}
    )
    return chain.id_data


def scaled(*scale: float) -> Callable[[Object], None]:
    return lambda rig: setattr(rig, "scale", scale)


def move_and_turn(rig: Object) -> None:
    animate(rig, location={1: (0, 0, 0), 12: (0.3, -0.2, 0.1)}, rotation_euler={1: (0, 0, 0), 12: (0.3, -0.2, 0.5)})


def ride_on_a_squashed_parent(rig: Object) -> None:
    rig.parent = empty("Parent")
    animate(rig.parent, scale={1: (1, 1, 1), 12: (1.2, 0.8, 1.1)}, rotation_euler={1: (0, 0, 0), 12: (0.4, 0.3, 0)})
    rig.rotation_euler = (0.3, 0.2, 0.1)


@pytest.mark.parametrize("pole", [(1, 3, 1), None], ids=["pole", "no pole"])
@pytest.mark.parametrize(
    "change",
    [
        *(scaled(0.01, 0.01, 0.01), scaled(-1, 1, 1), scaled(-1, -1, -1), scaled(0.7, 1.1, 1.4)),
        *(move_and_turn, ride_on_a_squashed_parent),
    ],
    ids=["small", "mirrored", "inside out", "squashed", "moved and turned", "on a squashed parent"],
)
def test_an_armature_object_may_be_scaled_mirrored_and_moved(change: Callable[[Object], None], pole) -> None:
    """Mirrored and negative scale: lengths and handedness read in one space only."""
    rig = moving(arm(pole=pole))
    change(rig)
    for item in filter(None, (bpy.data.objects["Target"], bpy.data.objects.get("Pole"))):
        item.parent = anchor = empty(f"Anchor {item.name}")
        anchor.scale = rig.scale
    api.bake(rig, frames=(1, 12))
    assert Limb(pole="Pole" if pole else "").misses(FRAMES).max() < CLOSE


@pytest.mark.parametrize("turn", [(0, 0, 0), (0.4, 0.7, -0.2)])
def test_bones_between_root_and_end_bone_are_carried_rigidly(turn: tuple[float, float, float]) -> None:
    rig = moving(chain(armature(WITH_TWIST), "lower", target=(1, 0, 1), pole=(1, 3, 1), root_bone="upper"))
    twist = rig.pose.bones["twist"]
    animate(twist, rotation_quaternion={1: (1, 0, 0, 0), 12: Euler(turn).to_quaternion()})
    api.bake(rig, frames=(1, 12))
    limb = Limb(pole="Pole")
    assert (limb.hits if any(turn) else limb.misses)(FRAMES).max() < CLOSE
    on_frame(12)
    twist = bpy.data.objects["Rig"].pose.bones["twist"]
    np.testing.assert_allclose(twist.rotation_quaternion, Euler(turn).to_quaternion(), atol=1e-6)


@pytest.mark.parametrize(
    ("inherits", "way"),
    [*((True, way) for way in ("CURVES", "ISOLATED", "SCENE")), (False, "CURVES")],
)
@pytest.mark.parametrize("change", [{}, {"scale": (1.1, 1.3, 0.9)}, {"location": (0.1, 0.05, 0)}], ids=str)
def test_bones_between_end_bone_and_tip_bone_are_carried_along(inherits: bool, change: dict, way: str) -> None:
    """As rigs have them that keep the hand free of the forearm's scale; the hand turns with the target as well."""
    rig = moving(chain(armature(WITH_CARPUS), "lower", target=(1, 0, 1), pole=(1, 3, 1), tip_bone="hand"))
    rig.two_bone_ik_chains[0].use_rotation = True
    rig.data.bones["carpus"].use_inherit_rotation = inherits
    carpus, target = rig.pose.bones["carpus"], bpy.data.objects["Target"]
    animate(carpus, rotation_quaternion={1: (1, 0, 0, 0), 12: Euler((0.4, 0.3, -0.2)).to_quaternion()})
    for name, value in change.items():
        animate(carpus, **{name: {12: value}})
    animate(target, rotation_euler={1: (0, 0, 0), 12: (1.0, 0.5, -0.7)})
    # Across the scale of its parent the hand would be sheared.
    rig.data.bones["hand"].inherit_scale = "NONE"
    api.bake(rig, frames=(1, 12), sampling=way)
    assert Limb(tip="hand", pole="Pole").hits(FRAMES).max() < CLOSE
    for frame in FRAMES:
        on_frame(frame)
        rig, target = bpy.data.objects["Rig"], bpy.data.objects["Target"]
        found = (rig.matrix_world @ rig.pose.bones["hand"].matrix).to_quaternion()
        assert abs(found.dot(target.matrix_world.to_quaternion())) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("local", [True, False], ids=["local location", "no local location"])
def test_bones_may_be_moved_off_their_place(local: bool) -> None:
    rig = moving(arm(pole=(1, 3, 1), tip_bone="hand"))
    for name, place in {"upper": (0.1, -0.1, 0.2), "lower": (0.1, 0.2, 0.1), "hand": (0.05, 0.1, 0)}.items():
        rig.data.bones[name].use_local_location = local
        animate(rig.pose.bones[name], location={1: place, 12: (0, 0, 0)})
    api.bake(rig, frames=(1, 12))
    assert Limb(tip="hand", pole="Pole").hits(FRAMES).max() < CLOSE


@pytest.mark.parametrize("without", [("upper",), ("lower",), ("upper", "lower")], ids=" and ".join)
def test_bones_need_not_inherit_rotation(without: tuple[str, ...]) -> None:
    rig = moving(arm(pole=(1, 3, 1)))
    for name in without:
        rig.data.bones[name].use_inherit_rotation = False
    api.bake(rig, frames=(1, 12))
    assert Limb(pole="Pole").misses(FRAMES).max() < CLOSE


def reachable(rig: Object, scales: dict[str, tuple], *, seed: int = 3) -> None:
    """Give the rig these scales, and target and pole on each frame where a pose of its own takes tip and elbow."""
    random = np.random.default_rng(seed)
    for name, scale in scales.items():
        animate(rig.pose.bones[name], scale={1: scale, 12: (1, 1, 1), 6: scale})
    for frame in FRAMES[::2]:
        depsgraph = on_frame(frame)
        for name, turn in {"upper": random.uniform(-0.5, 0.5, 3), "lower": (0, 0, random.uniform(-1.8, -0.9))}.items():
            rig.pose.bones[name].rotation_quaternion = Euler(turn).to_quaternion()
        depsgraph.update()
        root, mid, tip = Limb().joints(depsgraph)
        outwards = mid - (root + tip) / 2
        animate(bpy.data.objects["Target"], location={frame: tip})
        animate(bpy.data.objects["Pole"], location={frame: mid + 2 * outwards + random.uniform(-0.2, 0.2, 3)})
    for name in ("upper", "lower"):
        rig.pose.bones[name].rotation_quaternion = (1, 0, 0, 0)


EVEN = {"spine": (1.3, 1.3, 1.3), "upper": (0.8, 0.8, 0.8), "lower": (1.2, 1.2, 1.2)}
UNEVEN_PARENT = {"spine": (1.2, 0.9, 1.1)}
UNEVEN_BONES = {"upper": (0.9, 1.2, 0.9), "lower": (1.2, 0.8, 1.1)}


@pytest.mark.parametrize(
    ("upper", "lower", "scales"),
    [
        *((upper, lower, UNEVEN_PARENT) for upper, lower in product(INHERIT_SCALE, INHERIT_SCALE)),
        *((rule, rule, EVEN) for rule in INHERIT_SCALE),
        # The spine has no scale that the upper bone could inherit.
        *(("FULL", lower, UNEVEN_BONES) for lower in INHERIT_SCALE),
    ],
    ids=str,
)
def test_lengths_follow_scale_however_it_is_inherited(upper: str, lower: str, scales: dict[str, tuple]) -> None:
    rig = arm(pole=(1, 3, 1)).id_data
    rig.data.bones["upper"].inherit_scale, rig.data.bones["lower"].inherit_scale = upper, lower
    reachable(rig, scales)
    assert api.bake(rig, frames=(1, 12, 2)).reached
    assert Limb(pole="Pole").hits(FRAMES[::2]).max() < CLOSE


def test_without_frames_the_scene_counts_and_not_its_preview() -> None:
    chain = arm()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 8
    assert list(build_plan(chain.id_data, None, None, None).frames) == [3, 4, 5, 6, 7, 8]
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 5, 6
    assert list(build_plan(chain.id_data, None, None, None).frames) == [3, 4, 5, 6, 7, 8]


def test_without_names_all_chains_that_are_not_muted_are_taken() -> None:
    chain = arm()
    rig = chain.id_data
    other = api.add_chain(rig, "hand", target=empty("Far", (3, 0, 0)))
    assert [plan.name for plan in build_plan(rig, None, None, None).chains] == ["lower", "hand"]
    other.mute = True
    assert [plan.name for plan in build_plan(rig, None, None, None).chains] == ["lower"]
    assert [plan.name for plan in build_plan(rig, ["hand"], None, None).chains] == ["hand"]


WAYS = ["AUTO", "ISOLATED", "SCENE"]


def connected_arm(*names: str) -> Object:
    """An arm whose bones of these names are connected to their parents."""
    link = arm(pole=(1, 3, 1), tip_bone="hand")
    with editing(link.id_data) as bones:
        for name in names:
            bones[name].use_connect = True
    rig = bpy.data.objects["Rig"]
    animate(bpy.data.objects["Target"], location={1: (1.2, 0.6, 1.3), 8: (0.5, 0.8, 1.5)})
    return rig


@pytest.mark.parametrize(
    ("keyed", "bone", "way"),
    [
        *((False, "upper", "AUTO"), (False, "lower", "ISOLATED"), (False, "hand", "SCENE")),
        *((True, "upper", "SCENE"), (True, "lower", "ISOLATED"), (True, "hand", "AUTO")),
    ],
)
def test_the_location_of_a_connected_bone_moves_no_joint(bone: str, keyed: bool, way: str) -> None:
    rig = connected_arm("upper", "lower", "hand")
    rig.pose.bones[bone].location = (0.2, 0.3, -0.1)
    if keyed:
        animate(rig.pose.bones[bone], location={1: (0.2, 0.3, -0.1), 8: (-0.3, 0.1, 0.2)})
    else:
        api.solve(rig)
        assert Limb(tip="hand").off() < CLOSE
    api.bake(rig, frames=(1, 8), sampling=way)
    assert Limb(pole="Pole", tip="hand").misses(range(1, 9)).max() < CLOSE


@pytest.mark.parametrize("way", WAYS)
def test_the_location_of_a_connected_spine_moves_no_chain(way: str) -> None:
    rig = connected_arm("upper")
    with editing(rig) as bones:
        hips = bones.new("hips")
        hips.head, hips.tail = (0, 0, -1), (0, 0, 0)
        bones["spine"].parent, bones["spine"].use_connect = hips, True
    animate(rig.pose.bones["spine"], location={1: (0.2, 0.3, -0.1), 8: (-0.3, 0.1, 0.2)})
    api.bake(rig, frames=(1, 8), sampling=way)
    assert Limb(pole="Pole", tip="hand").misses(range(1, 9)).max() < CLOSE


def test_a_target_and_a_linked_pole_may_have_the_same_name(tmp_path: Path) -> None:
    chain = arm(pole=(1, 3, 1))
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {chain.pole_target})
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.objects = ["Pole"]
    [pole] = linked.objects
    bpy.context.scene.collection.objects.link(pole)
    chain.target, chain.pole_target = chain.pole_target, pole
    assert chain.target.name == chain.pole_target.name
    assert api.bake(chain.id_data, frames=(1, 3)).posed

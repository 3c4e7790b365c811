"""Many characters baked with one call: each as by itself, followed ones first, and all that is asked is asked once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake.report import last
from bl_ext.user_default.two_bone_ik.blender.rigs import known_limbs
from bl_ext.user_default.two_bone_ik.blender.scene import dependencies
from bl_ext.user_default.two_bone_ik.blender.settings import keyed_options
from bpy.types import Object
from mathutils import Vector

from support.characters import select
from support.empty_file import open_empty_file
from support.refused import refused
from support.rigs import ARM, LEFT, animate, armature, chain, empty
from support.truth import Limb

EDIT = (0.1, 0.2, 0.3)


def crowd(count: int) -> list[Object]:
    """Arms side by side on different ways, each with an edit without a key on a bone that has keys."""
    rigs = []
    for number in range(count):
        rig, target = armature(name=f"Rig {number}"), empty(f"Target {number}")
        rig.location.x = 3.0 * number
        places = ((1.2, 0.6, 1.3 - 0.1 * number), (0.9, -0.5, 1.2), (1.4, 0.1 * number, 1.5))
        animate(target, location={1 + 4 * row: (x + rig.location.x, y, z) for row, (x, y, z) in enumerate(places)})
        animate(rig.pose.bones["hand"], location={1: (0, 0, 0), 9: (0, 1, 0)})
        api.add_chain(rig, "lower", target=target)
        rigs.append(rig)
    bpy.context.view_layer.update()
    for rig in rigs:
        rig.pose.bones["hand"].location = EDIT
    return rigs


def keys(rig: Object) -> dict[tuple[str, int], list[float]]:
    return {
        (curve.data_path, curve.array_index): [value for key in curve.keyframe_points for value in key.co]
        for curve in versions.curves(rig)
    }


@pytest.fixture
def evaluations() -> Iterator[list[str]]:
    """The name of the scene for each evaluation of a view layer, on another frame or the same."""
    found: list[str] = []

    def count(scene: bpy.types.Scene, *_: object) -> None:
        found.append(scene.name)

    bpy.app.handlers.depsgraph_update_post.append(count)
    bpy.app.handlers.frame_change_post.append(count)
    yield found
    bpy.app.handlers.depsgraph_update_post.remove(count)
    bpy.app.handlers.frame_change_post.remove(count)


@pytest.mark.parametrize("way", ["AUTO", "ISOLATED", "SCENE"])
def test_each_character_is_baked_as_by_itself(empty_file: None, way: str) -> None:
    alone = [api.bake(rig, frames=(1, 9), sampling=way).to_json() for rig in crowd(3)]
    found = [keys(rig) for rig in bpy.data.objects if rig.pose]
    open_empty_file()
    rigs = crowd(3)
    reports = api.bake(rigs, frames=(1, 9), sampling=way)
    assert [keys(rig) for rig in rigs] == found
    assert [report.to_json() for report in reports] == alone
    assert all(chain.measured.all() for report in reports for chain in report.chains)
    bpy.context.view_layer.update()
    for rig in rigs:
        np.testing.assert_allclose(rig.pose.bones["hand"].location, EDIT, atol=1e-7)
    assert off_targets(0, 1, 2) < 1e-5


def test_whom_keys_move_too_is_named(empty_file: None) -> None:
    rigs = crowd(6)
    for item in (*rigs[1:], empty("Empty")):  # which has no such bones, so that keys do not move it
        versions.play(item, *versions.played(rigs[0]))
    limbs = [Limb(rig=rig.name, target=f"Target {number}") for number, rig in enumerate(rigs)]

    def off() -> np.ndarray:
        return np.array([limb.offs((1, 4, 9)).max() for limb in limbs])

    reports = api.bake(rigs, frames=(1, 9))
    assert (off() > 1e-3).tolist() == [not report.posed for report in reports] == [True] * 5 + [False]
    for rig, report in zip(rigs, reports, strict=True):
        named = ", ".join([f'"{other.name}"' for other in rigs if other != rig][:4])
        [note] = report.notes
        assert note.startswith(f'"{rig.name}" plays the same action as {named}, ..., so')
    assert not any(report.notes for report in api.bake(rigs, frames=(1, 9), new_action=True))
    assert off().max() < 1e-5


def test_five_characters_take_the_evaluations_of_one(empty_file: None, evaluations: list[str]) -> None:
    rigs = crowd(5)
    counts = []
    for some in (rigs[:1], rigs):
        evaluations.clear()
        # Handlers of others are no reason to step the scene where curves are asked for.
        api.bake(some, frames=(1, 9), sampling="CURVES")
        counts.append(sorted(evaluations))
    assert counts[0] == counts[1] != []


def test_an_armature_named_twice_has_its_report_twice(empty_file: None) -> None:
    one, other = crowd(2)
    assert api.bake([], frames=(1, 9)) == []
    assert [report.rig for report in api.bake([one, other, one], frames=(1, 9))] == [one.name, other.name, one.name]


def follow(number: int, other: Object) -> None:
    """The arm of this number stands beside another one, on whose wrist its target hangs."""
    target = bpy.data.objects[f"Target {number}"]
    target.animation_data_clear()
    target.parent, target.parent_type, target.parent_bone = other, "BONE", "lower"
    target.location = (0.0, 0.0, 0.0)
    bpy.data.objects[f"Rig {number}"].location = other.location + Vector((0.1, 0.2, 0.0))


def off_targets(*numbers: int) -> float:
    """How far the tips are off their targets on any frame, as Blender evaluates them."""
    limbs = [Limb(rig=f"Rig {number}", target=f"Target {number}") for number in numbers]
    return max(limb.offs(range(1, 10)).max() for limb in limbs)


@pytest.mark.parametrize("door", ["api", "operator"])
def test_the_one_that_is_followed_is_baked_first(empty_file: None, door: str) -> None:
    rigs = crowd(4)
    follow(2, rigs[3])
    follow(1, rigs[2])
    # The last one of the chain of followers comes first.
    given = [rigs[1], rigs[0], rigs[2], rigs[3]]
    if door == "api":
        reports = api.bake(given, frames=(1, 9))
        assert [report.rig for report in reports] == [rig.name for rig in given]
    else:
        select(*given)
        assert bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=9) == {"FINISHED"}
        reports = [last(rig) for rig in given]
    assert all(report.posed for report in reports)
    first, fifth = Limb(rig="Rig 2").played((1, 5))[:, 2]
    assert np.linalg.norm(fifth - first) > 0.3, "what is followed moves"
    assert all(report.reached for report in reports)
    assert off_targets(*range(4)) < 1e-4


@pytest.mark.parametrize("kind", ["REST_POSITION", "NO_POLE"])
def test_where_one_is_refused_none_has_keys(empty_file: None, kind: str) -> None:
    """Nor has the one that it follows."""
    rigs = crowd(3)
    follow(1, rigs[0])
    if kind == "NO_POLE":
        rigs[1].two_bone_ik_chains[0].plane = "POLE"
    else:
        rigs[1].data.pose_position = "REST"
    with refused(kind):
        api.bake(rigs, frames=(1, 9))
    assert all({path for path, _ in keys(rig)} == {'pose.bones["hand"].location'} for rig in rigs)


@pytest.mark.parametrize("door", ["api", "operator"])
def test_those_that_follow_each_other_are_refused(empty_file: None, door: str) -> None:
    rigs = crowd(3)
    follow(1, rigs[0])
    follow(0, rigs[1])
    if door == "api":
        with refused("ARMATURE_CYCLE"):
            api.bake(rigs, frames=(1, 9))
    else:
        select(*rigs)
        with pytest.raises(RuntimeError, match="follow each other"):
            bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=9)
    assert [len(keys(rig)) > 3 for rig in rigs] == [False, False, door == "operator"]


def test_what_cannot_be_measured_keeps_no_other_from_it(empty_file: None) -> None:
    rigs = crowd(3)
    requests = [api.bake.request(rig, frames=(1, 9)) for rig in rigs]
    for request in requests:
        for _ in request.prepare():
            pass
    bpy.data.objects.remove(bpy.data.objects["Target 1"])
    ends = api.write_together(requests)
    assert [isinstance(end, api.Refused) for end in ends] == [False, True, False]
    assert [len(keys(rig)) > 3 for rig in rigs] == [True, False, True]
    assert all(chain.measured.all() for end in (ends[0], ends[2]) for chain in end.chains)


@pytest.fixture
def rig(empty_file: None) -> Object:
    """An armature with two arms, each with a chain."""
    rig = armature((*ARM, *LEFT))
    for bone, x in (("lower", 1.2), ("lower.L", -1.2)):
        api.add_chain(rig, bone, target=empty(f"Target {bone}", (x, 0.6, 1.3)))
    return rig


def calls(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[object]:
    """What the function of this name is called with from now on."""
    found, function = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given: found.append(given) or function(*given))
    return found


def test_a_bake_asks_once_for_limbs_of_known_rigs(rig: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.pose.bones["spine"].constraints.new("LIMIT_SCALE")  # a rig without constraints is not asked at all
    asked = calls(monkeypatch, known_limbs, "limbs_of")
    assert api.bake(rig, frames=(1, 3)).reached
    assert asked == [(rig,)]


def test_each_chain_looks_for_its_end_bone_once(rig: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, keyed_options, "end_bone")
    assert api.bake(rig, frames=(1, 3)).reached
    assert [chain.name for (chain,) in asked] == [chain.name for chain in rig.two_bone_ik_chains]


def test_who_is_baked_alone_is_not_searched_for(rig: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, dependencies, "_driving")
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.two_bone_ik.bake("EXEC_DEFAULT", frame_start=1, frame_end=3) == {"FINISHED"}
    assert asked == []


NAMES = ("First", "Second", "Third")


def row_of_arms() -> list[Object]:
    """Each reaches for the elbow of the one before; the first for a target. All are selected."""
    rigs = [armature(name=name) for name in NAMES]
    target, subtarget = empty("Target", (1.2, 0.6, 1.3)), ""
    for rig in rigs:
        chain(rig, "lower", target=target, subtarget=subtarget)
        rig.select_set(True)
        target, subtarget = rig, "lower"
    for number, rig in enumerate(rigs):
        rig.location = (0.3 * number, 0.2 * number, 0.0)
    bpy.context.view_layer.update()
    return rigs


def misses() -> list[float]:
    """How far each tip is from what it reaches for, as Blender evaluates both."""
    others = (Limb(rig=rig, target=other, subtarget="lower") for other, rig in pairwise(NAMES))
    return [limb.off() for limb in (Limb(rig="First"), *others)]


@pytest.mark.parametrize("active", NAMES)
def test_a_solve_poses_each_after_those_that_it_follows(active: str) -> None:
    row_of_arms()
    assert min(misses()) > 0.01
    bpy.context.view_layer.objects.active = bpy.data.objects[active]
    bpy.ops.two_bone_ik.solve()
    assert max(misses()) < 1e-5


def test_the_order_is_the_same_in_whatever_order_they_are_given() -> None:
    rigs = row_of_arms()
    assert all(api.followed_first(order) == rigs for order in permutations(rigs))


def test_armatures_that_follow_each_other_are_refused() -> None:
    rigs = row_of_arms()
    rigs[0].two_bone_ik_chains[0].target, rigs[0].two_bone_ik_chains[0].subtarget = rigs[2], "upper"
    before = [tuple(rig.pose.bones["upper"].rotation_quaternion) for rig in rigs]
    with pytest.raises(RuntimeError, match=r"follow each other .*bake one of these at a time"):
        bpy.ops.two_bone_ik.solve()
    assert [tuple(rig.pose.bones["upper"].rotation_quaternion) for rig in rigs] == before
    for rig in rigs[1:]:
        rig.select_set(False)
    bpy.context.view_layer.objects.active = rigs[0]
    assert bpy.ops.two_bone_ik.solve() == {"FINISHED"}


def test_one_that_is_refused_leaves_the_order_of_the_others() -> None:
    rigs = row_of_arms()
    chain(armature(name="Bad"), "lower", target=empty("Gone")).target = None
    bad = bpy.data.objects["Bad"]
    assert [rig for rig in api.followed_first([bad, *reversed(rigs)]) if rig != bad] == rigs

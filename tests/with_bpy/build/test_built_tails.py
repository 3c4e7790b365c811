"""Limbs that reach with the tail of their tip bone, built into the rig, as Blender evaluates them without a key."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object, PropertyGroup
from mathutils import Euler, Quaternion

from support import file_data, hocks, rigs
from support.built import CLOSE
from support.cranes import CRANE, EVERY, FRAMES, SIZE, assert_on_target, crane, off_target, played
from support.refused import refused
from support.truth import on_frame, worlds

POLE = (0.3, 2.0, 3.0)


def with_pole(options: dict[str, object]) -> dict[str, object]:
    poles = {"pole_target": rigs.empty("Pole", POLE)} if options.get("pole") else {}
    return {name: value for name, value in options.items() if name != "pole"} | poles


def carried(chain: PropertyGroup, scale: float = 1.3, *, mirrored: bool = False) -> Object:
    """Let the armature object, with the target, be somewhere else, and the base turn below the shoulder."""
    rig = chain.id_data
    for item in {chain.target, chain.pole_target} - {None, rig}:
        item.parent = rig
    rig.location, rig.rotation_euler = (0.3, -2.0, 0.7), (0.4, 1.1, -2.0)
    rig.scale = (-scale if mirrored else scale, scale, scale)
    if base := rig.pose.bones.get("base"):
        rigs.animate(base, rotation_quaternion={1: (1, 0, 0, 0), 12: Quaternion((0, 1, 0), 2.5)})
    bpy.context.view_layer.update()
    return rig


def on_bone(chain: PropertyGroup) -> None:
    """Let a bone of the armature go where the target goes, and be the target."""
    rig, target = chain.id_data, chain.target
    with rigs.editing(rig) as bones:
        goal = bones.new("goal")
        goal.tail = (0.0, 0.5, 0.0)
    rig.pose.bones["goal"].rotation_mode = "QUATERNION"
    to_goal = rig.data.bones["goal"].matrix_local.inverted()
    places, turns = {}, {}
    for frame in EVERY:
        on_frame(frame)
        posed = to_goal @ target.matrix_world
        places[frame], turns[frame] = tuple(posed.translation), tuple(posed.to_quaternion())
    rigs.animate(rig.pose.bones["goal"], location=places, rotation_quaternion=turns)
    chain.target, chain.subtarget = rig, "goal"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("poled", [False, True])
def test_the_tail_of_a_built_limb_is_on_its_target(seed: int, scale: float, *, poled: bool) -> None:
    chain = crane(seed, bones=CRANE[seed == 2 :], **with_pole({"pole": poled}))
    rig = carried(chain, scale)
    if seed < 2:
        rig.pose.bones["base"].scale = (1.05, 1.05, 1.05)
    rig.data.bones["boom"].use_inherit_rotation = seed != 1
    rig.data.bones["boom"].inherit_scale = "NONE" if seed else "FULL"
    report = api.build(rig, frames=FRAMES)
    assert report.posed
    assert report.reached
    assert report.chains[0].measured.all()
    assert_on_target(chain, scale * SIZE, close=CLOSE)


OPTIONS = [
    {"bend": "NEGATIVE"},
    {"pole": True, "bend": "NEGATIVE"},
    {"pole": True, "pole_angle": 0.7, "pole_influence": 0.6},
    {"softness": 0.4},
    {"plane": "REST"},
    {"plane": "REST", "softness": 0.2, "bend": "NEGATIVE"},
    {"influence": 0.5},
    {"pole": True, "influence": 0.3, "softness": 0.2},
    {"use_bend_limits": True, "bend_min": 0.3, "bend_max": 1.5},
    {"hinge_axis": "NEG_X"},
    {"unreachable": "STRETCH", "max_stretch": 1.3},
    {"plane": "REST", "unreachable": "STRETCH", "max_stretch": 3.0, "softness": 0.2},
    {"pole": True, "unreachable": "STRETCH", "max_stretch": 3.0, "influence": 0.6},
]


@pytest.mark.parametrize("goal", ["", "goal", "mirrored"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_is_posed_as_the_solver_poses_it(options: dict[str, object], goal: str) -> None:
    chain = crane(5, reach=1.2, **with_pole(options))
    if goal:
        on_bone(chain)
    rig = carried(chain, mirrored=goal == "mirrored")
    if "unreachable" in options:
        rig.data.bones["jib"].inherit_scale = "ALIGNED"
        rig.data.bones["hook"].inherit_scale = "NONE"
    for number, bone in enumerate(("boom", "jib", "hook")):
        turn = Quaternion(np.random.default_rng(number).normal(size=4).tolist()).normalized()
        rig.pose.bones[bone].rotation_quaternion = turn
    before = worlds(rig, EVERY, "hook")
    assert api.build(rig, frames=FRAMES).posed
    names = [bone.name for bone in CRANE]
    built = worlds(rig, EVERY, *names)
    assert np.abs(built[:, -1:] - before).max() > 0.1
    api.unbuild(rig)
    api.bake(rig, frames=FRAMES)
    np.testing.assert_allclose(built, worlds(rig, EVERY, *names), atol=4 * CLOSE)


@pytest.mark.parametrize("options", [{"pole": True}, {"plane": "REST"}], ids=str)
def test_blender_finds_no_cycle(options: dict[str, object], capfd: pytest.CaptureFixture[str]) -> None:
    chain = crane(1, **with_pole(options))
    on_bone(chain)
    rig = chain.id_data
    api.build(rig, frames=FRAMES)
    on_frame(3)
    assert "dependency cycle" not in "".join(capfd.readouterr())
    # Where there is one, Blender does tell.
    copy = rig.pose.bones["IK-hand-boom"].constraints.new("COPY_LOCATION")
    copy.target, copy.subtarget = rig, "hook"
    on_frame(4)
    assert "dependency cycle" in "".join(capfd.readouterr())


@pytest.mark.parametrize("hock", ["RIGID", "PARALLEL"])
@pytest.mark.parametrize(
    "options",
    [{}, {"pole": True, "influence": 0.6}, {"plane": "REST", "softness": 0.3}, {"unreachable": "STRETCH"}],
    ids=str,
)
def test_the_toe_of_a_built_leg_reaches_with_its_tail(hock: str, options: dict[str, object]) -> None:
    chain = hocks.leg(hock, use_rotation=True, reach_with="TAIL", max_stretch=3.0, **with_pole(options))
    rig = chain.id_data
    rig.data.bones["toe"].inherit_scale = "NONE"
    rigs.animate(chain.target, rotation_euler={frame: Euler((0.5 * frame, 0.3, -0.2 * frame)) for frame in (1, 4, 8)})
    names = [bone.name for bone in hocks.LEG]
    assert api.build(rig, frames=(1, 8)).posed
    built = worlds(rig, hocks.EVERY, *names)
    if not options:
        for frame in hocks.EVERY:
            on_frame(frame)
            assert max(off_target(chain)) < 2 * CLOSE
    api.unbuild(rig)
    api.bake(rig, frames=(1, 8))
    np.testing.assert_allclose(built, worlds(rig, hocks.EVERY, *names), atol=2 * CLOSE)


TWISTING = (*CRANE, rigs.Bone("spread", (0.5, 0.0, 2.0), (0.6, 0.0, 2.0), "jib"))


def test_twist_is_spread_beside_a_tail() -> None:
    chain = crane(2, bones=TWISTING, use_twist=True)
    rig, names = carried(chain), [bone.name for bone in TWISTING]
    api.build(rig, frames=FRAMES)
    assert_on_target(chain, rig.scale.x * SIZE, close=CLOSE)
    built = worlds(rig, EVERY, *names)
    api.unbuild(rig)
    api.bake(rig, frames=FRAMES)
    baked = worlds(rig, EVERY, *names)
    np.testing.assert_allclose(built[:, :-1], baked[:, :-1], atol=4 * CLOSE)


def test_unbuild_leaves_nothing_of_a_tail() -> None:
    for options in ({"pole": True}, {"plane": "REST"}):
        rig = crane(1, **with_pole(options)).id_data
        on_frame(1)
        before = file_data.dump()
        api.build(rig, frames=(1, 3))
        assert len(rig.data.bones) == len(CRANE) + 5
        on_frame(1)
        built = file_data.dump()
        api.build(rig, frames=(1, 3))
        on_frame(1)  # which lets the drivers act
        assert file_data.changed(built) == set()
        api.unbuild(rig)
        assert file_data.changed(before) == set()


def _to_joint(chain: PropertyGroup) -> None:
    chain.reach_with = "JOINT"


def _to_other(chain: PropertyGroup) -> None:
    chain.target = rigs.empty("Other")


def _longer(chain: PropertyGroup) -> None:
    with rigs.editing(chain.id_data) as bones:
        bones[chain.tip_bone].length *= 1.01


def _rolled(chain: PropertyGroup) -> None:
    with rigs.editing(chain.id_data) as bones:
        bones[chain.tip_bone].roll += 0.01


def _edited(chain: PropertyGroup) -> None:
    with rigs.editing(chain.id_data):
        pass


@pytest.mark.parametrize("edit", [_to_joint, _to_other, _longer, _rolled, _edited])
@pytest.mark.parametrize("options", [{"pole": True}, {"plane": "REST"}], ids=str)
def test_a_tail_is_to_be_built_again_after(edit: Callable[[PropertyGroup], None], options: dict[str, object]) -> None:
    chain = crane(1, **with_pole(options))
    rig = chain.id_data
    api.build(rig, frames=(1, 3))
    for name in {"hook", "IK-hand-boom", "IK-joint-boom"} & {*rig.data.bones.keys()}:
        rig.data.bones[name].name += " renamed"
    assert state(rig) == "BUILT"
    edit(chain)
    assert state(rig) == ("BUILT" if edit is _edited else "BUILT_BEFORE")
    api.build(rig, frames=(1, 3))
    assert state(rig) == "BUILT"


def state(rig: Object) -> str:
    return limb_states(rig, bpy.context.scene, on_frame(1))["jib"].state


def test_a_joint_that_reaches_is_to_be_built_again_for_a_tail() -> None:
    chain = crane(1, reach_with="JOINT")
    api.build(chain.id_data, frames=(1, 3))
    chain.reach_with = "TAIL"
    assert state(chain.id_data) == "BUILT_BEFORE"


@pytest.mark.parametrize("goal", [False, True])
def test_a_tail_goes_to_fk_and_back(*, goal: bool) -> None:
    chain = crane(3, pole_target=rigs.empty("Pole", POLE))
    if goal:
        on_bone(chain)
    rig = carried(chain)
    api.build(rig, frames=FRAMES)
    before = played(rig)
    assert api.switch(rig, "FK", frames=FRAMES).posed
    np.testing.assert_allclose(played(rig)[:, : len(CRANE)], before[:, : len(CRANE)], atol=2 * CLOSE)
    moving = rig.pose.bones["goal"] if goal else chain.target
    for frame in EVERY:
        moving.location, moving.rotation_quaternion = (3.0, -2.0, 0.1 * frame), (1.0, 0.0, 0.0, 0.0)
        moving.keyframe_insert("location", frame=frame)
        moving.keyframe_insert("rotation_quaternion", frame=frame)
    report = api.switch(rig, "IK", frames=FRAMES)
    assert report.posed, report.lines()
    np.testing.assert_allclose(played(rig)[:, : len(CRANE)], before[:, : len(CRANE)], atol=1e-4)
    assert_on_target(chain, rig.scale.x * SIZE, close=CLOSE)


def test_a_tail_built_and_baked_is_where_it_was() -> None:
    chain = crane(3)
    rig = carried(chain)
    api.build(rig, frames=FRAMES)
    before = played(rig)[:, : len(CRANE)]
    assert api.bake(rig, frames=FRAMES).posed
    api.unbuild(rig)
    np.testing.assert_allclose(played(rig), before, atol=2 * CLOSE)
    np.testing.assert_allclose(api.check(rig, frames=FRAMES).chains[0].miss, 0.0, atol=1e-5)


def test_where_it_is_pulled_its_joint_goes() -> None:
    chain = crane(3)
    rig = carried(chain)
    api.build(rig, frames=FRAMES)
    on_frame(5)
    [start] = worlds(rig, [5], "hook")[:, 0, :3, 3]
    pulled = np.add(start, (-0.1, 0.05, 0.05))
    drag = api.drag(rig, "jib")
    drag.to(pulled)
    bpy.context.view_layer.update()
    found = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    np.testing.assert_allclose(found.matrix_world @ found.pose.bones["hook"].head, pulled, atol=5 * CLOSE)
    off, turned = off_target(chain)
    assert off < 5 * CLOSE * SIZE
    assert turned < 5 * CLOSE


@pytest.mark.parametrize("bone", ["hook", "boom"])
@pytest.mark.parametrize("animated", [False, True])
def test_a_scaled_tip_bone_is_refused(bone: str, *, animated: bool) -> None:
    rig = crane(1).id_data
    scale = (1.0, 1.5, 1.0) if bone == "hook" else (1.5, 1.0, 1.0)
    if animated:
        rigs.animate(rig.pose.bones[bone], scale={3: (1, 1, 1), 5: scale})
    rig.pose.bones[bone].scale = scale
    with refused(match="moved or scaled themselves"):
        api.build(rig, frames=FRAMES)


def test_a_tip_bone_that_would_stretch_is_refused() -> None:
    rig = crane(1, unreachable="STRETCH").id_data
    rig.data.bones["jib"].inherit_scale = rig.data.bones["hook"].inherit_scale = "ALIGNED"
    with refused(match='stretches, and with it bone "hook".*set Inherit Scale of that bone to None'):
        api.build(rig, frames=FRAMES)

"""Where targets and parents are on every frame: three ways to find out, and one answer, whatever hides the target.

A target that is disabled is left as it was, and one under a constraint is evaluated without the character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake.build_plan import build_plan
from bl_ext.user_default.two_bone_ik.blender.scene.sampling import Sampler
from bl_ext.user_default.two_bone_ik.skeleton.steps import run
from bl_ext.user_default.two_bone_ik.skeleton.values import Samples
from bpy.app.handlers import persistent
from bpy.types import Depsgraph, Object, PropertyGroup, Scene
from hypothesis import given, settings
from hypothesis import strategies as st
from mathutils import Matrix

from support import rigs
from support.empty_file import open_empty_file
from support.refused import refused
from support.rigs import ARM, animate, arm, armature, chain, empty
from support.truth import Limb

pytestmark = pytest.mark.versions

FRAMES = (1, 12)
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
INHERIT_SCALE = ["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"]


def moving_arm(**fields: object) -> PropertyGroup:
    chain = arm(pole=(1, 3, 1), **fields)
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 12: (0.5, -0.8, 1.5)})
    animate(chain.id_data.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 12: (1, 0.1, 0.1, 0.3)})
    return chain


def sampled(rig: Object, way: str) -> Samples:
    with Sampler(build_plan(rig, None, FRAMES, None), way) as sampler:
        return run(sampler.over_range())


def assert_same(first: Samples, second: Samples) -> None:
    """To what is left of float32 after the products of a few matrices."""
    for name in ("to_world", "pose", "basis"):
        one, other = getattr(first, name), getattr(second, name)
        assert one.keys() == other.keys()
        for key in one:
            a, b = one[key], other[key]
            if name == "basis":  # rotations that nobody asked for may be left out
                a, b = (np.concatenate(np.broadcast_arrays(own.scale, own.location), axis=-1) for own in (a, b))
            a, b = np.broadcast_arrays(a, b)
            np.testing.assert_allclose(a, b, atol=2e-6 * max(1, np.abs(b).max()), err_msg=f"{name} {key}")


def exclude(target: Object) -> None:
    collection = into_collection(target)
    bpy.context.view_layer.layer_collection.children[collection.name].exclude = True


def move_to_other_scene(target: Object) -> None:
    bpy.context.scene.collection.objects.unlink(target)
    scene = bpy.data.scenes.get("Other") or bpy.data.scenes.new("Other")
    scene.collection.objects.link(target)


def into_collection(target: Object) -> bpy.types.Collection:
    bpy.context.scene.collection.objects.unlink(target)
    collection = bpy.data.collections.new("Targets")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(target)
    return collection


CONCEALED = {
    "hide": lambda target: setattr(target, "hide_viewport", True),
    "hide in layer": lambda target: target.hide_set(True),
    "exclude": exclude,
    "hide collection": lambda target: setattr(into_collection(target), "hide_viewport", True),
    "unlink": lambda target: bpy.context.scene.collection.objects.unlink(target),
    "move to another scene": move_to_other_scene,
}


@pytest.mark.parametrize(
    ("conceal", "way"), [*((how, way) for how in CONCEALED for way in ("ISOLATED", "SCENE")), ("hide", "AUTO")]
)
def test_a_target_that_nobody_sees_is_followed(conceal: str, way: str) -> None:
    """An object that is hidden is silently stale after a change of frame."""
    chain = moving_arm()
    twin = empty("Twin")
    animate(twin, location={1: (1.2, 0.6, 1.3), 12: (0.5, -0.8, 1.5)})
    constraint = chain.target.constraints.new("LIMIT_LOCATION")  # or its F-curves would do
    constraint.use_max_z, constraint.max_z = True, 99
    for item in (chain.target, chain.pole_target):
        CONCEALED[conceal](item)
    bpy.context.scene.frame_set(1)
    api.bake(chain.id_data, frames=FRAMES, sampling=way)
    assert Limb(target="Twin").misses(range(1, 13))[:, 1].max() < 1e-5


@pytest.mark.parametrize("way", ["AUTO", "ISOLATED", "SCENE"])
def test_bones_of_a_hidden_armature_are_followed(way: str) -> None:
    chain = moving_arm()
    other = armature(ARM, "Other")
    animate(other.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 12: (1, 0.2, 0, 0.2)})
    twin = empty("Twin")
    twin.parent, twin.parent_type, twin.parent_bone = other.copy(), "BONE", "upper"
    bpy.context.scene.collection.objects.link(twin.parent)
    other.hide_viewport = chain.id_data.hide_viewport = True
    chain.target, chain.subtarget = other, "lower"
    api.bake(chain.id_data, frames=FRAMES, sampling=way)
    chain.id_data.hide_viewport = False
    assert Limb(target="Twin", pole="Pole").misses(range(1, 13)).max() < 1e-5


def constrain_target(chain: PropertyGroup) -> None:
    chain.target.constraints.new("COPY_LOCATION").target = leader()


def constrain_parent_of_target(chain: PropertyGroup) -> None:
    chain.target.parent = empty("Parent")
    chain.target.parent.constraints.new("COPY_LOCATION").target = leader()


def constrain_spine(chain: PropertyGroup) -> None:
    chain.id_data.pose.bones["spine"].constraints.new("COPY_ROTATION").target = leader()


def drive(name: str, owner_of: Callable[[PropertyGroup], object], index: int) -> Callable[[PropertyGroup], None]:
    # Not a property that has keys as well: which of the two comes last is a race in Blender.
    def driven(chain: PropertyGroup) -> None:
        owner_of(chain).driver_add(name, index).driver.expression = "frame / 30"

    return driven


def play_target_from_nla(chain: PropertyGroup) -> None:
    animation = chain.target.animation_data
    animation.nla_tracks.new().strips.new("Strip", 1, animation.action)
    animation.action = None


def mute_a_curve_of_target(chain: PropertyGroup) -> None:
    versions.curves(chain.target)[1].mute = True
    chain.target.location.y = 0.2


def mute_a_group_of_spine(chain: PropertyGroup) -> None:
    versions.curves(chain.id_data)[0].group.mute = True


def key_a_rotation_mode(chain: PropertyGroup) -> None:
    spine = chain.id_data.pose.bones["spine"]
    spine.rotation_mode = "XYZ"
    animate(spine, rotation_euler={1: (0.3, 0.4, 0.5)}, rotation_mode={1: "XYZ", 6: "ZYX"})


def carry_target_by_an_armature_at_rest(chain: PropertyGroup) -> None:
    other = armature(ARM, "Other")
    animate(other.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 12: (1, 0.2, 0, 0.2)})
    other.data.pose_position = "REST"
    chain.target.parent, chain.target.parent_type, chain.target.parent_bone = other, "BONE", "spine"


def leader() -> Object:
    item = empty("Leader")
    animate(item, location={1: (1.2, 0.6, 1.3), 12: (0.9, 0, 1.5)}, rotation_euler={1: (0, 0, 0), 12: (1, 1, 1)})
    return item


OBSTACLES = {
    **{f.__name__: f for f in (constrain_target, constrain_parent_of_target, constrain_spine)},
    "drive target": drive("delta_location", lambda chain: chain.target, 2),
    "drive spine": drive("location", lambda chain: chain.id_data.pose.bones["spine"], 0),
    **{f.__name__: f for f in (play_target_from_nla, mute_a_curve_of_target, mute_a_group_of_spine)},
    **{f.__name__: f for f in (key_a_rotation_mode, carry_target_by_an_armature_at_rest)},
}


@pytest.mark.parametrize("obstruct", OBSTACLES.values(), ids=OBSTACLES)
def test_what_more_than_f_curves_move_is_evaluated(obstruct: Callable[[PropertyGroup], None]) -> None:
    chain = moving_arm()
    obstruct(chain)
    rig = chain.id_data
    truth = sampled(rig, "SCENE")
    assert_same(sampled(rig, "ISOLATED"), truth)
    assert_same(sampled(rig, "AUTO"), truth)
    with refused("NOT_ONLY_CURVES"):
        sampled(rig, "CURVES")
    api.bake(rig, frames=FRAMES)
    assert Limb(pole="Pole").misses(range(1, 13)).max() < 1e-5


@pytest.mark.parametrize("way", ["AUTO", "ISOLATED", "SCENE"])
def test_a_scene_that_is_not_active_is_left_on_its_frame(way: str) -> None:
    chain = moving_arm()
    constrain_target(chain)
    scene = bpy.data.scenes.new("Other")
    for item in bpy.data.objects:
        scene.collection.objects.link(item)
        bpy.context.scene.collection.objects.unlink(item)
    scene.frame_set(9)
    bpy.context.scene.frame_set(4)
    api.bake(chain.id_data, frames=FRAMES, scene=scene, sampling=way)
    assert (bpy.context.scene.frame_current, scene.frame_current) == (4, 9)
    bpy.context.window.scene = scene
    assert Limb(pole="Pole").misses(range(1, 13)).max() < 1e-5


def test_a_target_that_a_script_moves_is_followed() -> None:
    chain = moving_arm()

    @persistent
    def move(scene: bpy.types.Scene, *_: object) -> None:
        bpy.data.objects["Pole"].location = (1, 3, scene.frame_current / 3)

    bpy.app.handlers.frame_change_pre.append(move)
    try:
        api.bake(chain.id_data, frames=FRAMES)
        assert Limb(pole="Pole").misses(range(1, 13)).max() < 1e-5
    finally:
        bpy.app.handlers.frame_change_pre.remove(move)


def test_a_target_that_physics_moves_is_followed() -> None:
    chain = moving_arm()
    mesh = bpy.data.meshes.new("Ball")
    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
    mesh.from_pydata(corners, [], [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
    ball = bpy.data.objects.new("Ball", mesh)
    ball.location = (1.2, 0.5, 1.6)
    bpy.context.scene.collection.objects.link(ball)
    bpy.context.view_layer.objects.active = ball
    bpy.ops.rigidbody.world_add()
    bpy.ops.rigidbody.object_add()
    chain.target = ball
    api.bake(chain.id_data, frames=FRAMES)
    limb = Limb(target="Ball", pole="Pole")
    assert limb.misses(range(1, 13)).max() < 1e-5
    assert limb.goal(bpy.context.evaluated_depsgraph_get())[2] < 1.3, "the ball falls"


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_the_ways_agree_on_any_hierarchy_of_objects_and_bones(seed: int) -> None:
    open_empty_file()
    random = np.random.default_rng(seed)
    rig = armature()
    objects = [armature(name="Other"), *(empty(f"Empty {index}") for index in range(4)), rig]
    for index, item in enumerate(objects):
        _move(item, random)
        for bone in item.pose.bones if item.pose else ():
            _move(bone, random)
            bone.bone.inherit_scale = random.choice(INHERIT_SCALE)
            bone.bone.use_inherit_rotation, bone.bone.use_local_location = (random.random(2) < 0.7).tolist()
        if index and random.random() < 0.8:
            _attach(item, objects[random.integers(index)], random)
    goals = {"target": objects[-2], "pole_target": objects[random.integers(5)], "pole_subtarget": "hand"}
    api.add_chain(rig, random.choice(["upper", "lower"]), **goals)
    truth = sampled(rig, "SCENE")
    assert_same(sampled(rig, "CURVES"), truth)
    assert_same(sampled(rig, "ISOLATED"), truth)


def test_a_quaternion_of_zeros_turns_as_blender_turns_it() -> None:
    rig = moving_arm().id_data
    rig.rotation_mode = "QUATERNION"
    for owner in (rig, rig.pose.bones["spine"]):
        animate(owner, rotation_quaternion={1: (0, 0, 0, 0), 12: (1, 0.1, 0.1, 0.3)})
    assert_same(sampled(rig, "CURVES"), sampled(rig, "SCENE"))
    assert api.bake(rig, frames=FRAMES).posed


def _move(owner: Object | bpy.types.PoseBone, random: np.random.Generator) -> None:
    """Random channels, some of them animated."""
    owner.rotation_mode = random.choice(MODES)
    rotation = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    for name in ("location", "scale", rotation.get(owner.rotation_mode, "rotation_euler")):
        size = len(getattr(owner, name))
        low = 0.5 if name == "scale" else -1
        values = {frame: random.uniform(low, 1.5, size) for frame in (1, 4, 12)}
        setattr(owner, name, values[1])
        if random.random() < 0.6:
            animate(owner, **{name: values})
    if isinstance(owner, Object):
        owner.delta_location, owner.delta_scale = random.uniform(0.5, 1.5, (2, 3))
        owner.delta_rotation_euler = random.uniform(-1, 1, 3)
        owner.delta_rotation_quaternion = random.uniform(-1, 1, 4)


def _attach(item: Object, parent: Object, random: np.random.Generator) -> None:
    item.parent = parent
    item.matrix_parent_inverse = Matrix.LocRotScale(random.uniform(-1, 1, 3), None, random.uniform(0.5, 1.5, 3))
    if parent.pose and random.random() < 0.6:
        item.parent_type, item.parent_bone = "BONE", "spine"


@pytest.fixture
def target(empty_file: None) -> Object:
    """On frame 3, where it is between its keys."""
    target = rigs.arm().target
    rigs.animate(target, location={1: (1.2, 0.6, 1.3), 6: (1.0, -0.6, 1.3)})
    bpy.context.scene.frame_set(3)
    target.hide_viewport = True
    return target


@pytest.mark.parametrize("request_of", [api.check, api.bake])
@pytest.mark.parametrize("edit", [None, (1.0, 0.0, 1.0)])
def test_a_hidden_target_stays_as_it_is_on_the_current_frame(
    target: Object, request_of: object, edit: tuple[float, ...] | None
) -> None:
    target.location = before = edit or tuple(target.location)
    request_of(bpy.data.objects["Rig"], frames=(5, 6), sampling="SCENE")
    assert tuple(target.location) == before


@pytest.fixture
def rig() -> Object:
    """An arm on a moving spine, whose target copies the place of another."""
    rig = armature()
    limb = chain(rig, "lower", target=(0, 0, 0), pole=(1, 3, 1))
    leader = empty("Leader")
    animate(leader, location={1: (1.2, 0.6, 1.3), 12: (0.5, -0.8, 1.5)})
    animate(rig.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 12: (1, 0.1, 0.1, 0.3)})
    limb.target.constraints.new("COPY_LOCATION").target = leader
    return rig


@pytest.fixture
def evaluated(rig: Object) -> Iterator[set[str]]:
    """Names of actions and armatures that Blender evaluates on frame changes.

    As a handler of ours it is no reason to play the scene.
    """
    names: set[str] = set()

    def note(_scene: Scene, depsgraph: Depsgraph) -> None:
        names.update(block.name for block in depsgraph.ids)

    note.__module__ = api.__name__
    bpy.app.handlers.frame_change_post.append(note)
    yield names
    if note in bpy.app.handlers.frame_change_post:  # no file was opened
        bpy.app.handlers.frame_change_post.remove(note)


def test_a_target_under_a_constraint_is_evaluated_alone(rig: Object, evaluated: set[str]) -> None:
    assert api.bake(rig, frames=FRAMES, measure="NONE").reached
    assert "LeaderAction" in evaluated
    assert rig.name not in evaluated
    assert Limb(pole="Pole").hits(range(1, 13)).max() < 2e-6


def test_a_character_under_a_constraint_is_evaluated(rig: Object, evaluated: set[str]) -> None:
    rig.pose.bones["spine"].constraints.new("COPY_ROTATION").target = empty("Other")
    api.bake(rig, frames=FRAMES, measure="NONE")
    assert rig.name in evaluated

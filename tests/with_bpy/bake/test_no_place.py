"""What is nowhere, its place not a number or infinite, is refused by every request, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.live import state
from bpy.types import Object, PropertyGroup

from support.refused import refused
from support.rigs import ARM, LEFT, Bone, animate, arm, armature, empty
from support.truth import Limb

WAYS = ["CURVES", "ISOLATED", "SCENE"]


def with_place(of: Callable[[PropertyGroup], object], axis: int, value: float) -> Callable[[], PropertyGroup]:
    """An arm of which this has such a coordinate."""

    def made() -> PropertyGroup:
        chain = arm(pole=(1, 3, 1))
        of(chain).location[axis] = value
        return chain

    return made


def with_target_carried_to_infinity() -> PropertyGroup:
    chain = arm(pole=(1, 3, 1))
    carrier = chain.target.parent = empty("Carrier")
    carrier.scale, chain.target.location = (1e30, 1e30, 1e30), (-1e30, 0, 0)
    return chain


def with_target_on_a_path_without_length() -> PropertyGroup:
    """From which Blender, before 5.2, makes a transform of NaN by itself."""
    chain = arm(pole=(1, 3, 1))
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions, curve.use_path = "3D", True
    curve.splines.new("NURBS").points.add(3)
    path = bpy.data.objects.new("Path", curve)
    bpy.context.scene.collection.objects.link(path)
    carrier = chain.target.parent = empty("Carrier")
    carrier.constraints.new("FOLLOW_PATH").target = path
    carrier.constraints[0].use_curve_follow = True
    carrier.constraints.new("COPY_LOCATION").target = empty("Far", (nan, 0, 0))
    return chain


NOWHERE = {
    "target NaN": (with_place(lambda chain: chain.target, 0, nan), "Target", "nan"),
    "target infinite": (with_target_carried_to_infinity, "Target", ""),
    "target far": (with_place(lambda chain: chain.target, 0, -inf), "Target", "-3.403e+38"),
    "target on a path": (with_target_on_a_path_without_length, "Target", "nan"),
    "pole": (with_place(lambda chain: chain.pole_target, 1, nan), "Pole", "nan"),
    "rig": (with_place(lambda chain: chain.id_data, 2, nan), "Rig", "nan"),
    "parent bone": (with_place(lambda chain: chain.id_data.pose.bones["spine"], 0, nan), "spine", "nan"),
}

REQUESTS: dict[str, Callable[[Object], object]] = {
    **{f"bake {way}": lambda rig, way=way: api.bake(rig, frames=(1, 5), sampling=way) for way in WAYS[1:]},
    "check": lambda rig: api.check(rig, frames=(1, 5)),
    "markers": lambda rig: api.check(rig, frames=(1, 5), add_markers=True),
    "solve": api.solve,
    "solve and key": lambda rig: api.solve(rig, insert_keys=True),
    "flip": api.flip_bend,
    "snap": api.snap_targets,
    "snap and key": lambda rig: api.snap_targets(rig, insert_keys=True),
    "bake targets": lambda rig: api.bake_targets(rig, frames=(1, 5)),
}
BACK = ("snap", "snap and key", "bake targets")


@pytest.mark.parametrize(("made", "name", "value"), NOWHERE.values(), ids=NOWHERE)
def test_every_request_refuses_what_is_nowhere(made: Callable[[], PropertyGroup], name: str, value: str) -> None:
    rig = made().id_data
    for request, act in REQUESTS.items():
        with refused("NOT_FINITE", f'"{name}"', "on frame 1,", value) as found:
            act(rig)
        assert name in (found.value.object, found.value.bone), request


@pytest.mark.parametrize("way", WAYS)
def test_the_first_frame_on_which_it_is_nowhere_is_named(way: str) -> None:
    rig = arm().id_data
    target = bpy.data.objects["Target"]
    animate(target, location={1: (1, 0, 1), 5: (1, 0.5, 1), 9: (1, 1, 1)})
    for curve in versions.curves(target):
        curve.keyframe_points[1].co.y = nan
        curve.update()
    with refused("NOT_FINITE", "frame 2"):
        api.bake(rig, frames=(1, 10), sampling=way)


@pytest.mark.parametrize("name", BACK)
def test_of_several_targets_none_is_moved_where_one_is_nowhere(name: str) -> None:
    rig = arm(pole=(1, 3, 1)).id_data
    controls = armature((Bone("control", (0, 0, 0), (0, 0, 1)),), "Controls")
    rig.two_bone_ik_chains[0].target = controls
    rig.two_bone_ik_chains[0].subtarget = "control"
    rig.two_bone_ik_chains[0].pole_target = empty("Second")
    bpy.data.objects["Second"].parent = empty("Carrier", (nan, 0, 0))
    with refused("NOT_FINITE") as found:
        REQUESTS[name](rig)
    assert found.value.object == "Second"


@pytest.mark.parametrize("act", [api.create_targets, lambda rig: api.drag(rig, "lower"), api.chains_from_constraints])
def test_a_limb_nowhere_gets_no_target_and_is_not_pulled(act: Callable[[Object], object]) -> None:
    rig = armature()
    api.add_chain(rig, "lower")
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Goal", (1, 0.5, 1)), 2
    constraint.pole_target = empty("Side", (1, 4, 1))
    rig.pose.bones["spine"].location.x = nan
    with refused("NOT_FINITE"):
        act(rig)


@pytest.mark.parametrize("way", [api.Drag.to, api.Drag.bend_towards], ids=lambda way: way.__name__)
@pytest.mark.parametrize("value", [nan, inf])
def test_a_limb_cannot_be_pulled_to_nowhere(value: float, way: Callable[[api.Drag, tuple], None]) -> None:
    rig = arm().id_data
    with refused("NOT_FINITE"):
        pull = api.drag(rig, "lower")
        try:
            way(pull, (0, value, 0))
        finally:
            pull.restore()


def test_live_limbs_follow_beside_one_that_is_nowhere() -> None:
    rig = armature((*ARM, *LEFT))
    for end in ("lower", "lower.L"):
        api.add_chain(rig, end, target=empty(f"Target of {end}", (0.5, 1, 1)))
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    bpy.data.objects["Target of lower"].location.x = nan
    bpy.data.objects["Target of lower.L"].location = (-0.6, 0.8, 1.2)
    bpy.context.view_layer.update()
    assert {name: refused.kind for name, refused in state.cached(rig).refused.items()} == {"lower": "NOT_FINITE"}
    assert Limb(root="upper.L", end="lower.L", target="Target of lower.L").off() < 1e-5

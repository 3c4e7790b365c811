"""A limb that hangs on its own target by a constraint: moving the target would move the pose that it is to keep."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Constraint, Object, PropertyGroup

from support.refused import refused
from support.rigs import arm, armature, empty
from support.truth import Limb

REQUESTS: dict[str, Callable[[Object], object]] = {
    "snap": api.snap_targets,
    "snap and key": lambda rig: api.snap_targets(rig, insert_keys=True),
    "bake targets": lambda rig: api.bake_targets(rig, frames=(1, 5)),
}


def constrained(owner: Object | bpy.types.PoseBone, kind: str, target: Object, **fields: object) -> Constraint:
    constraint = owner.constraints.new(kind)
    constraint.target = target
    for name, value in fields.items():
        setattr(constraint, name, value)
    return constraint


def bone(name: str) -> bpy.types.PoseBone:
    return bpy.data.objects["Rig"].pose.bones[name]


def target() -> Object:
    return bpy.data.objects["Target"]


def made(name: str, **fields: object) -> Object:
    """An empty with these values."""
    item = empty(name, (0.3, 0, 0))
    for field, value in fields.items():
        setattr(item, field, value)
    return item


def through_another_bone() -> None:
    other = armature(name="Other")
    constrained(other.pose.bones["spine"], "COPY_LOCATION", target())
    constrained(bone("spine"), "COPY_LOCATION", other, subtarget="hand")


HANGING = {
    "Stretch To": lambda: constrained(bone("lower"), "STRETCH_TO", target()),
    "Damped Track": lambda: constrained(bone("lower"), "DAMPED_TRACK", target()),
    "Track To": lambda: constrained(bone("upper"), "TRACK_TO", target()),
    "Locked Track": lambda: constrained(bone("spine"), "LOCKED_TRACK", target()),
    "Copy Location": lambda: constrained(bone("upper"), "COPY_LOCATION", target()),
    "Copy Transforms": lambda: constrained(bone("spine"), "COPY_TRANSFORMS", target()),
    "Child Of": lambda: constrained(bone("spine"), "CHILD_OF", target()),
    "Stretch To the pole": lambda: constrained(bone("upper"), "STRETCH_TO", bpy.data.objects["Pole"]),
    "object": lambda: constrained(
        bone("upper"), "DAMPED_TRACK", constrained(made("Middle"), "COPY_LOCATION", target()).id_data
    ),
    "child": lambda: constrained(bone("upper"), "DAMPED_TRACK", made("Child", parent=target())),
    "carrier": lambda: setattr(
        bpy.data.objects["Rig"], "parent", constrained(made("Carrier"), "COPY_LOCATION", target()).id_data
    ),
    "other bone": through_another_bone,
    "custom space": lambda: constrained(
        bone("spine"), "COPY_LOCATION", made("Source"), owner_space="CUSTOM", space_object=target()
    ),
    "IK of the spine": lambda: constrained(bone("spine"), "IK", target(), chain_count=1),
}


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    return arm(pole=(1, 3, 1), tip_bone="hand")


def joints() -> np.ndarray:
    return Limb(tip="hand").joints(bpy.context.evaluated_depsgraph_get())


@pytest.mark.parametrize("hanging", HANGING)
def test_a_limb_that_hangs_on_its_target_is_refused(chain: PropertyGroup, hanging: str) -> None:
    """As it does move with its target."""
    HANGING[hanging]()
    before = joints()
    for request in REQUESTS.values():
        with refused("HANGS_ON_TARGET", '"Pole"' if "pole" in hanging else '"Target"', "mute", '"lower"'):
            request(chain.id_data)
    for item in (target(), bpy.data.objects["Pole"]):
        item.location.x -= 0.5
        item.location.z += 1.0
    assert np.abs(joints() - before).max() > 0.01


def test_a_limb_on_its_target_by_armature_constraint_is_refused(chain: PropertyGroup) -> None:
    chain.target, chain.subtarget = armature(name="Controls"), "spine"
    hung = bone("upper").constraints.new("ARMATURE").targets.new()
    hung.target, hung.subtarget = chain.target, "upper"
    for request in REQUESTS.values():
        with pytest.raises(api.Refused, match='"Controls, spine" by constraint "Armature" of bone "upper"'):
            request(chain.id_data)


def test_a_switched_off_constraint_that_is_animated_counts(chain: PropertyGroup) -> None:
    track = constrained(bone("lower"), "DAMPED_TRACK", target(), influence=0.0, name="Aim")
    track.keyframe_insert("influence", frame=1)
    api.snap_targets(chain.id_data)
    with refused("HANGS_ON_TARGET", 'constraint "Aim" of bone "lower"') as found:
        api.bake_targets(chain.id_data, frames=(1, 5))
    assert (found.value.object, found.value.bone) == ("Rig", "lower")


FREE = {
    "muted": lambda: constrained(bone("lower"), "DAMPED_TRACK", target(), mute=True),
    "without influence": lambda: constrained(bone("lower"), "DAMPED_TRACK", target(), influence=0.0),
    "on another bone": lambda: constrained(
        armature(name="Other").pose.bones["spine"], "DAMPED_TRACK", bpy.data.objects["Target"]
    ),
    "its turn": lambda: constrained(bone("upper"), "COPY_ROTATION", target()),
    "its size": lambda: constrained(bone("upper"), "COPY_SCALE", target()),
    "the hand's turn": lambda: constrained(bone("hand"), "COPY_ROTATION", target()),
    "its IK": lambda: constrained(bone("lower"), "IK", target(), chain_count=2),
}


@pytest.mark.parametrize("free", FREE)
def test_a_limb_whose_pose_stays_is_not_refused(chain: PropertyGroup, free: str) -> None:
    FREE[free]()
    bone("upper").rotation_quaternion = (1, 0.2, 0.1, 0)
    before = joints()
    for request in REQUESTS.values():
        request(chain.id_data)
        assert np.abs(joints() - before).max() < (1e-5 if free != "its IK" else 2e-3)


def test_the_target_may_turn_the_hand_whose_turn_it_takes(chain: PropertyGroup) -> None:
    chain.use_rotation = True
    copied = constrained(bone("hand"), "COPY_ROTATION", target())
    target().rotation_euler = (0.3, 0.2, 0.1)
    before = joints()
    api.snap_targets(chain.id_data)
    assert np.abs(joints() - before).max() < 1e-5
    copied.mute = True
    constrained(bone("upper"), "COPY_ROTATION", target())
    with pytest.raises(api.Refused, match="Copy Rotation"):
        api.snap_targets(chain.id_data)


def test_targets_are_created_for_a_limb_that_hangs_on_something(chain: PropertyGroup) -> None:
    constrained(bone("lower"), "DAMPED_TRACK", target())
    chain.target = chain.pole_target = None
    before = joints()
    api.create_targets(chain.id_data)
    assert np.abs(joints() - before).max() < 1e-6

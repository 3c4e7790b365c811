"""A target under a constraint does not make Blender evaluate the character frame by frame."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Depsgraph, Object, Scene

from support.rigs import animate, armature, chain, empty
from support.truth import Limb

FRAMES = (1, 40)


@pytest.fixture
def rig() -> Object:
    """An arm on a moving spine, whose target copies the place of another."""
    rig = armature()
    limb = chain(rig, "lower", target=(0, 0, 0), pole=(1, 3, 1))
    leader = empty("Leader")
    animate(leader, location={1: (1.2, 0.6, 1.3), 40: (0.5, -0.8, 1.5)})
    animate(rig.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 40: (1, 0.1, 0.1, 0.3)})
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
    bpy.app.handlers.frame_change_post.remove(note)


def test_limbs_meet_targets_under_constraints(rig: Object) -> None:
    assert api.bake(rig, frames=FRAMES, measure="ALL").reached
    assert Limb(pole="Pole").hits(range(1, 41)).max() < 2e-6


def test_a_target_under_a_constraint_is_evaluated_alone(rig: Object, evaluated: set[str]) -> None:
    api.bake(rig, frames=FRAMES, measure="NONE")
    assert "LeaderAction" in evaluated
    assert rig.name not in evaluated


def test_a_character_under_a_constraint_is_evaluated(rig: Object, evaluated: set[str]) -> None:
    rig.pose.bones["spine"].constraints.new("COPY_ROTATION").target = empty("Other")
    api.bake(rig, frames=FRAMES, measure="NONE")
    assert rig.name in evaluated

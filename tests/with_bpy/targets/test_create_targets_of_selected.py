"""Create Targets takes all armatures that are selected at once."""

from __future__ import annotations

import bpy
import pytest
from bpy.types import Object

from support.rigs import arm


def selected(count: int) -> list[Object]:
    """Selected arms whose chains have no targets."""
    rigs = []
    for number in range(count):
        link = arm()
        rig = link.id_data
        rig.location.x = 2.0 * number
        link.target = None
        rig.select_set(True)
        rigs.append(rig)
    bpy.context.view_layer.update()
    return rigs


def evaluations(**options: str) -> int:
    """How often Blender evaluates the scene while targets are created."""
    seen: list[object] = []

    def notice(scene: object, *_: object) -> None:
        seen.append(scene)

    bpy.app.handlers.depsgraph_update_post.append(notice)
    try:
        bpy.ops.two_bone_ik.create_targets(**options)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(notice)
    return len(seen)


def test_four_take_as_many_evaluations_as_one() -> None:
    selected(1)
    for_one = evaluations()
    bpy.ops.object.select_all(action="DESELECT")
    rigs = selected(4)
    assert evaluations() == for_one
    assert all(rig.two_bone_ik_chains[0].target for rig in rigs)


@pytest.mark.parametrize("kind", ["EMPTIES", "BONES"])
def test_one_that_is_refused_leaves_the_others_theirs(kind: str) -> None:
    rigs = selected(3)
    rigs[1].two_bone_ik_chains[0].end_bone = "gone"
    with pytest.raises(RuntimeError, match="gone"):
        bpy.ops.two_bone_ik.create_targets(kind=kind)
    assert [bool(rig.two_bone_ik_chains[0].target) for rig in rigs] == [True, False, True]

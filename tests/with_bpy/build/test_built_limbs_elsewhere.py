"""What Live, Solve, the list, operators and the command line make of limbs that are built into the rig."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import limb_states
from bpy.types import Object
from mathutils import Matrix

from support import rigs
from support.command import run
from support.truth import Limb, on_frame


def test_the_list_says_built_and_how_far_the_tip_is_off() -> None:
    rigs.arm(target=(3.0, 0.0, 1.0))
    rig = bpy.data.objects["Rig"]
    api.build(rig)
    depsgraph = on_frame(1)
    state = limb_states(rig, bpy.context.scene, depsgraph)["lower"]
    joints = Limb().joints(depsgraph)
    assert state.state == "BUILT"
    np.testing.assert_allclose(state.joints, joints, atol=1e-6)
    assert state.miss == pytest.approx(Limb().off(depsgraph), abs=1e-6)


def _moved_elbow(bones: bpy.types.ArmatureEditBones) -> None:
    bones["lower"].head.x += 0.01


def _moved_hand(bones: bpy.types.ArmatureEditBones) -> None:
    bones["lower"].tail.y += 0.01


def _rolled(bones: bpy.types.ArmatureEditBones) -> None:
    bones["upper"].roll += 0.01


def _moved_all(bones: bpy.types.ArmatureEditBones) -> None:
    for bone in bones:
        bone.matrix = Matrix.Translation((0.0, 0.0, 0.5)) @ bone.matrix


@pytest.mark.parametrize("edit", [_moved_elbow, _moved_hand, _rolled, None, _moved_all])
@pytest.mark.parametrize("options", [{}, {"plane": "REST"}, {"softness": 0.2, "pole_angle": 0.3}], ids=str)
def test_a_limb_is_to_be_built_again_once_its_rest_is_edited(options: dict[str, object], edit: Callable) -> None:
    rigs.arm(pole=None if options else (0.3, 3.0, 1.4), **options)
    rig = bpy.data.objects["Rig"]
    api.build(rig)
    for step in (None, edit):
        assert _state(rig) == "BUILT"
        with rigs.editing(rig) as bones:
            if step:
                step(bones)
    assert _state(rig) == ("BUILT" if edit in (None, _moved_all) else "BUILT_BEFORE")
    api.build(rig)
    assert _state(rig) == "BUILT"


FOLLOWED = {"tip_bone": "hand", "use_rotation": True, "rotation_influence": 0.5}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("target", "Other"), ("pole_target", "Other"), ("subtarget", "other"), ("unreachable", "STRETCH")),
        *(("use_rotation", False), ("rotation_influence", 0.6), ("bend", "NEGATIVE"), ("plane", "REST")),
        *(("plane", "AIM"), ("pole_influence", 0.5), ("softness", 0.2)),
    ],
)
def test_a_limb_is_to_be_built_again_once_an_option_changes(field: str, value: object) -> None:
    bones = [rigs.Bone(name, (x, 0, 0), (x, 0, 1)) for name, x in (("goal", 3.0), ("other", 4.0))]
    rig = rigs.armature((*rigs.ARM, *bones))
    chain = rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.3, 3.0, 1.4), **FOLLOWED)
    for bone in ("lower", "hand"):
        rig.data.bones[bone].inherit_scale = "ALIGNED"
    rigs.empty("Other")
    if field == "subtarget":
        chain.target, chain.subtarget = rig, "goal"
    api.build(rig)
    rig.data.bones["goal"].name = bpy.data.objects["Target"].name = "renamed"
    if field == "subtarget":
        chain.subtarget = "renamed"
    assert _state(rig) == "BUILT"
    before = getattr(chain, field)
    setattr(chain, field, bpy.data.objects["Other"] if value == "Other" else value)
    if value == "REST":
        chain.pole_target = None  # otherwise it could not be built
    assert _state(rig) == "BUILT_BEFORE"
    setattr(chain, field, before)
    chain.pole_target = bpy.data.objects["Pole"]
    assert _state(rig) == "BUILT"


def test_a_limb_in_its_rest_plane_is_built_again_for_a_target() -> None:
    """There no part of the limb follows the target: drivers read where it is."""
    chain = rigs.arm(plane="REST")
    rig, before = chain.id_data, chain.target
    api.build(rig)
    before.name = "renamed"
    assert _state(rig) == "BUILT"
    chain.target = rigs.empty("Other")
    assert _state(rig) == "BUILT_BEFORE"
    chain.target = before
    assert _state(rig) == "BUILT"


def test_a_tip_bone_is_free_once_its_limb_is_built_without_it() -> None:
    chain = rigs.chain(rigs.armature(rigs.ARM), "lower", target=(1.2, 0.6, 1.3), **FOLLOWED)
    rig = bpy.data.objects["Rig"]
    api.build(rig)
    chain.tip_bone, chain.use_rotation = "", False
    api.build(rig)
    assert not rig.pose.bones["hand"].constraints
    assert len(rig.animation_data.drivers) == 5


def _state(rig: Object) -> str:
    return limb_states(rig, bpy.context.scene, on_frame(1))["lower"].state


def test_live_and_solve_leave_built_limbs_alone_and_say_so() -> None:
    rigs.arm()
    rig = bpy.data.objects["Rig"]
    api.build(rig)
    with pytest.raises(api.Refused, match='"lower" of "Rig" is built into the rig, which poses it: remove it'):
        api.solve(rig)
    own = rig.pose.bones["upper"].rotation_quaternion.copy()
    rig.two_bone_ik_live = True
    bpy.data.objects["Target"].location = (0.5, 0.9, 1.4)
    bpy.context.view_layer.update()
    assert rig.pose.bones["upper"].rotation_quaternion == own
    assert not api.check(rig, frames=(1, 3)).notes  # nor has it to be baked for a render
    assert Limb().misses([1]).max() < 2e-5


def test_buttons_build_and_remove() -> None:
    rigs.arm()
    assert bpy.ops.two_bone_ik.build() == {"FINISHED"}
    assert len(bpy.data.objects["Rig"].pose.bones) == len(rigs.ARM) + 3
    assert bpy.ops.two_bone_ik.unbuild() == {"FINISHED"}
    assert len(bpy.data.objects["Rig"].pose.bones) == len(rigs.ARM)
    with pytest.raises(RuntimeError, match="No limb of these chains is built"):
        bpy.ops.two_bone_ik.unbuild()


def test_the_command_builds_and_writes_another_file(shot: Path) -> None:
    built = shot.with_name("built.blend")
    assert run("build", shot, "--output", built) == 0
    bpy.ops.wm.open_mainfile(filepath=str(built))
    assert bpy.data.objects["Rig"].pose.bones["lower"]["IK"] == 1.0
    assert Limb().misses(range(1, 4)).max() < 2e-5

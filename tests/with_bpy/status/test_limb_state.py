"""What is told of a limb is what Blender shows: where its tip is, and what keeps it off its target."""

from __future__ import annotations

from math import dist, radians

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.status import hiding
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import LimbState, limb_states
from bl_ext.user_default.two_bone_ik.ui import limb_notice
from bpy.types import Object

from support import rigs
from support.live import WITHIN_REACH
from support.rigify import generated
from support.truth import Limb, on_frame

REACHED, ELSEWHERE = WITHIN_REACH[1], WITHIN_REACH[5]
FAR, CLOSE_BY = (9.0, 0.0, 1.0), (0.0, 0.05, 1.0)
FULL = sum(dist(bone.head, bone.tail) for bone in rigs.ARM[1:3])
CURVED = {1: (1, 0, 0, 0), 5: (0.7, 0.5, 0.3, -0.4), 10: (0.6, -0.2, 0.7, 0.1)}


def told(rig: Object, name: str = "lower", *, playing: bool = False) -> LimbState:
    """Of a limb as the window would ask for it."""
    bpy.context.view_layer.update()
    return limb_states(rig, bpy.context.scene, bpy.context.view_layer.depsgraph, playing=playing)[name]


def truth() -> np.ndarray:
    """(4, 3) root, mid, tip and target, as Blender evaluates them."""
    depsgraph, limb = bpy.context.evaluated_depsgraph_get(), Limb()
    return np.array([*limb.joints(depsgraph), limb.goal(depsgraph)])


def assert_told(rig: Object, state: str, cause: str = "") -> LimbState:
    """What is told, after it was compared with what Blender evaluates."""
    found, shown = told(rig), truth()
    np.testing.assert_allclose([*found.joints, *found.target], shown, atol=1e-6)
    assert found.miss == pytest.approx(np.linalg.norm(shown[2] - shown[3]), abs=1e-6)
    assert (found.state, found.cause) == (state, cause)
    assert (found.state == "REACHED") <= (found.miss < 1e-3)
    return found


@pytest.mark.parametrize("live", [True, False], ids=["live", "solved once"])
@pytest.mark.parametrize(
    ("target", "state", "cause", "fields"),
    [
        (REACHED, "REACHED", "", {}),
        (REACHED, "REACHED", "", {"softness": 0.01}),
        (FAR, "TOO_FAR", "", {}),
        (FAR, "TOO_FAR", "", {"unreachable": "STRETCH"}),
        (CLOSE_BY, "TOO_CLOSE", "", {}),
        ((0.0, 0.6, 2.4), "AS_SET", "Softness", {"softness": 0.5}),
        (ELSEWHERE, "AS_SET", "Plane", {"plane": "REST"}),
        (ELSEWHERE, "AS_SET", "Limit Bend", {"use_bend_limits": True, "bend_min": radians(160), "bend_max": 3.0}),
        ((1.81, 0.0, 1.1), "AS_SET", "Limit Extension", {"use_extension_limit": True}),
    ],
)
def test_a_posed_limb_is_told_as_it_is(
    target: tuple[float, float, float], state: str, cause: str, fields: dict[str, object], live: bool
) -> None:
    chain = rigs.arm(target=target, **fields)
    if fields.get("unreachable") == "STRETCH":
        chain.id_data.data.bones["lower"].inherit_scale = "ALIGNED"
    chain.id_data.two_bone_ik_live = live
    if not live:
        api.solve(chain.id_data)
    assert_told(chain.id_data, state, cause)


def test_an_influence_below_one_is_told_as_set() -> None:
    rig = rigs.arm(target=ELSEWHERE, influence=0.5).id_data
    rig.two_bone_ik_live = True
    assert_told(rig, "AS_SET", "Influence")


def test_a_limb_is_told_posed_or_not_and_in_playback_seldom() -> None:
    rig = rigs.arm(target=ELSEWHERE).id_data
    assert assert_told(rig, "NOT_POSED").miss > 0.5
    rig.two_bone_ik_live = True
    assert_told(rig, "REACHED")
    before = told(rig)
    bpy.data.objects["Target"].location = ELSEWHERE
    assert told(rig, playing=True) is before
    assert_told(rig, "REACHED")


def test_what_keys_make_of_the_limb_is_told_on_every_frame() -> None:
    rig = rigs.arm(target=REACHED).id_data
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion=CURVED)
    for frame in range(1, 11):
        on_frame(frame)
        assert_told(rig, "NOT_POSED")
    rig.two_bone_ik_live = True
    for frame in range(1, 11):
        on_frame(frame)
        assert assert_told(rig, "REACHED").keyed


def test_a_muted_chain_and_one_held_by_keys_are_told() -> None:
    chain = rigs.arm(target=ELSEWHERE, mute=True)
    assert_told(chain.id_data, "MUTED")
    rig, chain.mute = chain.id_data, False
    api.bake(rig, frames=(1, 3))
    on_frame(2)
    assert_told(rig, "REACHED")


def test_a_chain_without_a_target_is_told_by_its_refusal() -> None:
    rig = api.add_chain(rigs.armature(), "lower").id_data
    found = told(rig)
    assert (found.state, found.refusal.kind, found.target) == ("REFUSED", "NO_TARGET", ())
    assert len(found.joints) == 3


@pytest.mark.parametrize("bone", ["lower", "hand"])
@pytest.mark.parametrize("live", [True, False])
def test_the_constraint_that_hides_the_limb_can_be_muted(bone: str, live: bool) -> None:
    rig = rigs.arm(target=ELSEWHERE).id_data
    other = rigs.empty("Other", (1.5, 0.0, 1.0))
    constraint = rig.pose.bones[bone].constraints.new("IK" if bone == "hand" else "COPY_ROTATION")
    constraint.target = other
    if bone == "hand":
        constraint.chain_count = 3
    rig.two_bone_ik_live = live
    api.solve(rig)
    found = assert_told(rig, "HIDDEN")
    assert (found.hiding.bone, found.hiding.constraint) == (bone, constraint.name)
    assert hiding.mend(rig, found.hiding)
    assert constraint.mute
    assert_told(rig, "REACHED")


def test_a_driver_that_hides_a_live_limb_is_not_told_reached() -> None:
    rig = rigs.arm(target=ELSEWHERE).id_data
    rig.pose.bones["lower"].driver_add("rotation_quaternion", 1).driver.expression = "0.5"
    rig.two_bone_ik_live = True
    assert assert_told(rig, "HIDDEN").hiding is None


@pytest.mark.parametrize("limb", ["Arm.L", "Leg.L"])
def test_no_constraint_that_only_scales_is_told_to_hide(limb: str) -> None:
    """Between forearm and hand a generated rig has a bone with Copy Scale, which is not to be muted."""
    rig = generated("basic_human")
    api.add_detected(rig)
    chain = rig.two_bone_ik_chains[limb]
    rig.pose.bones["upper_arm_parent.L" if limb == "Arm.L" else "thigh_parent.L"]["IK_FK"] = 1.0
    rig.pose.bones["hand_ik.L" if limb == "Arm.L" else "foot_ik.L"].location = (0.02, -0.1, 0.05)
    rig.update_tag()
    found = told(rig, limb)
    assert (found.state, found.hiding) == ("NOT_POSED", None)
    api.solve(rig, [limb])
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    assert (bones[chain.tip_bone].head - bones[chain.subtarget].head).length < 1e-4
    assert told(rig, limb).state == "REACHED"


def test_the_switch_that_hides_a_rigify_limb_can_be_turned() -> None:
    rig = generated("basic_human")
    api.add_detected(rig)
    for chain in rig.two_bone_ik_chains:
        chain.target = chain.pole_target = None
    api.create_targets(rig)
    for chain in rig.two_bone_ik_chains:
        chain.target.location.z += 0.1
    rig.two_bone_ik_live = True
    for chain in rig.two_bone_ik_chains:
        found = told(rig, chain.name)
        assert found.state == "HIDDEN"
        assert found.hiding.switch.endswith(f'_parent.{chain.name[-1]}"]["IK_FK"]')
        assert f'does not show chain "{chain.name}": set its property "IK_FK" to 1' in str(api.solve(rig, [chain.name]))
        hiding.mend(rig, found.hiding)
        assert told(rig, chain.name).state == "REACHED"
        assert "IK_FK" not in str(api.solve(rig, [chain.name]))
        bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        shown = rig.matrix_world @ bones[f"DEF-{chain.tip_bone.replace('_fk', '')}"].head
        assert (shown - chain.target.matrix_world.translation).length < 1e-4


def test_a_limb_far_from_the_origin_is_told_reached() -> None:
    """A step of single precision is larger there than a part of the limb."""
    rig = rigs.arm(target=REACHED).id_data
    rig.location = bpy.data.objects["Target"].delta_location = (4e4, -4e4, 4e4)
    rig.two_bone_ik_live = True
    assert told(rig).state == "REACHED"


def test_live_that_is_switched_off_lets_its_keys_show_at_once() -> None:
    rig = rigs.arm(target=REACHED).id_data
    for bone in ("upper", "lower"):
        rigs.animate(rig.pose.bones[bone], rotation_quaternion=CURVED)
    on_frame(5)
    keyed = truth()
    rig.two_bone_ik_live = True
    rig.pose.bones["spine"].rotation_quaternion = (0.9, 0.1, 0.0, 0.0)
    assert_told(rig, "REACHED")
    rig.pose.bones["spine"].rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    rig.two_bone_ik_live = False
    np.testing.assert_allclose(truth(), keyed, atol=1e-5)


def test_the_button_mends_what_hides_the_active_limb() -> None:
    chain = rigs.arm(target=ELSEWHERE, mute=True)
    rig = chain.id_data
    rig.two_bone_ik_live = True
    constraint = rig.pose.bones["lower"].constraints.new("COPY_ROTATION")
    constraint.target = rigs.empty("Other")
    rig.pose.bones["spine"].keyframe_insert("location", frame=1)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    for state in ("MUTED", "HIDDEN", "REACHED"):
        assert_told(rig, state)
        if state != "REACHED":
            assert bpy.ops.two_bone_ik.reveal() == {"FINISHED"}
    with pytest.raises(RuntimeError, match='Nothing is known to hide chain "lower" of "Rig"'):
        bpy.ops.two_bone_ik.reveal()


def test_a_limb_is_not_measured_again_for_a_check_elsewhere() -> None:
    rig, layer = rigs.arm(target=REACHED).id_data, bpy.context.view_layer
    layer.update()
    before = limb_states(rig, bpy.context.scene, layer.depsgraph)
    api.check(rig, frames=(1, 3), sampling="ISOLATED")
    assert limb_states(rig, bpy.context.scene, layer.depsgraph) is before


def test_a_copying_bone_that_is_renamed_breaks_no_list() -> None:
    rig = rigs.arm().id_data
    rig.two_bone_ik_live = True
    bone = rig.pose.bones["hand"]
    copy = bone.constraints.new("COPY_TRANSFORMS")
    copy.target, copy.subtarget, copy.mute = rig, "lower", True
    on_frame(2)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    before = limb_states(rig, bpy.context.scene, depsgraph)
    bone.name = "paw"
    after = limb_states(rig, bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert after.keys() == before.keys()


def arm_without_its_target(*scenes: str) -> Object:
    """An arm in the scene that is shown; its target is in scenes of these names alone, and moves."""
    rig = rigs.arm(target=WITHIN_REACH[5]).id_data
    target = bpy.data.objects["Target"]
    rigs.animate(target, location={1: WITHIN_REACH[1], 5: WITHIN_REACH[5]})
    for name in scenes:
        bpy.data.scenes.new(name).collection.objects.link(target)
    bpy.context.collection.objects.unlink(target)
    rig.two_bone_ik_live = True
    return rig


@pytest.mark.parametrize(
    ("scenes", "state", "sentence"),
    [
        (("Props",), "OTHER_SCENE", 'Other scene: "Target" is in no scene but "Props"'),
        (("Props", "Set"), "OTHER_SCENE", 'Other scene: "Target" is in no scene but "Props", "Set"'),
        ((), "IN_NO_SCENE", 'In no scene: "Target" is in no scene'),
    ],
)
def test_where_a_target_is_that_the_scene_lacks_is_told(scenes: tuple[str, ...], state: str, sentence: str) -> None:
    found = told(arm_without_its_target(*scenes))
    assert (found.state, found.refusal) == (state, None)
    short, long = limb_notice.short(bpy.context, found), limb_notice.long(bpy.context, found)
    assert f"{short}: {long}" == f"{sentence}: Bake and Solve follow it, Live does not"


@pytest.mark.parametrize("scenes", [("Props",), ()], ids=["another scene", "no scene"])
def test_a_target_that_the_scene_lacks_is_baked(scenes: tuple[str, ...]) -> None:
    rig = arm_without_its_target(*scenes)
    rig.two_bone_ik_live = False
    for posed, frames in ((api.bake, (1, 5)), (api.solve, None)):
        report = posed(rig, frames=frames) if frames else posed(rig)
        assert report.reached, str(report)
    for frame in (1, 5):
        bpy.context.scene.frame_set(frame)
        found = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        tip = found.matrix_world @ found.pose.bones["lower"].tail
        np.testing.assert_allclose(tip, WITHIN_REACH[frame], atol=1e-5)


def test_a_target_that_comes_into_the_scene_is_followed() -> None:
    rig = arm_without_its_target("Props")
    assert told(rig).state == "OTHER_SCENE"
    bpy.context.collection.objects.link(bpy.data.objects["Target"])
    assert told(rig).state == "REACHED"
    bpy.data.objects["Target"].hide_viewport = True
    assert told(rig).refusal.kind == "DISABLED"

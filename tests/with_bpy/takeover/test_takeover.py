"""Chains take over from Blender's own IK constraints: the rig stands as the constraint has it, once that is muted."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import KinematicConstraint, Object
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from mathutils import Euler, Matrix, Vector

from support import file_data, fk, rigs
from support.empty_file import open_empty_file
from support.ik_constraint import BONES, DEGREES, JOINTS, apart, limb, shown
from support.rigify import generated, metarig
from support.rigs import arm, empty
from support.truth import on_frame


def assert_taken_over(rig: Object, frames: tuple[int, int] = (1, 1)) -> None:
    """Bake, which mutes the constraint, and see that nothing moves."""
    before = [on_frame(frame) and shown(rig) for frame in range(frames[0], frames[1] + 1)]
    (takeover,) = api.chains_from_constraints(rig)
    assert (takeover.fields["end_bone"], takeover.differs) == ("lower", ())
    report = api.bake(rig, frames=frames)
    assert report.notes, "the constraint is muted"
    for frame, stood in enumerate(before, start=frames[0]):
        on_frame(frame)
        joint, turn = apart(stood, shown(rig))
        assert joint < JOINTS
        assert turn < DEGREES


VECTORS = st.tuples(*[st.floats(-1, 1)] * 3).map(Vector).filter(lambda v: v.length > 0.2)
TURNS = st.tuples(*[st.floats(-3, 3)] * 3).map(lambda angles: Euler(angles).to_quaternion())
ANGLES = st.floats(-3, 3)


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    links=st.tuples(VECTORS, VECTORS),
    gap=st.sampled_from([Vector(), Vector((0.1, -0.2, 0.05))]),
    rolls=st.tuples(ANGLES, ANGLES),
    turns=st.tuples(TURNS, TURNS, TURNS),
    reach=st.floats(0.05, 0.95),
    direction=VECTORS,
    pole=VECTORS,
    angle=ANGLES,
    influence=st.sampled_from([1.0, 1.0, 0.4, 0.0]),
    use_tail=st.booleans(),
    scale=st.sampled_from([1.0, 0.01, -1.0]),
)
def test_any_limb_with_a_pole_stands_as_the_constraint_has_it(
    links, gap, rolls, turns, reach, direction, pole, angle, influence, use_tail, scale
) -> None:
    open_empty_file()
    mid, tip = links[0], links[0] + gap + links[1]
    bones = (
        rigs.Bone("spine", (0, 0, -1), (0, 0, 0)),
        rigs.Bone("upper", (0, 0, 0), mid, "spine", rolls[0]),
        rigs.Bone("lower", mid + gap, tip, "upper", rolls[1]),
        rigs.Bone("hand", tip, tip + Vector((0.1, 0.2, 0.1)), "lower"),
    )
    constraint = limb(bones, "lower" if use_tail else "hand", pole_angle=angle, influence=influence)
    rig = constraint.id_data
    for name, turn in zip(("spine", *BONES), turns, strict=True):
        rig.pose.bones[name].rotation_quaternion = turn
    rig.matrix_world = Matrix.LocRotScale(Vector((1, 2, 3)), turns[0], Vector([scale] * 3))
    constraint.mute = True
    root, mid, tip = (Vector(m[:3, 3]) for m in shown(rig))
    constraint.mute = False
    first, second = (mid - root).length, (tip - mid).length
    inner, outer = abs(first - second), first + second
    # A limb that is straight, or a pole in line with it, leaves open what the constraint does.
    assume(0.1 < (mid - root).angle(tip - mid) < 3.0)
    assume(0.1 < pole.angle(direction) < 3.0)
    place = rig.matrix_world @ root.to_3d()
    bpy.data.objects["Target"].location = rig.matrix_world @ (
        root + direction.normalized() * (inner + reach * (outer - inner))
    )
    bpy.data.objects["Pole"].location = place + rig.matrix_world.to_3x3() @ pole
    assert_taken_over(rig)


def test_a_motion_is_taken_over_with_the_keys_beneath() -> None:
    """Where the mid joint points right at the pole, keys beneath the constraint do not change the pole angle."""
    rig = limb(rigs.ARM).id_data
    fk.swing(rig)
    fk.carry(rig)
    constraint = rig.pose.bones["lower"].constraints[0]
    rigs.animate(constraint.target, location={1: (1.2, 0.6, 1.3), 30: (3, 1.3, 2)})
    constraint.pole_angle = straight_at_pole(rig)
    assert_taken_over(rig, (1, 30))


def straight_at_pole(rig: Object) -> float:
    """Blender's pole angle at which the mid joint points right at the pole: from X of the upper bone to the hinge."""
    upper, lower = (rig.data.bones[name] for name in BONES)
    side = upper.matrix_local.to_3x3().inverted() @ (lower.tail_local - upper.tail_local)
    return float(np.arctan2(-side.z, -side.x))


def target_bones(constraint: KinematicConstraint) -> None:
    bones = rigs.Bone("goal", (1.2, 0.6, 1.3), (1.2, 1, 1.3)), rigs.Bone("side", (0, 3, 0), (0, 4, 0))
    constraint.target = constraint.pole_target = rigs.armature(bones, "Other")
    constraint.subtarget, constraint.pole_subtarget = "goal", "side"


def whole_branch(constraint: KinematicConstraint) -> None:
    rig = constraint.id_data
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["upper"].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["lower"].constraints[0].chain_count = 0


def unneeded_locks(constraint: KinematicConstraint) -> None:
    """A hinge as riggers set it: it cannot turn about what it does not turn about anyway."""
    lower = constraint.id_data.pose.bones["lower"]
    along = lower.bone.parent.tail_local - lower.bone.parent.head_local
    axis = lower.bone.matrix_local.to_3x3().inverted() @ along.cross(lower.bone.tail_local - lower.bone.head_local)
    for name, part in zip("xyz", axis.normalized(), strict=True):
        setattr(lower, f"lock_ik_{name}", abs(part) < 1e-4)
    assert lower.lock_ik_y


def no_iteration_to_speak_of(constraint: KinematicConstraint) -> None:
    constraint.weight = 0.3


@pytest.mark.parametrize(
    "change", [target_bones, whole_branch, unneeded_locks, no_iteration_to_speak_of], ids=lambda f: f.__name__
)
def test_what_is_taken_over_exactly(change: Callable[[KinematicConstraint], None]) -> None:
    hinge = rigs.Bone("upper", (0, 0, 1), (1, 0.2, 1), "spine"), rigs.Bone("lower", (1, 0.2, 1), (1.8, 0, 1), "upper")
    constraint = limb((rigs.ARM[0], *hinge), pole_angle=0.7)
    rig = constraint.id_data
    change(constraint)
    assert_taken_over(rig)


def refused(rig: Object, sentence: str) -> None:
    """No chain is added for constraints of the lower bone, and a sentence of each says why."""
    found = [takeover for takeover in api.chains_from_constraints(rig) if takeover.bone == "lower"]
    assert [(takeover.chain, len(takeover.differs)) for takeover in found] == [("", 1)] * len(found)
    assert any(sentence in takeover.differs[0] for takeover in found)
    assert not rig.two_bone_ik_chains


@pytest.mark.parametrize("role", ["", "pole_"])
@pytest.mark.parametrize("kind", ["MESH", "LATTICE"])
def test_a_vertex_group_is_refused_and_an_empty_on_it_serves(kind: str, role: str) -> None:
    constraint = limb(rigs.ARM, pole_angle=0.7)
    rig, target = constraint.id_data, getattr(constraint, f"{role}target")
    data = bpy.data.meshes.new("Prop") if kind == "MESH" else bpy.data.lattices.new("Prop")
    if kind == "MESH":  # the first point of a new lattice is there, too
        data.from_pydata([(-0.5, -0.5, -0.5), (9, 9, 9)], [(0, 1)], [])
    prop = bpy.data.objects.new("Prop", data)
    bpy.context.collection.objects.link(prop)
    prop.location, prop.scale = target.location, [3.0 if role else 1.0] * 3
    prop.vertex_groups.new(name="grip").add([0], 1.0, "REPLACE")
    setattr(constraint, f"{role}target", prop)
    before = shown(rig)
    setattr(constraint, f"{role}subtarget", "grip")
    assert apart(before, shown(rig))[0] > 10 * JOINTS, "the constraint follows the group, not the object"
    refused(rig, 'It follows vertex group "grip" of "Prop"')
    grip = empty("Grip").constraints.new("COPY_LOCATION")
    grip.target, grip.subtarget = prop, "grip"
    setattr(constraint, f"{role}target", grip.id_data)
    assert_taken_over(rig)


def test_two_faded_constraints_are_refused_and_one_target_serves() -> None:
    first = limb(rigs.ARM, pole_angle=0.7)
    rig, faded = first.id_data, empty("Faded")
    second = rig.pose.bones["lower"].constraints.new("IK")
    second.target, second.chain_count = empty("Other", (0.9, 0.9, 0.9)), 2
    for constraint, start in ((first, 1.0), (second, 0.0)):
        rigs.animate(constraint, influence={1: start, 9: 1.0 - start})
    refused(rig, 'Constraint "IK" of bone "lower" pulls the same bones to "Target"')
    for target, keys in ((first.target, {1: 1.0}), (second.target, {1: 0.0, 9: 1.0})):
        copied = faded.constraints.new("COPY_LOCATION")
        copied.target = target
        rigs.animate(copied, influence=keys)
    rig.animation_data_clear()
    first.target, first.influence, second.mute = faded, 1.0, True
    assert_taken_over(rig, (1, 9))


@pytest.mark.parametrize("count", [0, 3])
def test_a_longer_constraint_on_the_same_bone_is_a_rival(count: int) -> None:
    """Blender solves both at once; a bake would mute both, and do what one of them did."""
    rig = limb(rigs.ARM).id_data
    longer = rig.pose.bones["lower"].constraints.new("IK")
    longer.name, longer.target, longer.chain_count = "Longer", empty("Other", (0.9, 0.9, 0.9)), count
    refused(rig, 'Constraint "Longer" of bone "lower" pulls the same bones to "Other"')


@pytest.mark.parametrize("still", ["mute", "influence", "target"])
def test_a_second_constraint_that_does_nothing_is_no_rival(still: str) -> None:
    constraint = limb(rigs.ARM)
    rig = constraint.id_data
    other = rig.pose.bones["lower"].constraints.new("IK")
    other.target, other.chain_count = empty("Other", (0.9, 0.9, 0.9)), 2
    setattr(other, still, {"mute": True, "influence": 0.0, "target": None}[still])
    rig.pose.bones["lower"].constraints.move(1, 0)
    found = {takeover.constraint: takeover.chain for takeover in api.chains_from_constraints(rig)}
    assert found[constraint.name] == "Arm"


def test_a_constraint_that_moves_no_bone_is_passed_over() -> None:
    """With Tail off it moves what is above its bone, and above a bone without a parent there is nothing."""
    rig = limb(rigs.ARM).id_data
    above = rig.pose.bones["spine"].constraints.new("IK")
    above.target, above.use_tail = empty("Other", (0.9, 0.9, 0.9)), False
    assert [takeover.chain for takeover in api.chains_from_constraints(rig)] == ["Arm"]


def test_taking_over_twice_adds_chains_once() -> None:
    constraint = limb(rigs.ARM)
    rig = constraint.id_data
    constraint.mute = True
    assert api.chains_from_constraints(rig) == ()
    constraint.mute = False
    assert [takeover.chain for takeover in api.chains_from_constraints(rig)] == ["Arm"]
    before = file_data.dump()
    assert api.chains_from_constraints(rig) == ()
    assert not file_data.changed(before)


def test_a_detected_chain_gets_the_targets_of_the_constraint() -> None:
    rig = limb(rigs.ARM, pole_angle=0.7).id_data
    api.add_chain(rig, "lower", name="Arm", tip_bone="hand")
    bpy.ops.two_bone_ik.chains_from_constraints()
    (chain,) = rig.two_bone_ik_chains
    assert (chain.name, chain.target.name, chain.pole_target.name) == ("Arm", "Target", "Pole")


def test_a_pole_that_the_constraint_has_not_is_taken_out() -> None:
    rig = limb(rigs.ARM, pole=None).id_data
    api.add_chain(rig, "lower", name="Arm", pole_target=rigs.empty("Old", (1, 3, 1)))
    assert len(api.chains_from_constraints(rig)) == 1
    assert rig.two_bone_ik_chains[0].pole_target is None


def test_constraints_of_a_known_rig_are_not_taken_over() -> None:
    rig = generated("basic_human")
    with pytest.raises(api.Refused) as refused:
        api.chains_from_constraints(rig)
    assert (refused.value.kind, refused.value.object, refused.value.value) == ("KNOWN_RIG", rig.name, "rigify")
    assert "Switch" in str(refused.value)
    assert not rig.two_bone_ik_chains


def test_a_metarig_is_no_known_rig_and_is_taken_over() -> None:
    rig = metarig("human")
    constraint = rig.pose.bones["forearm.L"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Target"), 2
    assert [takeover.chain for takeover in api.chains_from_constraints(rig)] == ["Arm.L"]


def test_a_known_rig_beside_another_does_not_stop_it() -> None:
    known = generated("basic_human")
    chain = arm()
    rig, target = chain.id_data, chain.target
    rig.two_bone_ik_chains.clear()
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 2
    bpy.ops.object.select_all(action="DESELECT")
    for item in (known, rig):
        item.select_set(True)
    bpy.context.view_layer.objects.active = known
    with pytest.raises(RuntimeError, match=f'"{known.name}" is a known rig'):
        bpy.ops.two_bone_ik.chains_from_constraints()
    assert [chain.end_bone for chain in rig.two_bone_ik_chains] == ["lower"]
    assert not known.two_bone_ik_chains

"""Keys go to the action that plays the armature, or to a new one, and what would not play is refused first."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake.mute_constraints import mute_constraints
from bl_ext.user_default.two_bone_ik.blender.curves import write
from bl_ext.user_default.two_bone_ik.blender.messages.refused import Refused
from bpy.types import Object

from support import file_data
from support.two_bones import channel, curve, key_frames, keyed_state, played, two_bones, write_keys

pytestmark = pytest.mark.versions

HAS_SLOTS = hasattr(bpy.types, "ActionSlot")
needs_slots = pytest.mark.skipif(not HAS_SLOTS, reason="actions have slots from 4.4 on")


@pytest.fixture
def rig(empty_file: None) -> Object:
    return two_bones()


def test_a_shared_action_is_keyed_for_this_object(rig):
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.keyframe_insert("location", frame=1)
    action = other.animation_data.action
    rig.animation_data_create().action = action
    keyed = channel("upper", np.arange(1, 11))
    write_keys(rig, keyed)
    assert rig.animation_data.action == action == other.animation_data.action
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)
    if HAS_SLOTS:
        assert [c.data_path for c in versions.curves(other)] == ["location"] * 3


@needs_slots
def test_an_action_without_a_slot_gets_one_of_its_own(rig):
    spare = bpy.data.objects.new("Spare", None)
    spare.keyframe_insert("location", frame=1)
    animation = rig.animation_data_create()
    animation.action = spare.animation_data.action
    animation.action_slot = None
    keyed = channel("upper", np.arange(1, 11))
    write_keys(rig, keyed)
    assert animation.action_slot.identifier == "OBRig"
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)


@needs_slots
def test_each_slot_of_an_action_is_keyed_and_played_by_itself(rig):
    write_keys(rig, channel("upper", [1, 2]))
    action = rig.animation_data.action
    first = rig.animation_data.action_slot
    second = rig.animation_data.action_slot = action.slots.new(id_type="OBJECT", name="Second")
    assert not versions.curves(rig)
    write_keys(rig, channel("upper", [1, 2, 3]))
    assert len(curve(rig).keyframe_points) == 3
    rig.animation_data.action_slot = first
    assert len(curve(rig).keyframe_points) == 2
    assert second.identifier == "OBSecond"
    for slot, count in ((second, 3), (first, 2)):
        assert {len(each.keyframe_points) for each in versions.slot_curves(action, slot.identifier)} == {count}
        versions.play(rig, None, "")
        versions.play(rig, action, slot.identifier)
        assert versions.played(rig) == (action, slot.identifier)
        assert len(curve(rig).keyframe_points) == count


def test_a_new_action_plays_the_rest_of_the_rig_too(rig):
    spine = channel("lower", [1, 5, 10])
    write_keys(rig, spine, channel("upper", [1, 30]))
    old, before = rig.animation_data.action, keyed_state(rig)[-1]
    old.name = "Walk"
    keyed = channel("upper", np.arange(1, 11), seed=3)
    write_keys(rig, keyed, new_action=True)
    assert [action.name for action in bpy.data.actions] == ["RigAction", "Walk"]
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)
    np.testing.assert_allclose(played(rig, spine), spine.values, atol=1e-7)
    assert key_frames(curve(rig))[-1] == 30
    assert old.use_fake_user
    rig.animation_data.action = old
    assert keyed_state(rig)[-1] == before


@needs_slots
def test_a_new_action_leaves_the_slots_of_others_behind(rig):
    other = bpy.data.objects.new("Other", None)
    write_keys(rig, channel("upper", [1, 2]))
    other.animation_data_create().action = rig.animation_data.action
    other.keyframe_insert("location", frame=1)
    write_keys(rig, channel("upper", [1, 2]), new_action=True)
    assert [slot.identifier for slot in rig.animation_data.action.slots] == ["OBRig"]
    assert rig.animation_data.action_slot.identifier == "OBRig"
    assert [c.data_path for c in versions.curves(other)] == ["location"] * 3
    assert not other.animation_data.action.use_fake_user


def test_an_action_mixed_with_strips_is_reported(rig):
    write_keys(rig, channel("upper", [1, 2]), new_action=True)
    assert [action.name for action in bpy.data.actions] == ["RigAction"]
    push_down(rig)
    assert write_keys(rig, channel("upper", [1, 2])) == []
    rig.animation_data.action_influence = 0.5
    (note,) = write_keys(rig, channel("upper", [1, 2]))
    assert "NLA" in note


def push_down(rig):
    """Make the action a strip of the NLA, as the button in Blender does; no operator does it without a window."""
    animation = rig.animation_data
    strip = animation.nla_tracks.new().strips.new("Strip", 1, animation.action)
    if HAS_SLOTS:
        strip.action_slot = animation.action_slot
    animation.action = None
    return strip


def tweak_mode(rig):
    push_down(rig).select = True
    rig.animation_data.nla_tracks[0].select = True
    rig.animation_data.use_tweak_mode = True


def driver(rig):
    rig.pose.bones["upper"].driver_add("rotation_quaternion", 1)


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (tweak_mode, "TWEAK_MODE"),
        (driver, "CURVE_DRIVEN"),
        (lambda rig: setattr(curve(rig), "lock", True), "CURVE_LOCKED"),
        (lambda rig: setattr(curve(rig), "mute", True), "CURVE_MUTED"),
        (lambda rig: setattr(curve(rig).group, "lock", True), "CURVE_LOCKED"),
        (lambda rig: setattr(curve(rig).group, "mute", True), "CURVE_MUTED"),
    ],
    ids=["tweak mode", "driver", "locked", "muted", "locked group", "muted group"],
)
@pytest.mark.parametrize("new_action", [False, True])
def test_what_would_not_play_is_refused_before_anything_changes(rig, spoil, kind, new_action):
    write_keys(rig, channel("upper", [1, 2]))
    spoil(rig)
    before = keyed_state(rig)
    with pytest.raises(Refused, match='"Rig"') as refused:
        write_keys(rig, channel("lower", [1]), channel("upper", [1, 5]), new_action=new_action)
    assert refused.value.kind == kind
    assert keyed_state(rig) == before


def test_obstacles_on_other_channels_do_not_matter(rig):
    write_keys(rig, channel("upper", [1, 2]))
    curve(rig).lock = True
    rig.pose.bones["upper"].driver_add("scale", 1)
    rig.pose.bones["lower"].driver_add("rotation_quaternion", 1).mute = True
    keyed = channel("lower", [1, 2])
    write_keys(rig, keyed)
    np.testing.assert_allclose(played(rig, keyed), keyed.values, atol=1e-7)


def test_a_linked_action_is_refused_unless_a_new_one_is_wanted(rig, tmp_path: Path):
    write_keys(rig, channel("upper", [1, 30]), span=(1, 30))
    library = str(tmp_path / "actions.blend")
    bpy.data.libraries.write(library, {rig.animation_data.action})
    bpy.data.actions.remove(rig.animation_data.action)
    with bpy.data.libraries.load(library, link=True) as (source, wanted):
        wanted.actions = source.actions
    rig.animation_data.action = bpy.data.actions[0]
    before = keyed_state(rig)
    with pytest.raises(Refused, match="is linked") as refused:
        write_keys(rig, channel("upper", [1, 2]))
    assert (refused.value.kind, refused.value.value) == ("LINKED_ACTION", "RigAction")
    assert keyed_state(rig) == before
    write_keys(rig, channel("upper", [1, 2]), new_action=True)
    assert rig.animation_data.action.is_editable
    assert list(key_frames(curve(rig))) == [1, 2, 30]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_no_numbers_write_nothing(rig, bad):
    broken = channel("lower", [1, 2])
    broken.values[1, 2] = bad
    before = file_data.dump()
    for written in (write_keys, lambda rig, *channels: write.pose(rig, channels)):
        with pytest.raises(ValueError, match=r'pose.bones\["lower"\].rotation_quaternion: .* must be finite'):
            written(rig, channel("upper", [1]), broken)
        assert not file_data.changed(before)


def test_constraints_that_are_muted_are_named(rig):
    bone = rig.pose.bones["lower"]
    constraints = [bone.constraints.new("IK") for _ in range(3)]
    constraints[1].mute = True
    constraints[2].keyframe_insert("mute", frame=1)
    notes = mute_constraints(rig, [("lower", constraint.name) for constraint in constraints])
    assert notes == [
        'Constraint "IK" of bone "lower" is muted',
        'Constraint "IK.002" of bone "lower" is muted, with the animation of its mute',
    ]
    bpy.context.scene.frame_set(1)
    assert all(constraint.mute for constraint in constraints)

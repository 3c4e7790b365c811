"""Which targets can be held and to what, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.held import DRIFT, KEYED, OUTSIDE, drift, everything, outside, scene, values, world
from support.rigs import ARM, Bone, animate, armature, chain, empty
from support.truth import on_frame

CONTROLS = (Bone("root", (0, 0, 0), (0, 0.3, 0)), Bone("control", (1.2, 0.6, 1.3), (1.2, 0.9, 1.3), "root", 0.4))


def as_bone(rig: Object, target: Object) -> None:
    one = rig.two_bone_ik_chains[0]
    one.target, one.subtarget = rig, "control"
    for frame in KEYED:
        animate(rig.pose.bones["control"], location={frame: (0.1 * np.sin(frame), 0, 0.1 * np.cos(frame / 3))})
        animate(rig.pose.bones["root"], rotation_quaternion={frame: (1, 0.1 * np.sin(frame), 0, 0)})


def as_bone_with_child_of(rig: Object, target: Object) -> None:
    as_bone(rig, target)
    constraint = rig.pose.bones["control"].constraints.new("CHILD_OF")
    constraint.target = moving()


def parented(_rig: Object, target: Object) -> None:
    target.parent = moving()


def with_child_of(_rig: Object, target: Object) -> None:
    target.constraints.new("CHILD_OF").target = moving()


def moving() -> Object:
    base = empty("Base")
    for frame in KEYED:
        animate(base, location={frame: (0.1 * np.sin(frame), 0, 0)}, rotation_euler={frame: (0, 0.1, frame / 200)})
    base.scale = (1.1, 1.1, 1.1)
    return base


@pytest.mark.parametrize("place", [as_bone, as_bone_with_child_of, parented, with_child_of], ids=lambda f: f.__name__)
def test_targets_are_held_whatever_carries_them(place: Callable[[Object, Object], None]) -> None:
    rig, target, cup = armature((*ARM, *CONTROLS)), empty("Target"), empty("Cup")
    for frame in KEYED:
        animate(target, location={frame: (1.1 + 0.1 * np.sin(frame), 0.5, 1.2)})
        animate(
            cup, location={frame: (1.1, 0.5 + 0.1 * np.sin(frame / 2), 1.2)}, rotation_euler={frame: (frame / 30, 0, 0)}
        )
    chain(rig, "lower", target=target)
    place(rig, target)
    bpy.context.view_layer.update()  # with the first one, Child Of sets its inverse
    assert not api.hold(rig, frames=(20, 40), space=cup).notes
    one, found = rig.two_bone_ik_chains[0], []
    for frame in range(20, 41):
        depsgraph = on_frame(frame)
        item = one.target.evaluated_get(depsgraph)
        there = item.matrix_world @ item.pose.bones["control"].matrix if one.subtarget else item.matrix_world
        found.append(np.linalg.inv(world("Cup", frame)) @ np.array(there))
    assert np.abs(np.array(found) - found[0])[..., 3].max() < 2 * DRIFT


def refusal(call: Callable[[], object]) -> api.Refused:
    with pytest.raises(api.Refused) as caught:
        call()
    return caught.value


def test_a_hand_cannot_hold_what_it_carries() -> None:
    rig, target, cup = scene()
    before = everything(target)
    cup.parent, cup.parent_type, cup.parent_bone = rig, "BONE", "hand"
    refused = refusal(lambda: api.hold(rig, frames=(20, 40), space=cup))
    assert (refused.kind, refused.bone) == ("HOLD_CIRCLE", "upper")
    assert '"lower"' in str(refused)
    assert everything(target) == before
    assert len(bpy.data.objects) == 3


def test_a_target_cannot_be_held_to_itself() -> None:
    rig, target, _ = scene()
    refused = refusal(lambda: api.hold(rig, frames=(20, 40), space=target))
    assert refused.kind == "HOLD_CIRCLE"
    assert '"Target"' in str(refused)


def test_two_hands_cannot_hold_on_to_each_other() -> None:
    bones = [bone._replace(name=f"{bone.name}.R", parent=f"{bone.parent}.R") for bone in ARM[1:]]
    bones[0] = bones[0]._replace(parent="spine")
    rig, left, right = armature((*ARM, *bones)), empty("L", (1.2, 0.3, 1.2)), empty("R", (1.2, -0.3, 1.2))
    chain(rig, "lower", target=left)
    chain(rig, "lower.R", target=right)
    api.hold(rig, ["lower"], (20, 40), space=(rig, "hand.R"))
    api.hold(rig, ["lower.R"], (60, 70), space=(rig, "hand"))  # later: a thing goes from hand to hand
    refused = refusal(lambda: api.hold(rig, ["lower.R"], (30, 50), space=(rig, "hand")))
    assert refused.kind == "HOLD_CIRCLE"
    assert "lower (upper)" in str(refused)
    assert "lower.R (upper.R)" in str(refused)


def test_a_chain_without_a_target_is_told_the_remedy() -> None:
    rig = armature()
    api.add_chain(rig, "lower")
    refused = refusal(lambda: api.hold(rig, frames=(20, 40)))
    assert refused.kind == "NO_TARGET"
    assert "create it" in str(refused)


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"at": 50}, "HOLD_FRAMES"),
        ({"ease": (-1, 4)}, "HOLD_EASE"),
        ({"space": "Rig hnd"}, "NO_BONE"),
    ],
)
def test_what_cannot_be_held_is_refused(wrong: dict[str, object], kind: str) -> None:
    rig, target, _ = scene()
    before = everything(target)
    if "space" in wrong:
        wrong = {"space": (rig, "hnd")}
    assert refusal(lambda: api.hold(rig, frames=(20, 40), **wrong)).kind == kind
    assert everything(target) == before


def test_a_cut_is_as_sharp_as_asked() -> None:
    rig, target, cup = scene()
    frames = outside(20, 40)
    evaluated = values(target, frames[(frames != 20) & (frames != 40)])
    api.hold(rig, frames=(20, 40), at=30, space=cup, ease=(0, 0))
    assert np.abs(values(target, frames[(frames != 20) & (frames != 40)]) - evaluated).max() < OUTSIDE
    assert drift(20, 40, "Cup") < DRIFT


def test_a_thing_that_turns_round_and_round_is_held() -> None:
    rig, target, cup = scene()
    for frame in (20, 40):
        animate(cup, rotation_euler={frame: (0, 0, frame)})
    for mode in ("XYZ", "QUATERNION"):
        target.rotation_mode = mode
        api.hold(rig, frames=(20, 40), space=cup)
        assert drift(20, 40, "Cup") < DRIFT
        for frame in np.arange(40, 50, 0.25):
            step = np.abs(world("Target", frame + 0.25)[:3, :3] - world("Target", frame)[:3, :3]).max()
            assert step < 0.5, frame
        api.remove_hold(rig, "lower")

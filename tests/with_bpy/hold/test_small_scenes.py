"""Five small scenes in which hands hold on to things while body and thing move: measured as Blender evaluates them."""

from __future__ import annotations

from math import sin

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import ARM, Bone, animate, armature, chain, empty
from support.truth import on_frame

pytestmark = pytest.mark.versions

LENGTH = 1.85  # of the arm
DRIFT = 1e-5 * LENGTH + 4 * np.spacing(np.float32(4.0))  # no coordinate is larger
QUARTERS = 1e-3 * LENGTH
LIVE = 1e-5 * LENGTH

OTHER_ARM = tuple(
    Bone(f"{bone.name}.R", *((x, -y - 0.6, z) for x, y, z in (bone.head, bone.tail)), f"{bone.parent}.R")
    for bone in ARM[1:]
)
TWO_ARMS = (*ARM, *(bone._replace(parent=bone.parent.replace("spine.R", "spine")) for bone in OTHER_ARM))


def places(*names: str | tuple[str, str], frames: np.ndarray) -> dict[object, np.ndarray]:
    """(n, 4, 4) in the world of objects, or bones, on these frames."""
    found: dict[object, list] = {name: [] for name in names}
    for frame in frames:
        depsgraph = on_frame(frame)
        for name in names:
            item = bpy.data.objects[name if isinstance(name, str) else name[0]].evaluated_get(depsgraph)
            world = item.matrix_world
            # Copied: Blender writes the next frame into the same matrix.
            found[name].append(np.array(world if isinstance(name, str) else world @ item.pose.bones[name[1]].matrix))
    return {name: np.array(matrices, dtype=np.float64) for name, matrices in found.items()}


def off(target: str, space: str | tuple[str, str] | None, frames: np.ndarray, at: int) -> np.ndarray:
    """(n, 3, 4) how the target differs from how it was on frame `at`, as seen from the space, in the world."""
    found = places(target, *([space] if space else []), frames=frames)
    there = places(target, *([space] if space else []), frames=np.array([at]))
    move = found[space] @ np.linalg.inv(there[space][0]) if space else np.eye(4)
    return (move @ there[target][0] - found[target])[:, :3]


def wander(item: object, place: tuple[float, float, float], size: float = 0.3, frames: range = range(1, 82, 4)) -> None:
    """Key a motion that never rests, around a place."""
    for frame in frames:
        offset = (size * sin(frame / 7), size * sin(frame / 5 + 1), 0.5 * size * sin(frame / 9 + 2))
        turn = (0.2 * sin(frame / 6), 0, frame / 60)
        animate(item, location={frame: np.add(place, offset)}, rotation_euler={frame: turn})


def body(bones: tuple[Bone, ...] = ARM, name: str = "Rig") -> Object:
    """A rig whose spine moves all the time."""
    rig = armature(bones, name)
    for frame in range(1, 82, 4):
        animate(rig.pose.bones["spine"], location={frame: (0.05 * sin(frame / 5), 0.03 * sin(frame / 3), 0)})
    return rig


def hand(rig: Object, end: str = "lower", name: str = "Target", place=(1.2, 0.6, 1.3)) -> Object:
    """An empty for a target, which wanders around a place within reach."""
    target = empty(name)
    wander(target, place, 0.15)
    chain(rig, end, target=target)
    return target


def assert_held(target: str, space: str | tuple[str, str] | None, start: int, end: int, at: int | None = None) -> None:
    differs = off(target, space, np.arange(start, end + 0.125, 0.25), start if at is None else at)
    moved = np.linalg.norm(differs[..., 3], axis=-1)
    assert moved[::4].max() < DRIFT
    assert moved.max() < QUARTERS
    assert np.abs(differs[::4, :, :3]).max() < 1e-5
    assert_no_jump(target, space, start, end)


def velocity(target: str, frame: float, side: float) -> np.ndarray:
    """(3,) to one side of a frame, to second order, as Blender evaluates it; the half frame has float32 noise."""
    step = 0.125 * side
    first, second, third = places(target, frames=np.array([frame, frame + step, frame + 2 * step]))[target][:, :3, 3]
    return (4 * second - 3 * first - third) / (2 * step)


def assert_no_jump(target: str, space: object, start: int, end: int, ease: int = 4) -> None:
    for frame in (start - ease, start, end, end + ease):
        jump = np.linalg.norm(velocity(target, frame, 1) - velocity(target, frame, -1))
        # What second order leaves of a motion of some 0.1 a frame, and float32 over an eighth of a frame.
        assert jump < 0.006, (frame, jump)


def tips(end: str, frames: np.ndarray, name: str = "Rig") -> np.ndarray:
    found = []
    for frame in frames:
        rig = bpy.data.objects[name].evaluated_get(on_frame(frame))
        found.append(rig.matrix_world @ rig.pose.bones[end].tail)
    return np.array(found, dtype=np.float64)


def assert_live_is_bake(*rigs: Object, end: str = "lower", start: int = 1, last: int = 60) -> None:
    """All limbs live, and then baked: the same tips, and these on their targets."""
    frames = np.arange(start, last + 1.0, 2)
    for rig in rigs:
        rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    live = tips(end, frames, rigs[-1].name)
    for rig in rigs:
        rig.two_bone_ik_live = False
        assert api.bake(rig, frames=(start, last)).posed
    assert np.abs(tips(end, frames, rigs[-1].name) - live).max() < LIVE


def test_two_hands_hold_one_gun() -> None:
    rig, gun = body(TWO_ARMS), empty("Gun")
    hand(rig, place=(1.2, 0.3, 1.3))
    hand(rig, "lower.R", "Target.R", (1.2, -0.9, 1.3))
    wander(gun, (1.3, -0.3, 1.3), 0.1)
    report = api.hold(rig, frames=(20, 50), space=gun)
    assert not report.notes
    assert_held("Target", "Gun", 20, 50)
    assert_held("Target.R", "Gun", 20, 50)
    assert_live_is_bake(rig)


@pytest.mark.parametrize("ends", [("lower", "lower.R"), ("lower.R", "lower")])
def test_a_target_is_held_beside_one_that_carries_it(ends: tuple[str, str]) -> None:
    rig = body(TWO_ARMS)
    for end, name in zip(ends, ("Target", "Carried"), strict=True):
        hand(rig, end, name, (1.2, -0.9 if end == "lower.R" else 0.3, 1.3))
    bpy.data.objects["Carried"].parent = bpy.data.objects["Target"]
    report = api.hold(rig, frames=(20, 50))
    assert not report.notes
    assert_held("Target", None, 20, 50)
    assert_held("Carried", None, 20, 50)


def test_a_target_is_held_beside_that_of_a_limb_below() -> None:
    """The finger hangs on the arm, and the arm's target on the finger's: no hold waits for the other limb's."""
    first = Bone("first", ARM[-1].tail, (2.3, 0.1, 1.1), "hand")
    rig = body((*ARM, first, Bone("second", first.tail, (2.6, 0, 1.15), "first")))
    hand(rig, "second", "Touched")
    hand(rig).parent = bpy.data.objects["Touched"]
    report = api.hold(rig, frames=(20, 50))
    assert not report.notes
    assert_held("Target", None, 20, 50)
    assert_held("Touched", None, 20, 50)


def test_a_cup_is_put_down_and_taken_up() -> None:
    rig, cup = body(), empty("Cup")
    hand(rig)
    wander(cup, (1.3, 0.5, 1.2), 0.1, range(1, 30, 4))
    cup.keyframe_insert("location", frame=45)  # stands on the table
    wander(cup, (1.2, 0.6, 1.4), 0.1, range(49, 82, 4))
    api.hold(rig, frames=(12, 30), space=cup)
    api.hold(rig, frames=(45, 70), space=cup)
    assert_held("Target", "Cup", 12, 30)
    assert_held("Target", "Cup", 45, 70)
    assert_live_is_bake(rig, last=75)


def test_hands_climb_a_ladder() -> None:
    rig, ladder = body(), empty("Ladder")
    hand(rig)
    ladder.rotation_euler = (0.1, 0.4, 0.2)
    ladder.scale = (1.5, 0.5, 2.0)
    wander(rig, (0, 0, 0), 0.1)
    for start in (5, 25, 45):
        api.hold(rig, frames=(start, start + 9), space=ladder, ease=(5, 5))
    for start in (5, 25, 45):
        assert_held("Target", "Ladder", start, start + 9)
    assert_live_is_bake(rig)


def test_two_characters_shake_hands() -> None:
    anna, ben = body(), body(name="Ben")
    ben.location, ben.rotation_euler = (2.4, 0.6, 0), (0, 0, 3.1415)
    hand(anna)
    hand(ben, name="Target.B", place=(1.2, 0.5, 1.2))
    api.hold(anna, frames=(20, 40), space=(ben, "hand"), at=30)
    bpy.context.view_layer.update()
    assert_live_is_bake(ben, anna)
    assert_held("Target", ("Ben", "hand"), 20, 40, at=30)


def test_a_phone_is_held_to_a_camera() -> None:
    rig = body()
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    hand(rig)
    head = empty("Head")
    wander(head, (0.5, 0, 1.6), 0.05)
    camera.parent, camera.location = head, (0.3, 0, 0)
    api.hold(rig, frames=(20, 50), space=camera)
    assert_held("Target", "Camera", 20, 50)
    assert_live_is_bake(rig)


def test_a_prop_in_the_other_hand_is_where_that_hand_is() -> None:
    rig, gun = body(TWO_ARMS), empty("Gun")
    hand(rig, place=(1.2, 0.3, 1.3))
    hand(rig, "lower.R", "Target.R", (1.2, -0.9, 1.3))
    gun.parent, gun.parent_type, gun.parent_bone = rig, "BONE", "hand.R"
    api.hold(rig, ["lower"], (20, 50), space=gun)
    assert_live_is_bake(rig)  # nobody had posed the other hand before
    assert_held("Target", "Gun", 20, 50)


def test_a_prop_tied_to_a_hand_is_held_once_that_is_baked() -> None:
    rig, gun = body(TWO_ARMS), empty("Gun")
    hand(rig, place=(1.2, 0.3, 1.3))
    hand(rig, "lower.R", "Target.R", (1.2, -0.9, 1.3))
    tied = gun.constraints.new("COPY_TRANSFORMS")
    tied.target, tied.subtarget = rig, "hand.R"
    for keyed in (lambda: None, lambda: api.bake(rig, ["lower.R"], frames=(1, 60, 2))):
        keyed()
        with pytest.raises(api.Refused, match=r'bake "lower\.R" on each frame first') as refused:
            api.hold(rig, ["lower"], (20, 50), space=gun)
        assert refused.value.kind == "FOLLOWS_BY_CONSTRAINT"
    api.bake(rig, ["lower.R"])
    api.hold(rig, ["lower"], (20, 50), space=gun)
    assert_held("Target", "Gun", 20, 50)

"""A second bake of the same frames gives the keys of the first, whichever frame is shown meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bpy.types import Object
from mathutils import Euler

from support import rigs, twisted
from support.hocks import leg, turn
from support.truth import on_frame

FRAMES = (1, 12)


def reaching_arm(mode: str, **fields: object) -> Object:
    """An arm, posed beside its hinge and wound up by a turn, whose target goes out of reach and back."""
    rig = rigs.armature(rigs.ARM)
    chain = rigs.chain(rig, "lower", target=(1.2, 0.6, 1.3), pole=(0.5, 2.0, 2.5), **fields)
    places = {1: (1.2, 0.6, 1.3), 4: (2.9, 1.2, 2.4), 8: (2.2, -2.0, 1.0), 12: (0.9, 0.3, 1.9)}
    rigs.animate(chain.target, location=places)
    for name in ("upper", "lower"):
        bone = rig.pose.bones[name]
        bone.rotation_mode = mode
        if mode == "QUATERNION":
            bone.rotation_quaternion = (-0.9, 0.2, -0.3, 0.25)
        else:
            bone.rotation_euler = (0.4, 6.5, -0.6)
    return rig


@pytest.mark.parametrize(
    ("moved", "above", "swung"),
    [("lower", (1.0, 1.0, 1.0), ("upper_line_a", "upper_line_b")), ("hand", (1.3, 1.0, 0.8), ("lower_line",))],
)
@pytest.mark.parametrize("fields", [{"unreachable": "STRETCH"}, {"pole_pin": 1.0}], ids=str)
def test_joints_beside_swung_twist_bones_stay(
    fields: dict[str, object], moved: str, above: tuple[float, float, float], swung: Sequence[str]
) -> None:
    chain = twisted.arm(bones=twisted.LINE, max_stretch=2.0)
    rig = chain.id_data
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    for name, value in fields.items():
        setattr(chain, name, value)
    rig.pose.bones[moved].location = (0.1, -0.05, 0.08)
    rig.pose.bones["spine"].scale = above
    for name in swung:
        rig.pose.bones[name].rotation_quaternion = Euler((0.4, 0.3, -0.5)).to_quaternion()
    chain.target.location = (2.9, 1.2, 2.4)
    api.bake(rig, frames=(1, 12, 5.5))
    keeps_its_keys(rig, frames=(1, 12, 5.5))


@pytest.mark.parametrize("shares", [{"upper_line_b": 0.5}, {"upper_line_a": 0.9, "upper_line_b": 0.3}], ids=str)
@pytest.mark.parametrize("reference", ["REST", "POSE"])
def test_a_twist_of_which_bones_take_a_part_stays(reference: str, shares: dict[str, float]) -> None:
    """The root bone keeps the rest, where the next bake finds it."""
    rig = twisted.arm(bones=twisted.LINE, reference=reference).id_data
    rig.pose.bones["upper"].rotation_quaternion = (0.8, 0.1, 0.5, 0.2)
    for name, share in shares.items():
        rig.pose.bones[name].two_bone_ik_twist = share
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig)
    keeps_its_keys(rig, shown=(5,))


def captured_leg(*joints: Sequence[float], shin_roll: float = 0.0, **fields: object) -> Object:
    """A leg of thigh, shin and hock between these joints, on its captured pose, whose target has no keys."""
    names, ends = ("thigh", "shin", "hock"), pairwise(joints)
    rolls = {"shin": shin_roll}
    bones = [
        rigs.Bone(name, *both, above, rolls.get(name, 0.0))
        for above, name, both in zip(("", *names), names, ends, strict=False)
    ]
    chain = leg(bones=bones, tip_bone="", reference="POSE", **fields)
    chain.target.animation_data_clear()
    return chain.id_data


def animate_turns(rig: Object, bone: str, turns: dict[int, Sequence[float]]) -> None:
    turned = {frame: tuple(Euler(angles).to_quaternion()) for frame, angles in turns.items()}
    rigs.animate(rig.pose.bones[bone], rotation_quaternion=turned)


def test_a_scaled_leg_stays_whatever_its_third_bone_did() -> None:
    joints = ((0, 0, 1), (0, -0.14, 1.33), (-0.37, -0.51, 1.88), (-0.43, 0.07, 2.29))
    rig = captured_leg(*joints, use_bend_limits=True, bend_max=0.9)
    bpy.data.objects["Target"].location = (0.5, 0.1, 0.8)
    rig.data.bones["hock"].inherit_scale = "FULL"
    rig.pose.bones["thigh"].scale = (1.27, 1.27, 1.27)
    rig.pose.bones["shin"].rotation_mode = "XYZ"
    rig.pose.bones["shin"].rotation_euler = (0.2, -0.9, -0.4)
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig)


def test_a_leg_whose_captured_shin_rolls_over_keeps_its_side() -> None:
    joints = ((0, 0, 1), (0.869, -0.392, 1.946), (0.666, 0.294, 2.001), (0.982, 0.073, 1.541))
    rig = captured_leg(*joints, shin_roll=2.78, bend="NEAREST")
    rigs.animate(bpy.data.objects["Target"], location={3: (0.0, 1.7, -0.5), 4: (-1.3, 1.7, 0.9)})
    animate_turns(rig, "shin", {3: (0.0, 0.7, -0.76), 6: (0.9, 0.5, -0.9)})
    api.bake(rig, frames=(1, 4, 0.5))
    keeps_its_keys(rig, frames=(1, 4, 0.5))


def test_a_hock_that_turns_beyond_straight_rolls_no_bone() -> None:
    """The foot, turned so, bends the leg to the other side as long as nothing else turns."""
    joints = ((0, 0, 1), (0.4, 0.06, 0.38), (0.94, 0.32, -0.64), (0.71, 0.46, -0.11))
    rig = captured_leg(*joints, plane="REST", unreachable="STRETCH")
    rig.data.bones["shin"].inherit_scale = "ALIGNED"
    bpy.data.objects["Target"].location = (2.2, -0.8, 1.4)
    rigs.animate(rig.pose.bones["shin"], two_bone_ik_hock_angle={1: 0.0, 12: -0.8})
    api.bake(rig, frames=FRAMES)
    turns = [on_frame(frame) and turn(rig, "thigh") for frame in range(1, 13)]
    assert max(np.linalg.norm(after - before) for before, after in pairwise(turns)) < 1.0
    keeps_its_keys(rig)


def test_nearest_keeps_its_sides_where_the_limb_was_straight() -> None:
    """With a pole; the limb goes out of reach and back, from a capture that rolls."""
    ends = ((0.0, 0.0, 1.0), (0.731, 0.458, 0.928), (1.943, 0.927, 0.796))
    rig = rigs.armature((rigs.Bone("upper", *ends[:2]), rigs.Bone("lower", *ends[1:], "upper")))
    chain = rigs.chain(rig, "lower", target=ends[2], pole=(-0.009, 1.179, -0.561), reference="POSE", bend="NEAREST")
    rigs.animate(chain.target, location={4: (1.983, 1.209, 1.18), 6: (-1.261, -0.607, -0.55)})
    animate_turns(rig, "lower", {1: (0.7, -0.3, 0.9), 6: (0.6, 0.8, -0.18)})
    assert not api.bake(rig, frames=(1, 6)).reached
    keeps_its_keys(rig, frames=(1, 6))


def test_nearest_keeps_its_sides_where_a_stretch_swings_the_limb() -> None:
    """A bone between lies aside, so that the way from root to mid joint turns on the root bone as that stretches."""
    ends = pairwise([(0, 0, 1), (0.245, 0.159, 0.992), (0.491, 0.318, 0.984), (0.465, -0.098, 0.573)])
    names = ("upper", "between", "lower")
    limb = [rigs.Bone(name, *both, above) for name, both, above in zip(names, ends, ("", *names), strict=False)]
    rig = rigs.armature([limb[0], limb[1]._replace(roll=1.87), limb[2]])
    fields = {"bend": "NEAREST", "reference": "POSE", "unreachable": "STRETCH", "root_bone": "upper"}
    chain = rigs.chain(rig, "lower", target=(0, 0, 0), **fields)
    rigs.animate(chain.target, location={5: (-0.281, 0.233, 1.351), 6: (1.559, -1.024, 1.651)})
    rig.data.bones["between"].inherit_scale = rig.data.bones["lower"].inherit_scale = "ALIGNED"
    rig.pose.bones["between"].rotation_quaternion = Euler((0.3, -0.5, -0.9)).to_quaternion()
    rig.pose.bones["lower"].location = (-0.1, -0.2, 0.151)
    animate_turns(rig, "lower", {1: (0.36, 0.6, 0.56), 3: (-0.85, 0.76, 0.7)})
    api.bake(rig, frames=(1, 7))
    keeps_its_keys(rig, frames=(1, 7))


def test_a_turned_hock_stays_where_the_leg_is_pinned() -> None:
    chain = leg("RIGID", reference="POSE", hock_angle=0.3, max_stretch=1.1)
    chain.pole_target, chain.pole_pin = rigs.empty("Pole", (0.6, -0.9, 0.8)), 1.0
    chain.id_data.pose.bones["toe"].location = (0.06, 0.0, -0.04)
    rigs.animate(chain.target, location={1: (0.1, 0.1, 0.3), 4: (0.3, 1.6, -0.9), 8: (-0.1, -2.5, 1.35)})
    api.bake(chain.id_data, frames=FRAMES)
    keeps_its_keys(chain.id_data)


def test_aligned_bones_on_a_rounded_rest_pose_do_not_drift() -> None:
    """A bone that points against its parent has a rest matrix that Blender rounds by 3e-5, which looks like scale."""
    ends = ((0.0, 0.0, 1.0), (0.019, 0.033, 0.609), (0.202, -0.266, 0.617))
    bones = (rigs.ARM[0], rigs.Bone("upper", *ends[:2], "spine"), rigs.Bone("lower", *ends[1:], "upper", roll=1.32))
    rig = rigs.armature(bones)
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    rig.pose.bones["lower"].rotation_quaternion = Euler((0.4, -0.8, 0.3)).to_quaternion()
    rigs.chain(rig, "lower", target=(0.8, 0.2, 1.0), reference="POSE")
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig, shown=(1,) * 10)


@pytest.mark.parametrize("inherit", ["ALIGNED", "NONE", "AVERAGE"])
def test_twist_bones_do_not_drift_below_uneven_scale(inherit: str) -> None:
    """Single precision would add up: in each bake their turns are gathered from the poses that the last one left."""
    ends = pairwise([(0.0, 0.0, 1.0), (0.2355, -0.116, 0.691), (0.471, -0.232, 0.382), (0.328, -0.068, -0.783)])
    names, rolls = ("upper", "line", "lower"), (2.38, -0.67, 2.58)
    limb = zip(names, ends, ("spine", *names), rolls, strict=False)
    rig = rigs.armature((rigs.ARM[0], *(rigs.Bone(name, *both, *rest) for name, both, *rest in limb)))
    rig.data.bones["line"].inherit_scale, rig.data.bones["lower"].inherit_scale = "ALIGNED", inherit
    rig.pose.bones["spine"].scale = (1.09, 1.03, 1.42)
    rig.pose.bones["line"].rotation_quaternion = Euler((-0.964, 0.309, -0.274)).to_quaternion()
    unreachable = "CLAMP" if inherit == "AVERAGE" else "STRETCH"
    chain = rigs.chain(
        rig, "lower", target=(0.3, -0.3, 0.9), root_bone="upper", use_twist=True, unreachable=unreachable
    )
    places = {2: (0.5, -0.2, 0.1), 3: (0.23, 0.36, 0.28), 4: (-0.4, 0.3, 1.1), 5: (0.1, 0.8, 1.4)}
    rigs.animate(chain.target, location={1: (0.3, -0.3, 0.9)} | places)
    api.bake(rig, frames=(1, 5))
    keeps_its_keys(rig, shown=(1,) * 5, frames=(1, 5))


def test_a_limb_starts_from_links_as_shown_below_uneven_scale() -> None:
    """Without the turns of its swung bone in line, an aligned bone that carries it has them elsewhere."""
    ends = pairwise([(0.0, 0.0, 1.0), (0.4115, -0.0295, 1.26), (0.823, -0.059, 1.521), (1.296, 0.341, 1.31)])
    limb = zip(("upper", "line", "lower"), ends, ("spine", "upper", "line"), strict=True)
    rig = rigs.armature((rigs.ARM[0], *(rigs.Bone(name, *both, parent) for name, both, parent in limb)))
    rig.data.bones["upper"].inherit_scale = "ALIGNED"
    rig.pose.bones["spine"].scale = (1.92, 1.7, 1.94)
    rig.pose.bones["line"].rotation_quaternion = Euler((0.6, 0.7, 0.9)).to_quaternion()
    rigs.chain(rig, "lower", target=(0.4, 0.0, 0.9), root_bone="upper", use_twist=True, reference="POSE")
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig, shown=(1,) * 10)


def test_a_leg_stays_that_stretches_straight_with_its_foot_aside() -> None:
    bones = (
        rigs.ARM[0],
        rigs.Bone("thigh", (-0.04, -0.04, 0.37), (-0.09, -0.07, -0.27), "spine"),
        rigs.Bone("shin", (-0.09, -0.07, -0.27), (-0.91, 0.03, -1.23), "thigh"),
        rigs.Bone("hock", (-0.91, 0.03, -1.23), (-0.85, -0.11, -1.38), "shin"),
        rigs.Bone("toe", (-0.93, -0.06, -1.31), (-0.93, 0.04, -1.31), "hock"),
    )
    chain = leg("RIGID", bones=bones, reference="POSE", unreachable="STRETCH", max_stretch=2.0)
    chain.id_data.data.bones["thigh"].inherit_scale = "ALIGNED"
    chain.target.animation_data_clear()
    chain.target.location = (-2.2, 1.9, 2.7)
    api.bake(chain.id_data, frames=FRAMES)
    keeps_its_keys(chain.id_data)


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_a_limb_that_swings_over_keeps_its_way(mode: str) -> None:
    """In a plane: past the way back, where the twist could go round either side, and to the opposite side."""
    chain = twisted.arm(plane="REST", reference="POSE", use_rotation=False)
    rig, around = chain.id_data, {1: 20, 3: 150, 5: 215, 7: 35, 9: 120, 10: 245, 12: 65}
    for name, angles in {"upper": (-0.8, 0.5, 0.3), "lower": (0.7, 0.6, -0.8)}.items():
        rig.pose.bones[name].rotation_euler = angles
        rig.pose.bones[name].rotation_quaternion = Euler(angles).to_quaternion()
        rig.pose.bones[name].rotation_mode = mode
    places = {frame: (1.7 * np.cos(np.radians(a)), 1.7 * np.sin(np.radians(a)), 1.1) for frame, a in around.items()}
    rigs.animate(chain.target, location=places)
    for curve in versions.curves(chain.target):
        for key in curve.keyframe_points:
            key.interpolation = "CONSTANT"
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig)


def keys(rig: Object) -> dict[tuple[str, int], np.ndarray]:
    """By path and index the values of all keys."""
    return {
        (curve.data_path, curve.array_index): np.array([point.co[:] for point in curve.keyframe_points])
        for curve in versions.curves(rig)
    }


def keeps_its_keys(rig: Object, shown: Sequence[int] = (1,), frames: tuple[float, ...] = FRAMES) -> None:
    """Bakes once more on each of these frames."""
    first = keys(rig)
    for frame in shown:
        bpy.context.scene.frame_set(frame)
        api.bake(rig, frames=frames)
        for path, values in keys(rig).items():
            # Keys are in single precision.
            np.testing.assert_allclose(values, first[path], atol=1e-6, err_msg=str(path))


@pytest.mark.parametrize(
    ("mode", "bend", "reference"),
    [
        *(("QUATERNION", "REST", "REST"), ("QUATERNION", "NEGATIVE", "POSE"), ("XYZ", "NEGATIVE", "REST")),
        *(("XYZ", "REST", "POSE"), ("ZXY", "REST", "POSE"), ("ZXY", "NEGATIVE", "REST")),
    ],
)
def test_a_second_bake_gives_the_same_keys(reference: str, bend: str, mode: str) -> None:
    rig = reaching_arm(mode, reference=reference, bend=bend)
    straight = api.bake(rig, frames=FRAMES).chains[0].sin_hinge < 1e-6
    assert straight.any()
    assert not straight.all()
    keeps_its_keys(rig, shown=(9, 40))


@pytest.mark.parametrize("fields", [{"unreachable": "STRETCH"}, {"pole_pin": 1.0}], ids=str)
def test_a_joint_beside_its_bone_stays_where_bones_stretch(fields: dict[str, object]) -> None:
    rig = reaching_arm("QUATERNION", reference="POSE", max_stretch=2.0, **fields)
    for bone in rig.data.bones[2:]:
        bone.inherit_scale = "ALIGNED"
    rig.pose.bones["lower"].location = (0.2, -0.1, 0.15)
    api.bake(rig, frames=FRAMES)
    assert any(path.endswith("scale") and np.ptp(values[:, 1]) > 0.1 for (path, _), values in keys(rig).items())
    keeps_its_keys(rig)


@pytest.mark.parametrize(
    ("target", "pole", "above", "turns"),
    [
        ((0.9, 1.9, -0.1), (0.1, 1.3, -1.7), (0.8, 0.7, 1.0), ((-0.3, 0.3, -0.2), (0.7, 0.1, 0.6), (0.7, -0.1, -0.7))),
        (
            (-0.1, 1.2, 0.7),
            (0.4, -1.4, -0.9),
            (1.1, 1.2, 0.5),
            ((-0.6, 0.7, 0.5), (0.9, -0.6, -0.1), (-0.7, -0.5, 0.1)),
        ),
    ],
)
def test_a_pinned_limb_below_uneven_scale_stays(
    target: Sequence[float], pole: Sequence[float], above: Sequence[float], turns: Sequence[Sequence[float]]
) -> None:
    """A bone between bends it; several lengths of its bones may fit, and the second bake begins with the last ones."""
    names, places = ("spine", "upper", "between", "lower"), [(0, 0, 1), (0.1, 0.24, 0.71), (0.2, 0.48, 0.43)]
    ends = pairwise([*places, (1.19, 0.19, -0.42)])
    limb = (rigs.Bone(name, *both, parent) for (parent, name), both in zip(pairwise(names), ends, strict=True))
    rig = rigs.armature((rigs.ARM[0], *limb))
    pinned = {"pole": pole, "pole_pin": 1.0, "max_stretch": 1.2}
    rigs.chain(rig, "lower", target=target, root_bone="upper", reference="POSE", **pinned)
    rig.data.bones["between"].inherit_scale = rig.data.bones["lower"].inherit_scale = "ALIGNED"
    rig.pose.bones["spine"].scale = above
    for name, angles in zip(names[1:], turns, strict=True):
        rig.pose.bones[name].rotation_quaternion = Euler(angles).to_quaternion()
    api.bake(rig, frames=FRAMES)
    keeps_its_keys(rig)

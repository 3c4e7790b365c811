"""Limbs that reach with the tail of their tip bone: the tail is on the target and the bone is turned as the target is.

The truth is read from what Blender evaluates: where the tail is, and how the bone's axes lie.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.solver import planar
from mathutils import Euler, Matrix, Quaternion, Vector

from support import rigs
from support.cranes import (
    CLOSE,
    CRANE,
    EVERY,
    FRAMES,
    LENGTHS,
    SIZE,
    assert_on_target,
    crane,
    off_target,
    played,
    with_joint,
)
from support.hocks import leg
from support.refused import refused
from support.truth import on_frame

RULES = ("FULL", "ALIGNED", "AVERAGE", "NONE", "FIX_SHEAR")
SCALES = ((1.5, 1.5, 1.5), (1.5, -1.5, 1.5), (2.0, 0.5, 1.0))


@pytest.mark.parametrize("seed", range(4))
def test_the_tail_is_on_its_target_turned_alike(seed: int) -> None:
    chain = crane(seed)
    report = api.bake(chain.id_data, frames=FRAMES)
    assert report.reached
    assert report.chains[0].measured.all()
    assert report.chains[0].miss.max() < CLOSE * SIZE
    assert_on_target(chain)


@pytest.mark.parametrize(
    ("inherit", "scale", "bone"),
    [
        *((rule, SCALES[row % 3], "") for row, rule in enumerate(RULES)),
        *((rule, SCALES[(row + 1) % 3], "") for row, rule in enumerate(RULES)),
        *((rule, (1.3, 1.2, 0.7), bone) for rule in RULES for bone in ("base", "jib")),
    ],
    ids=str,
)
def test_so_it_is_on_and_below_what_is_scaled_and_mirrored(inherit: str, scale: Sequence[float], bone: str) -> None:
    chain = crane(3, reach=0.6) if bone else crane(1, reach=0.7)
    rig = chain.id_data
    rig.rotation_euler = (0.3, 1.0, -0.4)
    (rig.pose.bones[bone] if bone else rig).scale = scale
    rig.data.bones["hook"].inherit_scale = inherit
    assert api.bake(rig, frames=FRAMES).reached
    assert_on_target(chain)


@pytest.mark.parametrize("scale", [(1.2, 1.7, 0.6), (0.7, -0.5, 1.0)], ids=str)
def test_a_scaled_tip_bone_reaches_with_its_tail_as_posed(scale: tuple[float, ...]) -> None:
    chain = crane(3, hook=abs(scale[1]))
    chain.id_data.pose.bones["hook"].scale = scale
    assert api.bake(chain.id_data, frames=FRAMES).reached
    assert_on_target(chain)


@pytest.mark.parametrize("inherit", ["ALIGNED", "AVERAGE", "NONE"])
@pytest.mark.parametrize("pole_pin", [0.0, 0.5])
def test_bones_stretch_and_are_pinned_until_the_tail_arrives(inherit: str, pole_pin: float) -> None:
    pole = rigs.empty("Pole", (0.3, 2.0, 3.0))
    chain = crane(2, reach=1.3, unreachable="STRETCH", max_stretch=3.0, pole_target=pole)
    chain.pole_pin = pole_pin
    chain.id_data.data.bones["jib"].inherit_scale = "ALIGNED"
    chain.id_data.data.bones["hook"].inherit_scale = inherit
    report = api.bake(chain.id_data, frames=FRAMES)
    assert report.reached
    assert report.chains[0].stretch.max() > 1.1
    assert_on_target(chain)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"softness": 0.4},
        {"influence": 0.5},
        {"use_bend_limits": True, "bend_min": 0.3, "bend_max": 1.5},
        {"plane": "REST"},
        {"bend": "NEAREST", "reference": "POSE"},
        {"unreachable": "HOLD"},
        {"unreachable": "SKIP"},
        {"use_twist": True, "use_extension_limit": True},
        {"pole": True, "pole_angle": 0.7, "pole_influence": 0.6},
    ],
    ids=str,
)
def test_it_is_posed_as_with_a_target_at_the_joint(options: dict[str, object]) -> None:
    if options.get("pole"):
        options = {**options, "pole_target": rigs.empty("Pole", (0.3, 2.0, 3.0))}
        del options["pole"]
    chain = crane(5, reach=1.2, **options)
    rig = chain.id_data
    rig.pose.bones["boom"].rotation_quaternion = (0.9, 0.2, -0.1, 0.3)
    before = played(rig)
    first = api.bake(rig, frames=FRAMES, new_action=True).chains[0]
    by_tail = played(rig)
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.rotation_quaternion = (0.9, 0.2, -0.1, 0.3) if bone.name == "boom" else (1, 0, 0, 0)
    with_joint(chain)
    second = api.bake(rig, frames=FRAMES, new_action=True).chains[0]
    np.testing.assert_allclose(by_tail, played(rig), atol=2.0 * CLOSE)
    np.testing.assert_array_equal(first.status, second.status)
    assert np.abs(by_tail - before).max() > 0.1


def test_too_far_is_said_of_the_joint_and_the_miss_of_the_tail() -> None:
    chain = crane(5, reach=1.4)
    told = api.bake(chain.id_data, frames=FRAMES).chains[0]
    root = Vector(CRANE[1].head)
    for row, frame in enumerate(EVERY):
        on_frame(frame)
        joint = chain.target.matrix_world @ Vector((0.0, -LENGTHS[2], 0.0))
        is_far = (joint - root).length > SIZE
        assert told.status[row] == (1 if is_far else 0)
        off, turned = off_target(chain)
        assert abs(told.miss[row] - off) < 2.0 * CLOSE
        assert abs(off - max((joint - root).length - SIZE, 0.0)) < 1e-5
        assert turned < 2.0 * CLOSE
    assert told.status.any()


def test_a_part_of_the_influence_is_told_by_where_the_tail_is() -> None:
    chain = crane(5, influence=0.5)
    told = api.bake(chain.id_data, frames=FRAMES).chains[0]
    for row, frame in enumerate(EVERY):
        on_frame(frame)
        assert abs(told.miss[row] - off_target(chain)[0]) < 2.0 * CLOSE
    assert told.miss.min() > 0.1


def test_an_error_names_the_distance_of_the_joint() -> None:
    chain = crane(5, reach=1.4, unreachable="ERROR")
    with pytest.raises(api.Refused, match="tail of its tip bone to its target") as refused:
        api.bake(chain.id_data, frames=FRAMES)
    frame = next(frame for frame in EVERY if f"frame {frame}:" in str(refused.value))
    on_frame(frame)
    joint = chain.target.matrix_world @ Vector((0.0, -LENGTHS[2], 0.0))
    assert abs(refused.value.value - (joint - Vector(CRANE[1].head)).length) < 1e-5


def test_in_plane_rest_these_are_three_links_with_a_direction() -> None:
    flat = (
        rigs.Bone("base", (0, 0, 0), (0, 0, 1)),
        rigs.Bone("boom", (0, 0, 1), (0.4, 0.0, 2.0), "base"),
        rigs.Bone("jib", (0.4, 0.0, 2.0), (1.2, 0.0, 1.9), "boom"),
        rigs.Bone("hook", (1.2, 0.0, 1.9), (1.3, 0.0, 1.5), "jib"),
    )
    rig, target, rng = rigs.armature(flat), rigs.empty("Target"), np.random.default_rng(4)
    lengths = np.array([(Vector(bone.tail) - Vector(bone.head)).length for bone in flat[1:]])
    angle = rng.uniform(-np.pi, np.pi, len(EVERY))
    aim, reach = rng.uniform(-np.pi, np.pi, len(EVERY)), rng.uniform(0.5, 0.9, len(EVERY)) * lengths[:2].sum()
    ends = reach[:, None] * _around(aim) + lengths[2] * _around(angle)
    turns = [_in_plane(Vector((x, 0.0, z))) for x, z in _around(angle)]
    places = {frame: (x, 0.0, 1.0 + z) for frame, (x, z) in zip(EVERY, ends, strict=True)}
    target.rotation_mode = "QUATERNION"
    rigs.animate(target, location=places, rotation_quaternion=dict(zip(EVERY, turns, strict=True)))
    chain = rigs.chain(rig, "jib", target=target, tip_bone="hook", use_rotation=True, reach_with="TAIL", plane="REST")
    assert api.bake(rig, frames=FRAMES).reached
    assert_on_target(chain, lengths.sum())
    poses = played(rig)
    both = planar.forward(lengths, planar.oriented(lengths, ends, angle))  # (n, 2, 3, 2)
    mid, tip = (poses[:, column, [0, 2], 3] - (0.0, 1.0) for column in (2, 3))
    off = np.abs(both[:, :, :2] - np.stack((mid, tip), axis=1)[:, None]).max(axis=(-1, -2))
    assert off.min(axis=-1).max() < 1e-5


def _around(angle: np.ndarray) -> np.ndarray:
    return np.stack((np.cos(angle), np.sin(angle)), axis=-1)


def _in_plane(y: Vector) -> Quaternion:
    """The rotation whose y axis this is, and whose x axis is that of the plane."""
    across = Vector((0.0, 1.0, 0.0))
    return Matrix((across, y, across.cross(y))).transposed().to_quaternion()


@pytest.mark.parametrize("hock", ["RIGID", "PARALLEL"])
@pytest.mark.parametrize("unreachable", ["CLAMP", "STRETCH"])
def test_the_toe_of_a_leg_with_a_hock_reaches_with_its_tail(hock: str, unreachable: str) -> None:
    chain = leg(hock, use_rotation=True, reach_with="TAIL", unreachable=unreachable, max_stretch=3.0)
    turns = {frame: Euler((0.5 * frame, 0.3, -0.2 * frame)) for frame in (1, 4, 8)}
    rigs.animate(chain.target, rotation_euler=turns)
    assert api.bake(chain.id_data, frames=(1, 8)).reached
    for frame in range(1, 9):
        on_frame(frame)
        off, turned = off_target(chain)
        assert off < 5.0 * CLOSE
        assert turned < 5.0 * CLOSE


def test_reduced_keys_hold_the_tail_within_their_tolerance() -> None:
    chain = crane(3)
    for curve in versions.curves(chain.target):
        for key in [*curve.keyframe_points][::-1]:
            if key.co.x not in (1, 6, 12):
                curve.keyframe_points.remove(key)
    report = api.bake(chain.id_data, frames=(1, 12), keys="REDUCED", tolerance=2e-3)
    assert report.chains[0].posed
    for row, frame in enumerate(EVERY):
        on_frame(frame)
        if report.chains[0].status[row] == 0:
            assert off_target(chain)[0] < 2e-3 + 5.0 * CLOSE


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"tip_bone": "", "use_rotation": False}, "set a Tip Bone, or Reach With to Joint"),
        ({"use_rotation": False}, "set Follow Rotation on"),
        ({"rotation_influence": 0.9}, "Rotation Influence to 1"),
        ({}, "Rotation Influence to 1 without keys"),
    ],
    ids=str,
)
def test_without_the_whole_rotation_it_is_refused(fields: dict[str, object], words: str) -> None:
    chain = crane(1)
    for name, value in fields.items():
        setattr(chain, name, value)
    if not fields:
        chain.id_data.pose.bones["jib"].keyframe_insert("two_bone_ik_rotation_influence", frame=1)
    with refused(match=words):
        api.bake(chain.id_data, frames=FRAMES)

"""Limbs that spread their twist: joints and hand as without, and each twist bone where its place puts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import compress, pairwise
from math import degrees, pi, radians, remainder
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from bpy.types import PoseBone
from mathutils import Matrix, Quaternion, Vector

from fuzz import build, changes, judge, oracle, state
from fuzz.acts import crowd, hock
from fuzz.build import RIG

CLOSE = 2e-3
"""Radians: single precision, four times as coarse where a bone swings by 150 degrees."""


BETWEEN = ("twist", "below")
"""Bones in line."""


def twist(random: Random, scene: dict) -> None:
    """38: the chain, at times a leg with a hock, spreads its twist over bones at the side and in line."""
    chain, bones = scene["chains"][0], scene["bones"]
    if random.random() < 0.25:
        hock.make_leg(random, scene)
    else:
        chain["tip"] = "hand"
        chain["fields"]["use_rotation"] = random.random() < 0.7
    chain["fields"]["use_twist"] = True
    if random.random() < 0.8:
        chain["fields"].pop("unreachable", None)
    add_twist_bones(random, scene)
    set_shares(random, scene)
    if random.random() < 0.25 or chain["fields"].get("unreachable") == "STRETCH":
        chain["fields"]["unreachable"] = "STRETCH"
        for name in [name for name in bones if name not in {"spine", "upper"}]:
            # What lies between has to pass on the stretch.
            bones[name]["inherit_scale"] = random.choice(["ALIGNED"] if name in BETWEEN else ["NONE", "ALIGNED"])
    if random.random() < 0.6:
        scene["request"] = {"what": "bake_twist", "frames": random.choice([[1, 6], [-2, 9], [1, 4, 0.5]])}
    crowd.or_live(random, scene)
    # Live goes on from the pose as it is, which tells few whole turns apart.
    speed = random.choice([0.3, 0.7, 1.2, 1.9, 2.6]) * (0.1 if scene["request"]["what"] in {"live", "crowd"} else 1.0)
    which, still = random.randrange(3), [random.uniform(-1, 1) for _ in "xyz"]
    turns = {frame: [*still[:which], speed * frame, *still[which + 1 :]] for frame in range(-3, 13)}
    scene["objects"]["Target"]["turns"] = turns


def add_twist_bones(random: Random, scene: dict) -> None:
    """Bones at the side of both bones of the limb, and at times one in line below."""
    chain, bones, poses = scene["chains"][0], scene["bones"], scene["poses"]
    joints = {name: bones[name]["head"] for name in ("upper", "lower", "hand")}
    ends = {"upper": ("upper", "lower"), "lower": ("lower", "hand")}
    for carrier in ("upper", "lower"):
        start, end = (Vector(joints[name]) for name in ends[carrier])
        for number in range(random.choice([0, 1, 2])):
            head = start.lerp(end, random.uniform(0.0, 1.0))
            tail = head + 0.1 * (end - start) + Vector([random.uniform(-0.03, 0.03) for _ in "xyz"])
            rest = {"head": [*head], "tail": [*tail], "roll": round(random.uniform(-3, 3), 2), "parent": carrier}
            bones[f"{carrier} turn {number}"] = rest
            if random.random() < 0.3:
                mode = random.choice(["XYZ", "ZXY", "AXIS_ANGLE"])
                poses[f"{carrier} turn {number}"] = {"mode": mode, "rotation": [0.3, 0.5, -0.2]}
    if random.random() < 0.3:
        head = Vector(joints["lower"]).lerp(Vector(joints["hand"]), random.uniform(0.2, 0.8))
        bones["hand"] |= {"parent": "below", "connect": False}
        after = {name: bones.pop(name) for name in [*bones][[*bones].index("hand") :]}
        bones |= {"below": {"head": [*head], "tail": joints["hand"], "parent": "lower"}, **after}
    if "twist" in bones:
        # Quite in line, or it would turn about a line of its own.
        middle = [*Vector(joints["upper"]).lerp(Vector(joints["lower"]), 0.5)]
        bones["twist"]["head"] = bones["upper"]["tail"] = middle
        chain["root"] = "upper"
    for name in BETWEEN:
        poses.get(name, {}).pop("location", None)


def set_shares(random: Random, scene: dict) -> None:
    """By hand, some with keys."""
    poses = scene["poses"]
    for name in [name for name in scene["bones"] if " turn " in name or name in BETWEEN]:
        if random.random() < 0.15:
            poses.setdefault(name, {})["share"] = round(random.uniform(-1.0, 1.0), 2)
        elif random.random() < 0.15:
            shares = {1: round(random.uniform(0.0, 1.0), 2), 5: round(random.uniform(0.0, 1.0), 2)}
            pose = poses.setdefault(name, {})
            pose["keys"] = {**pose.get("keys", {}), "share": shares}


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Baked, and baked again; then compared with the places of the bones, and with a bake without the option."""
    rig = bpy.data.objects[RIG]
    report = api.bake(rig, **judge.arguments(request), measure="ALL")
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from judge.truth(report, request, told)
    if not report.posed and "handler" not in scene:
        told.append("not posed so")
    chain, fields = report.chains[0], scene["chains"][0]["fields"]
    if told or len(report.chains) > 1 or "handler" in scene or fields.get("unreachable") in {"SKIP", "ERROR"}:
        return
    frames = chain.frames
    poses, shares, is_right = _shown(frames)
    rest = {bone.name: bone.matrix_local.copy() for bone in rig.data.bones}
    if not set(fields) & {"influence", "reference", "use_extension_limit"} and fields.get("bend") != "NEAREST":
        api.bake(rig, **judge.arguments(request))
        pairs = [(old[name], new[name]) for old, new in zip(poses, _shown(frames)[0], strict=True) for name in old]
        off = max(apart(*(matrix.to_quaternion() for matrix in pair)) for pair in pairs)
        if is_right and off > CLOSE:
            yield f"a second bake gives another pose: by {degrees(off):.4g} degrees"
    chain, without = _without(scene, frames, request)
    # The hock in the bake without the option, as the angles of twist bones hide those of the triangle.
    yield from hock.faults(chain, fields) if "hock_bone" in fields else ()
    own = [scene["poses"].get(name, {}) for name in ("twist", "below")]
    if any("rotation" in pose or "rotation" in pose.get("keys", {}) for pose in own):
        return  # what of that is swing is the bone's own
    if "twist" in scene["bones"] and any(is_uneven(scene["poses"].get(name, {})) for name in ("upper", "twist")):
        return  # the turn of the bone in line changes the limb's lengths, as the manual says
    if chain.degenerate.any() and not oracle.Limb.of(chain.name).is_rigid(bpy.data.objects[RIG]):
        return  # with the target on the root any direction is as good, and each gives other lengths
    yield from _other_faults(poses, without, frames, sum(scene["lengths"]))
    moved = any("location" in {*pose, *pose.get("keys", {})} for pose in scene["poses"].values())
    if is_right and "influence" not in fields and not moved and "edit" not in scene:
        for upper in (True, False):
            in_line = upper or "hock_bone" not in fields
            yield from _spread_faults(poses, without, shares, rest, upper=upper, in_line=in_line)
        yield from _live_faults(scene, report.chains[0], poses, without, rest)


def _shown(frames: Sequence[float]) -> tuple[list[dict[str, Matrix]], list[dict[str, float]], bool]:
    """Orientation and place of all bones and their shares, as evaluated; and whether all are rotations from rest."""
    poses, shares, is_right = [], [], True
    for frame in frames:
        oracle.on_frame(float(frame))
        bones = bpy.data.objects[RIG].evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        is_right &= all(map(_is_right, bones))
        poses.append({bone.name: Matrix.Translation(bone.head) @ _axes(bone).to_4x4() for bone in bones})
        shares.append({bone.name: bone.two_bone_ik_twist for bone in bones})
    return poses, shares, is_right


def _axes(bone: PoseBone) -> Matrix:
    """(3, 3) the directions of its axes, however they are scaled; none where it is flat, which rounding would give."""
    return Matrix.Diagonal((0.0, 0.0, 0.0)) if oracle.is_flat(bone.matrix) else bone.matrix.to_3x3().normalized()


def _is_right(bone: PoseBone) -> bool:
    """Whether it turns with its parent, and its axes stand at right angles, none mirrored."""
    axes = np.array(_axes(bone))
    is_turned = np.allclose(axes.T @ axes, np.eye(3), atol=1e-4) and np.linalg.det(axes) > 0.0
    return is_turned and bone.bone.use_inherit_rotation


def _above_root() -> str:
    """The bone that carries the root bone; its name may have quotes."""
    return bpy.data.objects[RIG].data.bones["upper"].parent.name


def _turns(poses: Sequence[Mapping], rest: Mapping, carrier: str, bone: str) -> list[Quaternion]:
    """From rest, against what carries it, in the space of that."""
    at_rest = (rest[carrier].inverted() @ rest[bone]).inverted()
    return [(pose[carrier].inverted_safe() @ pose[bone] @ at_rest).to_quaternion() for pose in poses]


def _angles(poses: Sequence[Mapping], rest: Mapping, *, upper: bool) -> list[float] | None:
    """Radians by which root bone or hand is twisted against what carries it, as `_twist` gives them."""
    start, end = ("upper", "lower") if upper else ("lower", "hand")
    carrier, turned = (_above_root(), "upper") if upper else ("lower", "hand")
    line = rest[end].translation - rest[start].translation
    return _twist(_turns(poses, rest, carrier, turned), rest[carrier].to_3x3().inverted() @ line)


def _live_faults(
    scene: Mapping, report: object, poses: Sequence[Mapping], without: Sequence[Mapping], rest: Mapping
) -> Iterator[str]:
    """Bones that Live twists otherwise, frame after frame, than the bake has, where it poses the same limb."""
    frames = report.frames
    # Live does not know the frames that come.
    if report.undecided_twist.any() or not all(_angles(without, rest, upper=upper) for upper in (True, False)):
        return
    build.clear()
    build.build(scene)
    build.show_all()
    oracle.on_frame(float(frames[0]))
    bpy.data.objects[RIG].two_bone_ik_live = True
    bpy.context.view_layer.update()
    for frame, pose, live in zip(frames, poses, _shown(frames)[0], strict=True):
        off = {name: apart(pose[name].to_quaternion(), live[name].to_quaternion()) for name in pose}
        if max(off["lower"], off["hand"]) > CLOSE:
            return
        if max(off.values()) > CLOSE:
            yield f"live twists otherwise: by {degrees(max(off.values())):.4g} degrees on frame {frame:g}"
            return


def _spread_faults(
    poses: Sequence[Mapping],
    without: Sequence[Mapping],
    shares: Sequence[Mapping],
    rest: Mapping,
    *,
    upper: bool,
    in_line: bool,
) -> Iterator[str]:
    """Bones that have another part of the twist of a half than is theirs.

    without : the poses before it was spread
    in_line : whether bones in line take part
    """
    start, end = ("upper", "lower") if upper else ("lower", "hand")
    line = rest[end].translation - rest[start].translation
    between = {True: "twist", False: "below"}[upper]
    between = between if in_line and between in rest else ""
    angles = _angles(without, rest, upper=upper)
    if angles is None:
        return
    parts = {}
    for name in rest:
        if name.startswith(f"{start} turn") or name == between:
            place = (rest[name].translation - rest[start].translation).dot(line) / line.length_squared
            by_place = 1.0 if upper and name == between else place
            own = np.array([by_place if frame[name] < 0.0 else frame[name] for frame in shares])
            parts[name] = own - (1.0 if upper and not between else 0.0)
    axis = (rest[start].to_3x3().inverted() @ line).normalized()
    found = {name: _turns(poses, rest, start, name) for name in parts}

    def off(whole: int) -> float:
        """Radians by which a bone is off at most, if the first frame is so many whole turns farther."""
        pairs = (
            (Quaternion(axis, (angle + 2 * pi * whole) * part), turn)
            for name, part_of in parts.items()
            for angle, part, turn in zip(angles, part_of, found[name], strict=True)
        )
        return max((apart(expected, turn) for expected, turn in pairs), default=0.0)

    least = min(map(off, range(-2, 3)))
    if least > CLOSE:
        yield f"twist not spread: {'above' if upper else 'below'} a bone is {degrees(least):.4g} degrees off"
    root = _angles(poses, rest, upper=upper)
    if upper and between and root:
        carrier = _above_root()
        across = (rest[carrier].to_3x3().inverted() @ line).normalized()
        # Between frames that decide it, what is followed of the root bone goes evenly, whatever the shares do there.
        decided = [degrees(_swing(turn, across)) < 150 for turn in _turns(poses, rest, carrier, "upper")]

        def off_root(whole: int) -> float:
            """The same of the root bone, which keeps what the share of the bone in line leaves."""
            rows = compress(zip(root, angles, parts[between], strict=True), decided)
            return max(
                abs(remainder(one - (angle + 2 * pi * whole) * (1.0 - part), 2 * pi)) for one, angle, part in rows
            )

        most = min(map(off_root, range(-2, 3)))
        if most > CLOSE:
            yield f"root bone keeps another part of its twist: by {degrees(most):.4g} degrees"


def _turned(pose: Matrix) -> Quaternion:
    """The rotation that y, and the plane of x and y, tell: no keys take away the angle of x and y on a sheared bone."""
    x, y, _ = pose.to_3x3().col
    z = x.cross(y).normalized()
    return Matrix((y.cross(z), y, z)).transposed().to_quaternion()


def apart(one: Quaternion, other: Quaternion) -> float:
    """Radians from one rotation to the other."""
    turn = one.inverted() @ other
    return 2.0 * float(np.arctan2(Vector(turn[1:]).length, abs(turn.w)))


def _twist(turns: Sequence[Quaternion], line: Vector) -> list[float] | None:
    """Radians about the line, followed from frame to frame; None where a step or a swing is hard to judge."""
    axis = line.normalized()
    parts = [(turn.w, Vector(turn[1:]).dot(axis)) for turn in turns]
    swings = [_swing(turn, axis) for turn in turns]
    between = [max(_swing(one.slerp(other, part / 16), axis) for part in range(17)) for one, other in pairwise(turns)]
    if any(abs(degrees(swing) - 150) < 2 for swing in (*swings, *between)):
        return None
    if any(apart(one, other) > radians(165) for one, other in pairwise(turns)):
        return None
    decided = [row for row, swing in enumerate(swings) if degrees(swing) < 150]
    if not decided:
        return None
    halves = [float(np.arctan2(along, w)) for w, along in parts]
    angles = {decided[0]: 2 * halves[decided[0]]}
    for one, other in pairwise(decided):
        # By the shorter way between the quaternions, but where that or a frame swings too far, by the shorter turn.
        step, followed = 2 * (halves[other] - halves[one]), other == one + 1 and degrees(between[one]) < 150
        period = 4 * pi if followed else 2 * pi
        step += 2 * pi if followed and turns[one].dot(turns[other]) < 0 else 0.0
        angles[other] = angles[one] + step - period * round(step / period)
    return [float(np.interp(row, decided, [angles[each] for each in decided])) for row in range(len(turns))]


def _swing(turn: Quaternion, axis: Vector) -> float:
    along = Vector(turn[1:]).dot(axis)
    return 2 * float(np.arctan2((Vector(turn[1:]) - along * axis).length, np.hypot(turn.w, along)))


def is_uneven(pose: Mapping) -> bool:
    """True of scale that is another along another axis, signs aside, by keys as well."""
    scales = (pose.get("scale", ()), *pose.get("keys", {}).get("scale", {}).values())
    return any(len({*map(abs, scale)}) > 1 for scale in scales)


def within_half_a_turn(frame: float) -> float:
    """Radians by which bones at the side are off their shares of the twist that shows, taken as at most half a turn."""
    [pose], _, is_right = _shown([frame])
    rest = {bone.name: bone.matrix_local.copy() for bone in bpy.data.objects[RIG].data.bones}
    # What carries the root bone, if only the armature.
    above = bpy.data.objects[RIG].data.bones["upper"].parent
    for poses in (rest, pose):
        poses[""] = poses[above.name] if above else Matrix()
    most = 0.0
    for start, end, carrier, turned in (("upper", "lower", "", "upper"), ("lower", "hand", "lower", "hand")):
        line = rest[end].translation - rest[start].translation
        [turn] = _turns([pose], rest, carrier, turned)
        w, along = turn.w, Vector(turn[1:]).dot((rest[carrier].to_3x3().inverted() @ line).normalized())
        half = float(np.arctan2(along, w) if w >= 0.0 else np.arctan2(-along, -w))
        # Beside half a turn either side will do.
        sides = [half, half - pi, half + pi] if abs(w) < CLOSE else [half]
        for name in (name for name in rest if name.startswith(f"{start} turn")):
            place = (rest[name].translation - rest[start].translation).dot(line) / line.length_squared
            axis = (rest[start].to_3x3().inverted() @ line).normalized()
            part = place - (1.0 if start == "upper" else 0.0)
            [found] = _turns([pose], rest, start, name)
            most = max(most, min(apart(Quaternion(axis, 2.0 * side * part), found) for side in sides))
    return most if is_right else 0.0


def _without(scene: Mapping, frames: Sequence[float], request: Mapping) -> tuple[object, list[dict[str, Matrix]]]:
    """The report on the chain and the poses of a bake without the option."""
    other = deepcopy(dict(scene))
    other["chains"][0]["fields"].pop("use_twist")
    build.clear()
    build.build(other)
    [chain] = api.bake(bpy.data.objects[RIG], **judge.arguments(request)).chains
    build.show_all()
    return chain, _shown(frames)[0]


def _other_faults(
    poses: Sequence[Mapping], without: Sequence[Mapping], frames: Sequence[float], size: float
) -> Iterator[str]:
    """Where end bone and hand are otherwise than in a bake without the option."""
    for frame, pose, other in zip(frames, poses, without, strict=True):
        for name in [name for name in ("lower", "hand", "toe") if name in pose]:
            if any(oracle.is_flat(pose[part]) for part in ("upper", "twist", name) if part in pose):
                # Twist of a bone in line changes the link of a flat one, and rounding turns what hangs on it.
                break
            largest = max(abs(part) for part in (*pose[name].translation, size))
            off = (pose[name].translation - other[name].translation).length
            turn = apart(_turned(pose[name]), _turned(other[name]))
            if off > 2e-5 * largest or turn > 2e-4:
                yield f"other pose of {name}: off by {off:.4g}, turned by {turn:.4g}, on frame {frame:g}"
                return

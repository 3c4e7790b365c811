"""Live: after each edit the limbs show what their chains say, whatever was edited."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import build, judge, oracle, state
from fuzz.acts.create import all_shown
from fuzz.build import RIG

_FIELDS = {
    "bend": ["REST", "POSITIVE", "NEGATIVE"],
    "plane": ["AUTO", "AIM", "REST"],
    "reference": ["REST", "POSE"],
    "hinge_axis": ["AUTO", "X", "Z", "NEG_X"],
    "influence": [1.0, 0.5, 0.0],
    "softness": [0.0, 0.3],
    "pole_angle": [0.0, 1.0],
    "unreachable": ["CLAMP", "SKIP", "STRETCH"],
    "pole_pin": [0.0, 1.0],
    "use_bend_limits": [True, False],
    "use_twist": [True, False],
}

_OTHER_KEYS = [
    {"location": {1: [0.0, 0.0, 0.0], 5: [0.1, 0.2, -0.1]}},
    {"scale": {1: [1.0, 1.0, 1.0], 5: [1.3, 1.3, 1.3]}},
    {"scale": {3: [1.0, 1.0, 1.0]}},
]
"""They say nothing of a bone's rotation."""


def live(random: Random, scene: dict) -> None:
    """29: edits of all kinds while Live is on."""
    all_shown(scene)
    if random.random() < 0.5:
        for item in (*scene["objects"].values(), *scene["poses"].values()):
            item.pop("keys", None)
    edits = [random.choice(_DRAWN)(random, scene) for _ in range(random.randint(2, 6))]
    if random.random() < 0.2:
        pose = scene["poses"].setdefault(random.choice(["upper", "lower"]), {})
        pose["keys"] = {**pose.get("keys", {}), **random.choice(_OTHER_KEYS)}
        scene["chains"][0]["fields"] |= random.choice([{}, {"influence": 0.5}, {"reference": "POSE"}])
        edits.append(_frames(random, scene))
    scene["request"] = {"what": "live", "edits": edits}


def _place(random: Random, scene: dict) -> dict:
    reach = sum(scene["lengths"])
    return {
        "edit": "target",
        "near": [round(a + random.uniform(-0.6, 0.6) * reach, 3) for a in scene["bones"]["upper"]["head"]],
    }


def _bone(random: Random, scene: dict) -> dict:
    turn = [round(random.uniform(-1, 1), 2) for _ in "xyz"]
    return {"edit": "bone", "bone": random.choice(list(scene["bones"])), "rotation": turn}


def _frame(random: Random, _: dict) -> dict:
    return {"edit": "frame", "frame": random.choice([1, 3, 5, 2.5])}


def _frames(random: Random, _: dict) -> dict:
    return {"edit": "frames", "frames": [random.choice([1, 2, 3, 4, 5, 6, 17, -3, 2.5]) for _ in range(8)]}


def _untold(random: Random, _: dict) -> dict:
    """An edit of keys by a script that changes the frame at once."""
    return {"edit": "untold", "by": round(random.uniform(-0.3, 0.3), 3), "frame": random.choice([1, 3, 4])}


def _field(random: Random, _: dict) -> dict:
    name = random.choice(list(_FIELDS))
    return {"edit": "field", "name": name, "value": random.choice(_FIELDS[name])}


def _share(random: Random, scene: dict) -> dict:
    return {"edit": "share", "bone": random.choice(list(scene["bones"])), "share": random.choice([-1.0, 0.0, 0.4, 1.0])}


def _switched(random: Random, _: dict) -> dict:
    return {"edit": random.choice(["mute", "live", "solve", "bake", "again"])}


def _scaled(random: Random, scene: dict) -> dict:
    bone = random.choice(list(scene["bones"]))
    return {
        "edit": "scale",
        "bone": bone,
        "size": random.choice([[1.5] * 3, [1.0, 0.5, 1.2], [1.0] * 3, [-1.0, 1.0, 1.0]]),
    }


def _nowhere(random: Random, _: dict) -> dict:
    return {"edit": "nowhere", "place": random.choice(["nan", "inf"])}


_DRAWN = [
    _place,
    _place,
    _place,
    _bone,
    _frame,
    _field,
    _field,
    _share,
    _switched,
    _scaled,
    _nowhere,
    _frames,
    _frames,
    _untold,
]


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Live on, and one edit after the other."""
    rig = bpy.data.objects[RIG]
    rig.two_bone_ik_live = True
    bpy.context.view_layer.update()
    was_finite = _is_finite(rig)
    for number, edit in enumerate(request["edits"]):
        given = dict(edit)
        what = given.pop("edit")
        if what == "frames":
            yield from _in_any_order(rig, given["frames"], f"in edit {number}")
            continue
        try:
            _EDITS[what](rig, **given)
        except api.Refused:
            told.append("refused later")
        bpy.context.view_layer.update()
        if was_finite and not _is_finite(rig):
            yield f"not finite: a bone after {edit}"
        yield from _shown(rig, scene, told, f"after edit {number}, {what}")
    if rig.two_bone_ik_live:
        rig.two_bone_ik_live = False
        bpy.context.view_layer.update()


def _in_any_order(rig: bpy.types.Object, frames: list[float], where: str) -> Iterator[str]:
    """What shows on a frame is what Live shows where it reads all anew, and what Solve gives; bones have what is
    evaluated. Joints are where Live had them before on this frame.
    """
    live = rig.two_bone_ik_live and all(chain.unreachable != "SKIP" for chain in rig.two_bone_ik_chains)
    limbs = [oracle.Limb.of(chain.name) for chain in rig.two_bone_ik_chains if not chain.mute and chain.target]
    seen: dict[float, list[np.ndarray]] = {}
    for frame in frames:
        found = []
        for way in (contextlib.nullcontext, _handled):
            with way():
                oracle.on_frame(frame)
                found.append([limb.shown() for limb in limbs])
                yield from _as_evaluated(rig, limbs, f"{where}, frame {frame}")
        is_solved = False
        with contextlib.suppress(api.Refused):
            api.solve(rig)
            is_solved = True
            bpy.context.view_layer.update()
        found.append([limb.shown() for limb in limbs])
        for limb, first, after, solved, before in zip(limbs, *found, seen.setdefault(frame, found[1]), strict=True):
            goal = limb.aim()  # which may be nowhere
            place = goal if np.isfinite(goal).all() else after[2]
            slack = np.nan_to_num(4.0 * oracle.resolution(limb, after[:3], place))
            # Whole turns of a twist may be others. Where a target is nowhere, what was posed last goes on.
            others = {"a single solve": solved, "live": first} | ({"live before": before[:3]} if is_solved else {})
            for way, joints in others.items():
                if not live or not np.isfinite([*joints, *after]).all():
                    continue
                off = np.abs(joints - after[: len(joints)]).max()
                if not off <= slack:
                    yield f"{way} differs: {off:.4g} of {limb.end} {where}, frame {frame}"


@contextlib.contextmanager
def _handled() -> Iterator[None]:
    """While it is open, there is a handler of another extension, which might change anything."""
    bpy.app.handlers.frame_change_post.append(_other)
    try:
        yield
    finally:
        bpy.app.handlers.frame_change_post.remove(_other)


def _other(*_: object) -> None:
    """Changes nothing."""


def _as_evaluated(rig: bpy.types.Object, limbs: list[oracle.Limb], where: str) -> Iterator[str]:
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    for name in {name for limb in limbs for name in limb.keyed()}:
        own, evaluated = (np.array(item.pose.bones[name].matrix_basis) for item in (rig, shown))
        if not np.array_equal(own, evaluated, equal_nan=True):
            yield f"bone {name} is not as it is evaluated, {where}"


def _is_finite(rig: bpy.types.Object) -> bool:
    names = ("location", "scale", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")
    return all(np.isfinite(getattr(bone, name)[:]).all() for bone in rig.pose.bones for name in names)


def _shown(rig: bpy.types.Object, scene: Mapping, told: list[str], where: str) -> Iterator[str]:
    """Of each chain that is live: its tip is as far off its target as geometry demands, or as Check says."""
    if not rig.two_bone_ik_live or any("constraints" in pose for pose in scene["poses"].values()):
        return
    muted = any(pose.get("muted") or "driver" in pose for pose in scene["poses"].values())
    chains = [chain for chain in rig.two_bone_ik_chains if not chain.mute and chain.target]
    bones = [name for chain in chains for name in oracle.Limb.of(chain.name).keyed()]
    if muted or len(bones) != len(set(bones)) or len(chains) > 1:
        return
    for chain in chains:
        limb = oracle.Limb.of(chain.name)
        joints, goal = limb.joints(), limb.aim()
        if limb.fields["unreachable"] in {"SKIP", "HOLD", "ERROR"} or not (
            np.isfinite(joints).all() and np.isfinite(goal).all()
        ):
            continue
        slack, off = oracle.resolution(limb, joints, goal), float(np.linalg.norm(joints[2] - goal))
        if limb.plain and not limb.is_flat():  # lengths that are next to nothing bound nothing
            (low, high), distance = limb.links(), float(np.linalg.norm(goal - joints[0]))
            least = max(distance - low.sum(), high[0] - low[1] - distance, high[1] - low[0] - distance, 0.0)
            if off > least + slack and not _is_refused(rig, chain.name):
                yield f"live falls short: {off:.4g} where {least:.4g} can be, {where}"
        if not any(item.animation_data for item in bpy.data.objects):  # keys would take edits back
            yield from _as_checked(rig, limb, chain.name, off, slack, where)


def _is_refused(rig: bpy.types.Object, name: str) -> bool:
    """Whether the chain can be posed by nothing as the scene stands, as with a pole that lies nowhere.

    Solve tells, which takes what has moved beside its keys as it stands.
    """
    try:
        api.solve(rig, [name])
    except api.Refused:
        return True
    return False


def _as_checked(
    rig: bpy.types.Object, limb: oracle.Limb, name: str, off: float, slack: float, where: str
) -> Iterator[str]:
    """Check says of this frame what shows."""
    frame = bpy.context.scene.frame_current_final
    here = limb.joints()
    if limb.is_flat():
        return  # only rounding decides how it turns
    try:
        report = api.check(rig, [name], frames=(frame, frame), sampling="SCENE")
    except api.Refused:
        return
    if not judge.undisturbed(report):
        return
    miss = float(report.chains[0].miss[0])
    if abs(miss - off) > 2 * slack and not report.chains[0].misposed[0]:
        yield f"live differs from check: {off:.4g} where {miss:.4g} is told, {where}"
    if np.linalg.norm(limb.joints() - here, axis=-1).max() > slack:
        yield f"check moves the limb: {where}"


def _to(rig: bpy.types.Object, near: list[float]) -> None:
    target = rig.two_bone_ik_chains[0].target
    target.location = rig.matrix_world @ build.Vector(near)


def _turn(rig: bpy.types.Object, bone: str, rotation: list[float]) -> None:
    build.set_pose(rig.pose.bones[bone], "rotation", rotation)


def _set_share(rig: bpy.types.Object, bone: str, share: float) -> None:
    rig.pose.bones[bone].two_bone_ik_twist = share


def _go(_: bpy.types.Object, frame: float) -> None:
    oracle.on_frame(frame)


def _set(rig: bpy.types.Object, name: str, value: object) -> None:
    setattr(rig.two_bone_ik_chains[0], name, value)


def _mute(rig: bpy.types.Object) -> None:
    rig.two_bone_ik_chains[0].mute = not rig.two_bone_ik_chains[0].mute


def _live(rig: bpy.types.Object) -> None:
    rig.two_bone_ik_live = not rig.two_bone_ik_live


def _bake(rig: bpy.types.Object) -> None:
    api.bake(rig, frames=(1, 5))


def _scale(rig: bpy.types.Object, bone: str, size: list[float]) -> None:
    rig.pose.bones[bone].scale = size


def _rekey(rig: bpy.types.Object, by: float, frame: float) -> None:
    action = (animation := rig.two_bone_ik_chains[0].target.animation_data) and animation.action
    for curve in state.curves(action) if action else ():
        for key in curve.keyframe_points:
            key.co_ui.y += by
        curve.update()
    oracle.on_frame(frame)


def _lost(rig: bpy.types.Object, place: str) -> None:
    target = rig.two_bone_ik_chains[0].target
    before = target.location.copy()
    target.location.y = float(place)
    bpy.context.view_layer.update()
    target.location = before


_EDITS: dict[str, Callable] = {
    "target": _to,
    "bone": _turn,
    "frame": _go,
    "field": _set,
    "share": _set_share,
    "mute": _mute,
    "live": _live,
    "solve": lambda rig: api.solve(rig),
    "bake": _bake,
    "again": lambda _: oracle.on_frame(bpy.context.scene.frame_current_final),
    "scale": _scale,
    "nowhere": _lost,
    "untold": _rekey,
}

"""Hold: a target that stays where it is, in the world or on something that moves; updated, overlapped, removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import build, changes, judge, oracle, state
from fuzz.build import RIG

DRIFT = 2e-4
"""Of the limb's size, and as much again for each unit by which a prop is scaled."""


def hold(random: Random, scene: dict) -> None:
    """26: targets are held to the world, an object or a bone; holds overlap, are updated and removed."""
    reach = sum(scene["lengths"])
    target = scene["objects"]["Target"]
    near = target.get("near", scene["bones"]["upper"]["head"])
    frames = sorted(random.sample(range(1, 25), random.randint(2, 6)))
    if random.random() < 0.85:
        target["keys"] = {frame: _near(random, near, 0.3 * reach) for frame in frames}
        if random.random() < 0.5:
            target["turns"] = {frame: _angles(random) for frame in frames}
    else:
        target.pop("keys", None)
    cup = {"near": _near(random, near, 0.3 * reach)}
    if random.random() < 0.7:
        moved = sorted(random.sample(range(1, 25), 3))
        cup["keys"] = {frame: _near(random, cup["near"], 0.3 * reach) for frame in moved}
        cup["turns"] = {frame: _angles(random) for frame in moved}
    scene["objects"]["Cup"] = cup
    first = _hold(random)
    rest = [
        random.choice([_hold, _update, _move, _mute, _remove])(random) for _ in range(random.choice([0, 1, 1, 2, 3]))
    ]
    scene["request"] = {"what": "hold", "acts": [first, *rest]}
    if scene["rig"].get("scale") == [1.0, 1.0, 1.5]:
        del scene["rig"]["scale"]  # a hold to a sheared space keeps no orientation


def _near(random: Random, place: Sequence[float], size: float) -> list[float]:
    return [round(part + random.uniform(-size, size), 3) for part in place]


def _angles(random: Random) -> list[float]:
    return [round(random.uniform(-1, 1), 2) for _ in "xyz"]


def _hold(random: Random) -> dict:
    start = random.choice([6, 8, 12, 12.5, 3.25, 20])
    end = start + random.choice([0, 1, 4, 7, 4.5])
    act = {"act": "hold", "frames": [start, end], "space": random.choice(["", "Cup", "spine"])}
    act["ease"] = random.choice([[4, 4], [4, 4], [0, 0], [2, 0.5], [30, 1]])
    if random.random() < 0.3:
        act["at"] = round(random.uniform(start, end), 2) if random.random() < 0.5 else end
    if random.random() < 0.3:
        act["rotation"] = False
    return act


def _update(_: Random) -> dict:
    return {"act": "update"}


def _move(random: Random) -> dict:
    return {"act": "move", "by": [round(random.uniform(-0.3, 0.3), 2) for _ in "xyz"]}


def _mute(random: Random) -> dict:
    return {"act": "mute", "then": random.choice(["update", "check", "hold"])}


def _remove(_: Random) -> dict:
    return {"act": "remove"}


class _Watch:
    """Target, cup and spine in the world on all frames, before anything was held, and what is held since."""

    def __init__(self, scene: Mapping) -> None:
        self.scene = scene
        whole = np.arange(-24.0, 50.0, 3.0)
        acts = [act for act in scene["request"]["acts"] if act["act"] == "hold"]
        borders = [frame for act in acts for frame in (*act["frames"], act.get("at", act["frames"][0]))]
        inside = [frame for act in acts for frame in np.arange(np.ceil(act["frames"][0]), act["frames"][1] + 1e-6)]
        self.frames = np.unique(np.round([*whole, *borders, *inside], 4))
        self.first = self.sampled()
        self.now = self.first
        self.spans: list[tuple[float, float]] = []
        self.last: dict | None = None
        self.moved = False
        self.report: api.Report | None = None
        self.size = sum(scene["lengths"]) * max(np.abs(scene["rig"].get("scale", [1.0])).max(), 1e-6)

    def sampled(self) -> dict[str, np.ndarray]:
        hidden = [item for item in bpy.data.objects if item.hide_viewport]
        frame = bpy.context.scene.frame_current_final
        build.show_all()
        places = oracle.worlds(["Target", "Cup", (RIG, _spine())], self.frames)
        build.show(self.scene, frame)
        for item in hidden:
            item.hide_viewport = True
        return {name: places[:, index] for index, name in enumerate(("Target", "Cup", "spine"))}


def _spine() -> str:
    """The first bone of the armature, which may have another name."""
    return bpy.data.objects[RIG].data.bones[0].name


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """One act after the other, and after each what shows; a refusal in between must leave no trace either."""
    watch = _Watch(scene)
    for number, act in enumerate(request["acts"]):
        given = dict(act)
        name = given.pop("act")
        if number == 0:
            yield from _ACTS[name](given, watch, told)
            yield from _unasked(before, scene)
            continue
        here = state.state()
        try:
            yield from _ACTS[name](given, watch, told)
        except api.Refused as refused:
            told.append("refused later")
            yield from judge.refusal_faults(refused, here, scene)
    if request["acts"][-1]["act"] == "hold" and watch.report:
        yield from _report_true(watch.report, told)


def _unasked(before: state.State, scene: Mapping) -> Iterator[str]:
    """Only the target, its action, and what the file keeps of the hold."""
    patterns = [r"objects\[Target\]\..*", r"actions.*"]
    yield from changes.unasked(before, scene, patterns)


def _carry_hold(given: dict, watch: _Watch, told: list[str]) -> Iterator[str]:
    space = {"": None, "Cup": bpy.data.objects["Cup"], "spine": (bpy.data.objects[RIG], _spine())}[given["space"]]
    rest = {name: value for name, value in given.items() if name not in {"space", "frames"}}
    before = watch.now
    report = api.hold(bpy.data.objects[RIG], ["lower"], tuple(given["frames"]), space=space, **rest)
    (start, end), (ease_in, ease_out) = given["frames"], given["ease"]
    watch.last, watch.now = given, watch.sampled()
    watch.spans.append((start - ease_in, end + ease_out))
    yield from _stays(given, before, watch, "hold")
    yield from _outside(watch, "hold")
    watch.report = report


def _stays(given: Mapping, before: Mapping[str, np.ndarray], watch: _Watch, what: str) -> Iterator[str]:
    """On each frame where the thing it is held to takes it from where it was."""
    (start, end), at = given["frames"], given.get("at", given["frames"][0])
    # A hold keys whole frames and its own; what another one begins in between goes by the cubic from key to key.
    keyed = [frame == round(frame) or frame in (start, end, round(at, 4)) for frame in watch.frames]
    rows = [row for row, frame in enumerate(watch.frames) if start <= frame <= end and keyed[row]]
    origin = int(np.argmin(np.abs(watch.frames - at)))
    wanted = np.repeat(before["Target"][origin][None], len(rows), axis=0)
    if given["space"]:
        spaces = watch.now[given["space"]]
        if not np.isfinite(spaces).all() or abs(np.linalg.det(before[given["space"]][origin][:3, :3])) < 1e-9:
            return
        grip = np.linalg.inv(before[given["space"]][origin]) @ before["Target"][origin]
        wanted = spaces[rows] @ grip
    found = watch.now["Target"][rows]
    if not np.isfinite(wanted).all():
        return
    off = np.linalg.norm(found[:, :3, 3] - wanted[:, :3, 3], axis=-1)
    if off.max() > DRIFT * watch.size + 8 * np.spacing(np.float32(np.abs(wanted).max())):
        frame = watch.frames[rows[int(off.argmax())]]
        yield f"{what} drifts: by {off.max() / watch.size:.4g} of the limb on frame {frame:g}"
    if given.get("rotation", True):
        turned = _turned(found, wanted)
        if turned > 2e-3:
            yield f"{what} turns: by {turned:.4g} rad"


def _turned(found: np.ndarray, wanted: np.ndarray) -> float:
    """The angle between orientations, 0 where a scale does not let them be told."""
    units = []
    for matrices in (found, wanted):
        axes = matrices[:, :3, :3]
        sizes = np.linalg.norm(axes, axis=1, keepdims=True)
        if sizes.min() < 1e-9 or sizes.max() > 1.001 * sizes.min() or np.linalg.det(axes / sizes).min() < 0.999:
            return 0.0
        units.append(axes / sizes)
    return float(np.linalg.norm(units[0] - units[1], axis=(1, 2)).max() / np.sqrt(2.0))


def _outside(watch: _Watch, what: str) -> Iterator[str]:
    rows = [
        row for row, frame in enumerate(watch.frames) if not any(a - 1e-3 < frame < b + 1e-3 for a, b in watch.spans)
    ]
    yield from _same(watch, rows, watch.first["Target"], f"{what} changes frames outside")


def _same(watch: _Watch, rows: list[int], wanted: np.ndarray, what: str) -> Iterator[str]:
    if not rows or not np.isfinite(wanted[rows]).all():
        return
    off = np.abs(watch.now["Target"][rows] - wanted[rows]).max(axis=(1, 2))
    if off.max() > DRIFT * watch.size + 8 * np.spacing(np.float32(np.abs(wanted[rows]).max())):
        yield f"{what}: by {off.max():.4g} on frame {watch.frames[rows[int(off.argmax())]]:g}"


def _report_true(report: api.Report, told: list[str]) -> Iterator[str]:
    """What the report says of the limb is so as soon as it is baked."""
    rig = bpy.data.objects[RIG]
    if not report.chains or rig.two_bone_ik_chains["lower"].unreachable == "SKIP" or len(report.chains[0].frames) > 30:
        return
    if any("only a bake measures" in note for note in report.notes):
        told.append("only a bake measures")
        return
    frames = report.chains[0].frames
    try:
        api.bake(rig, ["lower"], frames=(float(frames[0]), float(frames[-1])))
    except api.Refused:
        return
    yield from judge.truth(report, {}, told)


def _carry_update(_: dict, watch: _Watch, told: list[str]) -> Iterator[str]:
    before = watch.now
    api.update_holds(bpy.data.objects[RIG])
    watch.now = watch.sampled()
    if not watch.moved:
        yield from _same(watch, list(range(len(watch.frames))), before["Target"], "update changes what was right")
    elif len(watch.spans) == 1 and watch.last:
        yield from _stays(watch.last, watch.first, watch, "update")
    yield from _outside(watch, "update")


def _carry_move(given: dict, watch: _Watch, _: list[str]) -> Iterator[str]:
    """The cup moves, keys and all."""
    cup = bpy.data.objects["Cup"]
    cup.location = [a + b for a, b in zip(cup.location, given["by"], strict=True)]
    for curve in state.curves(cup.animation_data.action) if cup.animation_data else ():
        for key in curve.keyframe_points if curve.data_path == "location" else ():
            key.co_ui[1] += given["by"][curve.array_index]
    bpy.context.view_layer.update()
    watch.moved, watch.now = True, watch.sampled()
    yield from ()


def _carry_mute(given: dict, watch: _Watch, told: list[str]) -> Iterator[str]:
    """A chain whose target is held is muted, and holds are asked for."""
    rig = bpy.data.objects[RIG]
    rig.two_bone_ik_chains[0].mute = True
    here, before = state.state(), watch.now
    try:
        if given["then"] == "update":
            api.update_holds(rig)
        elif given["then"] == "check":
            api.check(rig, frames=(1, 3))
        else:
            api.hold(rig, None, (2, 4))
    except api.Refused as refused:
        told.append("refused later")
        yield from judge.refusal_faults(refused, here, watch.scene)
    rig.two_bone_ik_chains[0].mute = False
    watch.now = watch.sampled()
    if given["then"] == "check":
        yield from _same(watch, list(range(len(watch.frames))), before["Target"], "check moves a hold")


def _carry_remove(_: dict, watch: _Watch, told: list[str]) -> Iterator[str]:
    api.remove_hold(bpy.data.objects[RIG], "lower")
    watch.now, watch.spans = watch.sampled(), []
    yield from _outside(watch, "remove")


_ACTS = {
    "hold": _carry_hold,
    "update": _carry_update,
    "move": _carry_move,
    "mute": _carry_mute,
    "remove": _carry_remove,
}

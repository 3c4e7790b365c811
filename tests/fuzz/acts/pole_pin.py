"""Limbs pinned to their poles: no place that the bones allow for the elbow is nearer to the pole than where it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import build, changes, judge, oracle, state
from fuzz.acts import crowd
from fuzz.build import RIG


def pole_pin(random: Random, scene: dict) -> None:
    """36: the chain is pinned to a pole, at times with keys, with any other options beside."""
    chain, head = scene["chains"][0], scene["bones"]["upper"]["head"]
    reach = sum(scene["lengths"])
    if "pole" not in chain:
        scene["objects"]["Pole"] = {"near": [round(part + random.uniform(-0.7, 0.7) * reach, 3) for part in head]}
        chain["pole"] = "Pole"
    if random.random() < 0.2:
        near = scene["objects"][random.choice(["Target", "Pole"])].get("near", head)
        middle = [round(a + random.choice([0.0, 0.4, 1.0]) * (b - a), 3) for a, b in zip(head, near, strict=True)]
        scene["objects"]["Pole"] = {"near": middle}  # on the line, on the root or on the tip
    chain["fields"].pop("plane", None)
    chain["fields"] |= {"pole_pin": random.choice([1.0, 1.0, 0.5]), "max_stretch": random.choice([1.0, 1.2, 2.0, 10.0])}
    if random.random() < 0.3:
        chain["keyed"] = {"pole_pin": {1: 0.0, random.choice([3, 6]): 1.0}}
    for name in [name for name in scene["bones"] if name not in {"spine", "upper"}]:
        scene["bones"][name]["inherit_scale"] = "ALIGNED" if name == "twist" else random.choice(["NONE", "ALIGNED"])
    if random.random() < 0.6:
        scene["request"] = {"what": "bake_pole_pin", "frames": random.choice([[1, 6], [2, 5], [1, 4, 0.5]])}
    crowd.or_live(random, scene)


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Baked; then, where all of the pin counts, compared with the bones as long as they are in a bake without it."""
    rig, limb = bpy.data.objects[RIG], oracle.Limb.of("lower")
    report = api.bake(rig, **judge.arguments(request), measure="ALL")
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from judge.truth(report, request, told)
    chain, fields = report.chains[0], scene["chains"][0]["fields"]
    if told or len(scene["chains"]) > 1 or "handler" in scene or fields.get("influence", 1.0) < 1.0:
        return
    if fields.get("unreachable") in {"SKIP", "ERROR"}:
        return
    shown = {}
    for row, frame in enumerate(chain.frames):
        oracle.on_frame(frame)
        pin = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["lower"].two_bone_ik_pole_pin
        if pin == 1.0:
            shown[row] = limb.joints(), limb.aim(), np.array(bpy.data.objects["Pole"].matrix_world.translation)
    if len(shown) == len(chain.frames):
        yield from _count_faults(chain, shown)
    most = rig.two_bone_ik_chains["lower"].max_stretch
    links = _links(scene, chain.frames, most)
    for row, (joints, goal, pole) in shown.items() if links else ():
        yield from _faults(chain, row, joints, goal, pole, links[row], most)


def _count_faults(chain: object, shown: Mapping) -> Iterator[str]:
    """The first line counts frames as reached where the tip is on its target and the elbow on its pole."""
    [count] = re.findall(r"(\d+) of \d+ frames reached", "\n".join(chain.lines()))
    off = {row: np.linalg.norm(joints[1] - pole) for row, (joints, _, pole) in shown.items() if chain.status[row] == 0}
    size = {row: np.linalg.norm(np.diff(shown[row][0], axis=0), axis=-1).sum() for row in off}
    least, most = (sum(off[row] <= part * size[row] for row in off) for part in (0.5e-4, 2e-4))
    if not least <= int(count) <= most:
        yield f"reached counted otherwise: {count} frames where {least} to {most} are on pole and target"


def _links(scene: Mapping, frames: np.ndarray, most: float) -> dict[int, np.ndarray]:
    """(3, 2) of both links on each frame the length that a bake without the pin leaves, the least and the greatest.

    None where a turn changes them.
    """
    other = deepcopy(dict(scene))
    # Of bones that may scale, only their factor counts, not what a bone has of the bones above them.
    other["chains"][0] |= {"keyed": {}, "fields": {"unreachable": "STRETCH", "max_stretch": 1.0}}
    build.clear()
    build.build(other)
    try:
        api.bake(bpy.data.objects[RIG], frames=tuple(map(float, (frames[0], frames[-1], _step(frames)))))
    except api.Refused:
        return {}
    build.show_all()
    limb, found = oracle.Limb.of("lower"), {}
    for row, frame in enumerate(frames):
        oracle.on_frame(frame)
        if not limb.is_rigid(bpy.data.objects[RIG].evaluated_get(bpy.context.evaluated_depsgraph_get())):
            return {}
        found[row] = np.transpose([_range(limb, name, link, most) for link, name in enumerate((limb.root, limb.end))])
    return found


def _range(limb: oracle.Limb, name: str, link: int, most: float) -> tuple[float, float, float]:
    """The length of a link now, the least and the greatest that its limits allow, as Blender scales its bone.

    A bone gets half the least factor at least, and twice the greatest at most. A joint beside the bone's axis may be
    no nearer and no farther with any of these: its way goes evenly with the factor, so the square of its length
    is a parabola.
    """
    bone, factors, squares = bpy.data.objects[RIG].pose.bones[name], (0.5 / most, 1.0, 2.0 * most), []
    scale = bone.scale[1]
    for factor in factors:
        bone.scale[1] = scale * factor
        bpy.context.view_layer.update()
        squares.append(float(np.sum((limb.joints()[link + 1] - limb.joints()[link]) ** 2)))
    bone.scale[1] = scale
    bpy.context.view_layer.update()
    parabola = np.polynomial.Polynomial.fit(factors, squares, 2)
    turn = [part for part in parabola.deriv().roots().real if factors[0] < part < factors[-1]]
    ends = np.sqrt(np.maximum(parabola(np.array([*factors, *turn])), 0.0))
    length = float(np.sqrt(squares[1]))
    return length, max(length / most, ends.min()), min(length * most, ends.max())


def _step(frames: np.ndarray) -> float:
    return float(frames[1] - frames[0]) if len(frames) > 1 else 1.0


def _faults(
    chain: object, row: int, joints: np.ndarray, goal: np.ndarray, pole: np.ndarray, links: np.ndarray, most: float
) -> Iterator[str]:
    root, mid, tip = joints
    lengths, least, greatest = links
    where = f"on frame {chain.frames[row]:g}, lengths {lengths}, most {most:g}"
    slack = 1e-4 * most * lengths.sum() + 4 * float(np.spacing(np.float32(np.abs(joints).max())))
    apart = np.linalg.norm(np.diff(joints, axis=0), axis=-1)
    factors = apart / lengths
    if (apart > greatest + slack).any() or (apart < least - slack).any():
        yield f"beyond the limits of scale: {factors} {where}"
    told = np.array((chain.least_stretch[row], chain.stretch[row]))
    if (np.abs(np.sort(factors) - told) > slack / lengths.min()).any():
        yield f"silent stretch: {factors} where {told} is told {where}"
    inner = max(0.0, *(least - greatest[::-1]))
    distance = float(np.linalg.norm(goal - root))
    short = max(distance - greatest.sum(), inner - distance, 0.0)
    if abs(float(np.linalg.norm(tip - goal)) - short) > slack:
        yield f"pinned tip falls short: {np.linalg.norm(tip - goal):.4g} where {short:.4g} can be {where}"
    off = float(np.linalg.norm(mid - pole))
    if abs(off - float(chain.off_pole[row])) > 2 * slack:
        yield f"silent distance from the pole: {off:.4g} where {chain.off_pole[row]:.4g} is told {where}"
    reach = float(np.linalg.norm(tip - root))
    if reach >= greatest.sum() - slack or 0.0 < inner >= reach - slack:
        return  # at full stretch and full fold, what rounds the tip by e moves the elbow by the root of e
    nearest = _nearest(root, tip, pole, links[1:], slack)
    if off > nearest + slack:
        yield f"elbow not nearest to the pole: {off:.4g} where {nearest:.4g} can be {where}"


def _nearest(root: np.ndarray, tip: np.ndarray, pole: np.ndarray, limits: np.ndarray, slack: float) -> float:
    """The least distance from the pole that any of 3,600 places has, in the half plane of root, tip and pole."""
    line = tip - root
    distance = float(np.linalg.norm(line))
    aim = line / distance if distance > slack else (pole - root) / (np.linalg.norm(pole - root) or 1.0)
    ahead = float((pole - root) @ aim)
    place = complex(ahead, float(np.linalg.norm(pole - root - ahead * aim)))
    first, second = np.linspace(*limits, 60).T
    a, b = (radii.ravel() for radii in np.meshgrid(first, second))
    along = (
        (distance**2 + a**2 - b**2) / (2 * distance) if distance > slack else np.where(np.isclose(a, b), 0.0, np.nan)
    )
    height_sq = a**2 - along**2
    meet = height_sq >= 0.0
    return float(np.abs(along[meet] + 1j * np.sqrt(height_sq[meet]) - place).min(initial=np.inf))

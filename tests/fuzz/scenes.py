"""Scenes drawn from a seed, as plain data: whatever is left out of one is the simplest there is, so it can be shrunk.

    bones     {name: {head, tail, parent, roll, connect, inherit_scale, inherit_rotation, local_location}} at rest
    poses     {bone: {mode, location, rotation, scale, keys: {property: {frame: value}}, constraints, driver, muted}};
              `share` is that of a twist, by hand
    rig       {location, rotation, scale, keys, parent}, rotations are XYZ Eulers in radians
    objects   {name: {near, keys, ...}}, `near` in the rest space of the armature, `at` in the world
    chains    [{end, root, tip, target, subtarget, pole, fields}]
    request   {what, ...} with the arguments of `api`'s function of that name

Places are rounded to thousandths, so that a printed scene can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin
from random import Random

from .kinds import KINDS, RARITY, together

Scene = dict

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def draw(seed: int, kinds: Sequence[str] | None = None) -> Scene:
    """The scene of this seed; of these `kinds` alone, or of any."""
    random = Random(seed)
    scene = _limb(random)
    scene["chains"] = [_chain(random, scene)]
    scene["request"] = _request(random)
    _motion(random, scene)
    chosen = [kind for kind, part in RARITY.items() if random.random() < part] if kinds is None else list(kinds)
    chosen = together(chosen)
    for kind in chosen:
        KINDS[kind](random, scene)
    return {"seed": seed, "kinds": chosen, **scene}


def place(random: Random, scene: Scene, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Somewhere about the root joint, at this part of the limb's reach."""
    head, (first, second) = scene["bones"]["upper"]["head"], scene["lengths"]
    inner, outer = abs(first - second), first + second
    distance = inner + (outer - inner) * random.uniform(low, high)
    return _rounded(a + distance * b for a, b in zip(head, direction(random), strict=True))


def direction(random: Random) -> list[float]:
    """Any, of length 1."""
    height, angle = random.uniform(-1, 1), random.uniform(-pi, pi)
    beside = (1 - height * height) ** 0.5
    return [beside * cos(angle), beside * sin(angle), height]


def _rounded(values: object) -> list[float]:
    return [round(float(value), 3) for value in values]


def _limb(random: Random) -> Scene:
    """Spine, two bones of an arm with at times a twist bone between them, and a hand; bent about any axis."""
    first, second = random.uniform(0.3, 1.5), random.uniform(0.3, 1.5)
    if random.random() < 0.2:
        second = first
    along, other = direction(random), direction(random)
    beside = [b - a * sum(x * y for x, y in zip(along, other, strict=True)) for a, b in zip(along, other, strict=True)]
    size = sum(part * part for part in beside) ** 0.5
    bend = random.uniform(0.1, 2.5)
    elbow = [0.0, 0.0, 1.0]
    shoulder, elbow = elbow, [a + first * b for a, b in zip(elbow, along, strict=True)]
    lower = [cos(bend) * a + sin(bend) * b / size for a, b in zip(along, beside, strict=True)]
    wrist = [a + second * b for a, b in zip(elbow, lower, strict=True)]
    tip = [a + 0.2 * b for a, b in zip(wrist, direction(random), strict=True)]
    bones = {"spine": {"head": [0.0, 0.0, 0.0], "tail": [0.0, 0.0, 1.0]}}
    joints = [("upper", shoulder), ("lower", elbow), ("hand", wrist), ("", tip)]
    if random.random() < 0.2:
        joints.insert(1, ("twist", [(a + b) / 2 for a, b in zip(shoulder, elbow, strict=True)]))
    parent = "spine"
    for (name, head), (_, tail) in pairwise(joints):
        bones[name] = {"head": _rounded(head), "tail": _rounded(tail), "parent": parent}
        if random.random() < 0.5:
            bones[name]["roll"] = round(random.uniform(-3, 3), 2)
        parent = name
    return {"bones": bones, "poses": {}, "rig": {}, "objects": {}, "lengths": _rounded((first, second))}


def _chain(random: Random, scene: Scene) -> dict:
    """Of the limb, with an empty "Target", most of the time within reach, and at times a "Pole"."""
    reach = random.choice([(0.05, 0.95)] * 4 + [(1.02, 1.5)])
    scene["objects"]["Target"] = {"near": place(random, scene, *reach)}
    chain = {"end": "lower", "target": "Target", "fields": _fields(random)}
    if "twist" in scene["bones"]:
        chain["root"] = "upper"
    if random.random() < 0.5:
        chain["tip"] = "hand"
        chain["fields"] |= random.choice([{}, {}, {"use_rotation": True}])
    if random.random() < 0.5:
        scene["objects"]["Pole"] = {"near": place(random, scene, 0.5, 2.0)}
        chain["pole"] = "Pole"
    if chain["fields"].get("unreachable") == "STRETCH":
        for name in [name for name in scene["bones"] if name not in {"spine", "upper"}]:
            # What lies between the two has to pass on the stretch.
            rules = ["ALIGNED"] if name == "twist" else ["NONE", "ALIGNED"]
            scene["bones"][name]["inherit_scale"] = random.choice(rules)
    return chain


def _fields(random: Random) -> dict:
    """Of a chain: most have few options that are not as they come."""
    low, high = sorted(round(random.uniform(-pi, pi), 2) for _ in "ab")
    options = {
        "bend": random.choice(["POSITIVE", "NEGATIVE", "NEAREST", "LIMITS"]),
        "unreachable": random.choice(["STRETCH", "HOLD", "SKIP", "ERROR"]),
        "plane": random.choice(["AIM", "REST"]),
        "reference": "POSE",
        "hinge_axis": random.choice(["X", "Z", "NEG_X", "NEG_Z"]),
        "softness": round(random.uniform(0.01, 0.5), 2),
        "influence": random.choice([0.0, 0.5, 0.9]),
        "use_extension_limit": True,
        "pole_angle": round(random.uniform(-3, 3), 2),
        "pole_influence": random.choice([0.0, 0.5]),
        "max_stretch": random.choice([1.0, 1.2, 10.0]),
    }
    chosen = {name: value for name, value in options.items() if random.random() < 0.12}
    if random.random() < 0.1:
        chosen |= {"use_bend_limits": True, "bend_min": low, "bend_max": high}
    return chosen


def _motion(random: Random, scene: Scene) -> None:
    """Keys, poses and places of all that may move, each only at times."""
    reach = random.choice([(0.05, 0.95), (0.3, 1.3)])
    for name in list(scene["objects"]):
        _move_object(random, scene, name, reach)
    scene["poses"] = {name: _pose(random) for name in scene["bones"]}
    if random.random() < 0.4:
        scene["rig"]["location"] = _rounded(random.uniform(-5, 5) for _ in "xyz")
        scene["rig"]["rotation"] = _rounded(random.uniform(-3, 3) for _ in "xyz")
    if random.random() < 0.1:
        scene["rig"]["scale"] = random.choice([[2.0] * 3, [0.01] * 3, [-1.0, 1.0, 1.0], [1.0, 1.0, 1.5]])
    if random.random() < 0.1:
        scene["edit"] = {"bone": random.choice(["hand", "spine"]), "location": [0.1, 0.2, 0.3]}
    scene["frame"] = random.choice([1.0, 1.0, 3.0, 2.25, -6.75])


def _move_object(random: Random, scene: Scene, name: str, reach: tuple[float, float]) -> None:
    item = scene["objects"][name]
    if random.random() < 0.7:
        frames = sorted(random.sample(range(1, 7), random.randint(2, 4)))
        item["keys"] = {frame: place(random, scene, *reach) for frame in frames}
    if random.random() < 0.1:
        item["interpolation"] = random.choice(["CONSTANT", "LINEAR"])
    if random.random() < 0.1:
        item["hidden"] = True
    if random.random() < 0.1:
        scene["objects"] = {f"Carrier of {name}": {"near": _rounded(direction(random))}, **scene["objects"]}
        item["follows"] = f"Carrier of {name}"


def _pose(random: Random) -> dict:
    pose: dict = {}
    if random.random() < 0.3:
        pose["rotation"] = _rounded(random.uniform(-1, 1) for _ in "xyz")
    if random.random() < 0.3:
        pose["mode"] = random.choice(MODES)
    if random.random() < 0.15:
        pose["keys"] = {"rotation": {frame: _rounded(random.uniform(-1, 1) for _ in "xyz") for frame in (1, 5)}}
    if random.random() < 0.05:
        pose["location"] = _rounded(random.uniform(-0.2, 0.2) for _ in "xyz")
    if random.random() < 0.05:
        pose["scale"] = [round(random.uniform(0.5, 2), 2)] * 3
    return pose


def _request(random: Random) -> dict:
    """What is asked for, most of the time a bake."""
    what = random.choices(
        ("bake", "check", "solve", "snap_targets", "bake_targets", "flip_bend", "add_chain", "add_detected"),
        (60, 8, 10, 7, 8, 4, 2, 1),
    )[0]
    request = {"what": what}
    if what in {"bake", "check", "bake_targets"}:
        request["frames"] = random.choice([[1, 6], [1, 3], [2, 5], [1, 4, 0.5], [-3, 2], [1, 1]])
        if random.random() < 0.03:
            request["frames"] = [1, 100]
        if random.random() < 0.4:
            request["sampling"] = random.choice(["ISOLATED", "SCENE"])
    if what in {"solve", "snap_targets"} and random.random() < 0.3:
        request["insert_keys"] = True
    if what == "bake":
        if random.random() < 0.3:
            request["keys"] = random.choice(["TARGET_KEYS", "REDUCED"])
            request["tolerance"] = random.choice([1e-3, 1e-2])
        if random.random() < 0.1:
            request["interpolation"] = "LINEAR"
        if random.random() < 0.05:
            request["new_action"] = True
    return request

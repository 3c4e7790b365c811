"""Keys around the range, of every sort that Blender has: what is asked for leaves them as they are."""

from __future__ import annotations

from random import Random

INTERPOLATIONS = ("CONSTANT", "LINEAR", "BEZIER", "SINE", "BACK", "ELASTIC", "BOUNCE")
HANDLES = ("FREE", "ALIGNED", "VECTOR", "AUTO", "AUTO_CLAMPED")


def around(random: Random, scene: dict) -> None:
    """34: bones and targets have keys around the range and in it, with easings and handles of their own."""
    frames = sorted(random.sample([-9, -4, 0, 0.5, 1, 2, 3, 4.25, 6, 7, 7.02, 9, 14], random.randint(3, 8)))
    for name in ("upper", "lower"):
        turns = {frame: [round(random.uniform(-1, 1), 3) for _ in "xyz"] for frame in frames}
        scene["poses"].setdefault(name, {})["keys"] = {"rotation": turns}
    for name in scene["objects"]:
        near = scene["objects"][name].get("near")
        if near and random.random() < 0.5:
            keys = {frame: [round(part + random.uniform(-0.2, 0.2), 3) for part in near] for frame in frames}
            scene["objects"][name]["keys"] = keys
    scene["around"] = [
        {
            "interpolation": random.choice(INTERPOLATIONS),
            "easing": random.choice(["AUTO", "EASE_IN", "EASE_OUT", "EASE_IN_OUT"]),
            "handles": [random.choice(HANDLES), random.choice(HANDLES)],
            "at": [round(random.uniform(-1, 1), 2), round(random.uniform(-1, 1), 2)],
        }
        for _ in range(random.choice([1, 3, 5]))
    ]
    scene["frame"] = random.choice([1.0, 2.0, 2.5, 5.0])
    what = random.choice(["bake", "bake", "bake_targets", "snap_targets", "solve"])
    scene["request"] = {"what": what}
    if what in {"bake", "bake_targets"}:
        scene["request"]["frames"] = random.choice([[1, 6], [2, 5], [1, 4, 0.5], [3, 3], [1.5, 4.5], [0, 7]])
    if what == "bake" and random.random() < 0.3:
        scene["request"] |= {"keys": random.choice(["TARGET_KEYS", "REDUCED"]), "tolerance": 1e-3}
    if what in {"solve", "snap_targets"}:
        scene["request"]["insert_keys"] = True

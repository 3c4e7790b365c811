"""Limbs that reach with the tail of their tip bone, beside whatever else a scene asks for; `oracle` judges them."""

from __future__ import annotations

from math import pi
from random import Random


def tail(random: Random, scene: dict) -> None:
    """42: the tail of the tip bone comes to a target that turns."""
    for chain in scene["chains"][:1]:
        fields = chain["fields"]
        tip = chain.get("tip") or ("" if fields.get("hock_bone") else "hand")
        if not tip:
            return  # a leg without a toe
        chain["tip"] = tip
        fields |= {"use_rotation": True, "reach_with": "TAIL"}
        if random.random() < 0.9:
            chain.get("keyed", {}).pop("rotation_influence", None)  # else it is refused
        frames = random.sample(range(1, 7), random.choice([1, 2, 3]))
        turns = {frame: [round(random.uniform(-pi, pi), 2) for _ in "xyz"] for frame in sorted(frames)}
        scene["objects"].get(chain["target"], {}).setdefault("turns", turns)
        is_built = scene["request"]["what"] == "build_limbs"
        if random.random() < (0.05 if is_built else 0.2):  # else it is mostly refused
            scene["poses"].setdefault(tip, {})["scale"] = [round(random.uniform(0.4, 2.0), 2) for _ in "xyz"]
        if fields.get("unreachable") == "STRETCH":
            rules = ["NONE", "ALIGNED", "AVERAGE", *(["NONE"] * 7 if is_built else [])]
            scene["bones"][tip]["inherit_scale"] = random.choice(rules)

"""Scale that differs by axis, is zero along one, or goes through zero: nothing of it may be told wrongly."""

from __future__ import annotations

from random import Random

AXES = "xyz"


def degenerate_scales(random: Random, scene: dict) -> None:
    """24: uneven scales, and such as are zero along an axis, anywhere above the limb or in it."""
    for _ in range(random.choice([1, 1, 2])):
        sizes = [round(random.choice([1.0, random.uniform(0.3, 2.5)]), 2) for _ in AXES]
        if random.random() < 0.4:
            for axis in random.sample(range(3), random.choice([1, 1, 1, 2, 3])):
                sizes[axis] = 0.0
        owner = random.choice(["rig", *(name for name in scene["bones"] if name != "hand"), "lower", "upper"])
        if owner == "rig":
            scene["rig"]["scale"] = sizes
        elif random.random() < 0.3:
            keys = scene["poses"].setdefault(owner, {}).setdefault("keys", {})
            keys["scale"] = {1: [1.0] * 3, random.choice([3, 4]): sizes, 6: [1.0] * 3}
        else:
            scene["poses"].setdefault(owner, {})["scale"] = sizes
    if random.random() < 0.3:
        for bone in list(scene["bones"].values())[1:]:
            bone["inherit_scale"] = random.choice(["FULL", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY", "FIX_SHEAR"])
    if random.random() < 0.25:
        scene["chains"][0]["fields"]["unreachable"] = "STRETCH"
        for name in [name for name in scene["bones"] if name not in {"spine", "upper"}]:
            scene["bones"][name]["inherit_scale"] = random.choice(["NONE", "ALIGNED"])

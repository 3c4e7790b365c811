"""Two options at a time, baked and baked again: the keys of the second bake are those of the first.

Each scene has one chain with the simplest options, and two to four of `ASPECTS` on top, so that each pair of them
comes up: `--counts` prints how often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from mathutils import Euler

from fuzz import changes, judge, state
from fuzz.acts import hock as legs
from fuzz.acts import options
from fuzz.acts import twist as twists
from fuzz.build import RIG

SAME = 1e-6
"""Of keys, by their size: a bit more than the precision of float32."""

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def again(random: Random, scene: dict) -> None:
    """39: two to four options meet, and the second bake is to give the keys of the first."""
    [chain] = scene["chains"]
    chain["fields"], chain["keyed"] = {}, {}
    chain.pop("pole", None)
    scene["objects"].pop("Pole", None)
    scene["rig"].pop("scale", None)
    chosen = random.sample(list(ASPECTS), random.choice([2, 3, 4, 4]))
    scene["aspects"] = sorted(chosen)
    for name, aspect in ASPECTS.items():
        if name in chosen:
            aspect(random, scene)
    if {"stretch", "pole pin"} & set(chosen):
        for name in [name for name in scene["bones"] if name not in {"spine", "upper"}]:
            # What lies between has to pass on the stretch, and what turns below it would be sheared.
            scene["bones"][name]["inherit_scale"] = "ALIGNED"
    scene["request"] = {"what": "bake_again", "frames": random.choice([[1, 6], [2, 5], [1, 4, 0.5]])}
    if random.random() < 0.3:
        scene["request"]["sampling"] = random.choice(["ISOLATED", "SCENE"])


def _reference(random: Random, scene: dict) -> None:
    """The limb has a captured pose: keys, or one pose that bends beside its hinge."""
    scene["chains"][0]["fields"]["reference"] = "POSE"
    for name in ("upper", "lower"):
        pose = scene["poses"].setdefault(name, {})
        if random.random() < 0.5:
            pose["rotation"] = _angles(random)
        else:
            pose["keys"] = {**pose.get("keys", {}), "rotation": {frame: _angles(random) for frame in (1, 3, 6)}}


def _angles(random: Random) -> list[float]:
    return [round(random.uniform(-1.0, 1.0), 2) for _ in "xyz"]


def _pole(random: Random, scene: dict) -> None:
    head, reach = scene["bones"]["upper"]["head"], sum(scene["lengths"])
    scene["objects"]["Pole"] = {"near": [round(part + random.uniform(-0.9, 0.9) * reach, 3) for part in head]}
    scene["chains"][0]["pole"] = "Pole"
    scene["chains"][0]["fields"] |= random.choice([{}, {}, {"plane": "REST"}, {"pole_angle": 0.7}])


def _bend(random: Random, scene: dict) -> None:
    scene["chains"][0]["fields"]["bend"] = random.choice(["POSITIVE", "NEGATIVE", "NEAREST", "LIMITS"])


def _nearest(random: Random, scene: dict) -> None:
    """From a captured pose towards a pole; the limb is straight, or held, where the target goes out of reach."""
    chain, head, reach = scene["chains"][0], scene["bones"]["upper"]["head"], sum(scene["lengths"])
    _reference(random, scene)
    if "pole" not in chain:
        _pole(random, scene)
    chain["fields"] |= {"bend": "NEAREST"} | random.choice([{}, {}, {"unreachable": "HOLD"}])
    scene["objects"]["Target"]["keys"] = {
        frame: [round(part + random.uniform(-1.1, 1.1) * reach, 3) for part in head] for frame in range(1, 7)
    }


def _limits(random: Random, scene: dict) -> None:
    low, high = random.choice([(-2.5, 0.0), (0.0, 2.0), (0.3, 2.5), (-2.0, -0.2), (-1.0, 2.0)])
    scene["chains"][0]["fields"] |= {"use_bend_limits": True, "bend_min": low, "bend_max": high}


def _influence(random: Random, scene: dict) -> None:
    if random.random() < 0.5:
        scene["chains"][0]["fields"]["influence"] = random.choice([0.0, 0.3, 0.9])
    else:
        scene["chains"][0]["keyed"]["influence"] = {1: random.choice([0.0, 0.5]), random.choice([3, 6]): 1.0}


def _stretch(random: Random, scene: dict) -> None:
    scene["chains"][0]["fields"] |= {"unreachable": "STRETCH", "max_stretch": random.choice([1.2, 2.0])}


def _twist(random: Random, scene: dict) -> None:
    scene["chains"][0]["tip"] = "hand"
    scene["chains"][0]["fields"] |= {"use_rotation": random.random() < 0.7, "use_twist": True}
    twists.add_twist_bones(random, scene)
    twists.set_shares(random, scene)
    which, still, speed = random.randrange(3), _angles(random), random.choice([0.3, 0.7, 1.2])
    turns = {frame: [*still[:which], speed * frame, *still[which + 1 :]] for frame in range(-3, 13)}
    scene["objects"]["Target"]["turns"] = turns


def _pole_pin(random: Random, scene: dict) -> None:
    if "pole" not in scene["chains"][0]:
        _pole(random, scene)
    scene["chains"][0]["fields"].pop("plane", None)
    scene["chains"][0]["fields"] |= {"pole_pin": 1.0, "max_stretch": random.choice([1.2, 2.0])}


def _hock(random: Random, scene: dict) -> None:
    legs.make_leg(random, scene)


def _mirrored(random: Random, scene: dict) -> None:
    scale = [1.0, 1.0, 1.0]
    scale[random.randrange(3)] = -1.0
    _above(random, scene)["scale"] = scale


def _uneven(random: Random, scene: dict) -> None:
    above = _above(random, scene)
    above["scale"] = [round(part * random.uniform(0.5, 2.0), 2) for part in above.get("scale", (1.0, 1.0, 1.0))]
    rules = ["FULL", "ALIGNED", "NONE", "AVERAGE", "FIX_SHEAR", "NONE_LEGACY"]
    for name, bone in scene["bones"].items() if random.random() < 0.5 else ():
        # A second bake rolls limbs with a bone in line that has one of the last two, as the manual says.
        chosen = random.choice(rules[:-2] if name in twists.BETWEEN else rules)
        bone |= {"inherit_scale": chosen, "local_location": random.random() < 0.7}
        bone["inherit_rotation"] = name != "upper" or random.random() < 0.7


def _above(random: Random, scene: dict) -> dict:
    return random.choice([scene["rig"], scene["poses"].setdefault("spine", {})])


def _modes(random: Random, scene: dict) -> None:
    for name in scene["bones"]:
        scene["poses"].setdefault(name, {})["mode"] = random.choice(MODES)


def _keyed(random: Random, scene: dict) -> None:
    chain = scene["chains"][0]
    name = random.choice([name for name in options.RANGES if name != "influence"])
    low, high = options.RANGES[name]
    chain["keyed"][name] = {frame: round(random.uniform(low, high), 2) for frame in (1, 3, 6)}
    chain["fields"] |= {"use_bend_limits": True} if name.startswith("bend_") else {}


ASPECTS: dict[str, Callable[[Random, dict], None]] = {
    "reference": _reference,
    "pole": _pole,
    "bend": _bend,
    "nearest": _nearest,
    "limits": _limits,
    "influence": _influence,
    "twist": _twist,
    "hock": _hock,
    "stretch": _stretch,
    "pole pin": _pole_pin,
    "mirrored": _mirrored,
    "uneven": _uneven,
    "modes": _modes,
    "keyed": _keyed,
}
"""In the order in which they are applied."""


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Baked, judged, and baked again."""
    rig = bpy.data.objects[RIG]
    report = api.bake(rig, **judge.arguments(request), measure="ALL")
    yield from changes.unasked(before, scene, changes.keyed(report, request), report)
    yield from judge.truth(report, request, told)
    [chain] = scene["chains"]
    if not report.posed:
        told.append("not posed so")
    if told or any("influence" in name for name in (*chain["fields"], *chain["keyed"])):
        return  # a second bake goes the same part of the way again
    if _is_excepted(scene, report):
        return
    first = _keys(rig)
    api.bake(rig, **judge.arguments(request))
    for path, values in _keys(rig).items():
        off = _apart(rig, path, values, first[path]) / np.abs(first[path]).max(initial=1.0)
        if not off <= SAME:
            yield f"a second bake gives other keys: {path} by {off:.3g}"
            return


def _is_excepted(scene: Mapping, report: api.Report) -> bool:
    """True of limbs that a second bake may pose otherwise, as the manual says."""
    fields = scene["chains"][0]["fields"]
    if fields.get("unreachable") == "HOLD" and "use_bend_limits" in fields:
        return True  # a held pose may reach what the captured one, which bends to the other side, could not
    if fields.get("bend") == "NEAREST" and _is_uneven(scene) and not report.reached:
        return True  # which side moves least depends on the lengths, and these on the side
    if fields.get("reference") != "POSE":
        return False
    return (_is_uneven(scene) and _may_roll(fields, report)) or ("hock_bone" in fields and _is_shortened(scene))


def _is_uneven(scene: Mapping) -> bool:
    """True if the limb or what carries it has uneven scale."""
    above = [scene["rig"], *(scene["poses"].get(name, {}) for name in ("spine", "upper"))]
    return any(map(twists.is_uneven, above))


def _is_shortened(scene: Mapping) -> bool:
    """True if the limb stretches and has scale by hand, of which a bake takes the length back."""
    stretches = scene["chains"][0]["fields"].get("unreachable") == "STRETCH"
    return stretches and any("scale" in scene["poses"].get(name, {}) for name in ("upper", "lower"))


def _may_roll(fields: Mapping, report: api.Report) -> bool:
    """True of a limb that cannot reach its target, or stretches or is pinned and has twist bones."""
    return not report.reached or ("use_twist" in fields and ("pole_pin" in fields or "max_stretch" in fields))


def _keys(rig: bpy.types.Object) -> dict[str, np.ndarray]:
    """By path (m, 2 k) the keys of the rig's curves; of axis and angle, where one counts only with the other, both."""
    found: dict[str, list[np.ndarray]] = defaultdict(list)
    for curve in state.curves(rig.animation_data.action) if rig.animation_data else ():
        values = np.empty(2 * len(curve.keyframe_points))
        curve.keyframe_points.foreach_get("co", values)
        found[curve.data_path].extend(values.reshape(-1, 2).T)
    keys = {path: np.transpose(values) for path, values in found.items()}
    for path, values in keys.items():
        if path.endswith("rotation_axis_angle"):
            values[:, 3::2] *= values[:, 1:2]
    return keys


def _apart(rig: bpy.types.Object, path: str, one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference; of Euler angles, of which two count only together near gimbal lock, what they turn by."""
    off = np.abs(one - other).max(initial=0.0)
    if not path.endswith("rotation_euler") or off > 1e-3 or (one[:, ::2] != other[:, ::2]).any():
        return off
    mode = rig.path_resolve(path.rpartition(".")[0]).rotation_mode
    turns = ([Euler(row, mode).to_quaternion() for row in keys[:, 1::2]] for keys in (one, other))
    return max(twists.apart(*pair) for pair in zip(*turns, strict=True))


def pairs(scene: Mapping) -> Iterator[str]:
    """The pairs of options that meet in a scene."""
    chosen = scene.get("aspects", ())
    yield from (f"{one} + {other}" for row, one in enumerate(chosen) for other in chosen[row + 1 :])

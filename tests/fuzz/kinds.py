"""Kinds of scenes in which a bake was wrong once, or ended in a traceback: each makes a scene one of that kind."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from . import acts

AXES = "xyz"


def _other_target(random: Random, scene: dict, name: str = "Other") -> str:
    """A second target, as far from the first limb's root as the first."""
    reach, head = sum(scene["lengths"]), scene["bones"]["upper"]["head"]
    scene["objects"][name] = {"near": [round(part + random.uniform(-0.4, 0.4) * reach, 3) for part in head]}
    return name


def _second_limb(random: Random, scene: dict, parent: str) -> dict:
    """Two more bones of the armature, hung on this one, with a chain of their own."""
    elbow = scene["bones"][parent]["tail"]
    joints = [elbow, [elbow[0] + 0.6, elbow[1] + 0.1, elbow[2]], [elbow[0] + 1.1, elbow[1] - 0.1, elbow[2] + 0.1]]
    for name, above, head, tail in (("upper.2", parent, *joints[:2]), ("lower.2", "upper.2", *joints[1:])):
        scene["bones"][name] = {"head": head, "tail": tail, "parent": above, "inherit_scale": "NONE"}
    near = [round(part + random.uniform(-0.4, 0.4), 3) for part in elbow]
    scene["objects"]["Target.2"] = {"near": near}
    chain = {"end": "lower.2", "target": "Target.2", "fields": {}}
    scene["chains"].append(chain)
    return chain


def shared_bones(random: Random, scene: dict) -> None:
    """4: two chains key the same bone."""
    twin = {"end": "lower", "target": _other_target(random, scene), "fields": {}}
    if "twist" in scene["bones"]:
        twin["root"] = "upper"
    shape = random.choice(["twin", "common root", "row", "muted"])
    if shape == "common root":
        lower = scene["bones"]["lower"]
        tail = [part + shift for part, shift in zip(lower["head"], (0.3, 0.4, 0.1), strict=True)]
        scene["bones"]["lower twin"] = {**lower, "tail": tail}
        twin["end"] = "lower twin"
    if shape == "row":
        twin = {"end": "hand", "root": "lower", "target": twin["target"], "fields": {}}
    if shape == "muted":
        twin["fields"] = {"mute": True}
    scene["chains"].append(twin)


def connected(random: Random, scene: dict) -> None:
    """5: a connected bone has a location of its own, which Blender ignores."""
    name = random.choice([name for name in scene["bones"] if name != "spine"])
    scene["bones"][name]["connect"] = True
    pose = scene["poses"].setdefault(name, {})
    location = [round(random.uniform(-0.5, 0.5), 3) for _ in AXES]
    pose["location"] = location
    if random.random() < 0.5:
        pose["keys"] = {**pose.get("keys", {}), "location": {1: location, 5: location}}


def negative(random: Random, scene: dict) -> None:
    """6: a scale below 0 of a bone of the chain, or of one above it under any rule of inheritance."""
    name = random.choice(list(scene["bones"]))
    signs = random.choice([(-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1), (-1, -1, 1)])
    size = random.choice([1.0, 1.0, 1.3])
    scene["poses"].setdefault(name, {})["scale"] = [sign * size for sign in signs]
    for bone in scene["bones"].values():
        if bone.get("parent") == name and random.random() < 0.7:
            bone["inherit_scale"] = random.choice(["ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY", "FIX_SHEAR"])


def carried(random: Random, scene: dict) -> None:
    """7: a chain hangs on another that leaves frames without keys, or keys fewer of them."""
    _second_limb(random, scene, random.choice(["hand", "lower"]))
    scene["request"] = {"what": "bake", "frames": [1, 6]}
    first = scene["chains"][0]
    shape = random.choice(["SKIP", "TARGET_KEYS", "REDUCED"])
    if shape == "SKIP":
        first["fields"]["unreachable"] = "SKIP"
        head, reach = scene["bones"]["upper"]["head"], sum(scene["lengths"])
        near = scene["objects"]["Target"]["near"]
        scene["objects"]["Target"]["keys"] = {1: near, 3: [part + 1.2 * reach for part in head], 5: near}
        return
    scene["request"] |= {"keys": shape, "tolerance": 1e-3}
    ends = [[round(part + random.uniform(-0.4, 0.4), 3) for part in scene["bones"]["upper"]["head"]] for _ in "ab"]
    scene["objects"]["Target"]["keys"] = {1: ends[0], 6: ends[1]}
    near = scene["objects"]["Target.2"]["near"]
    scene["objects"]["Target.2"]["keys"] = {1: near, 3: [part + 0.2 for part in near], 5: near}


def uneven(random: Random, scene: dict) -> None:
    """8: a root bone with uneven scale, a bone between that does not turn along, or scale that moves under Hold."""
    shape = random.choice(["scale", "rotation", "hold"])
    if shape == "scale":
        spread = random.choice([(0.2, 4), (0.8, 1.25)])
        scene["poses"].setdefault("upper", {})["scale"] = [round(random.uniform(*spread), 2) for _ in AXES]
    if shape == "rotation":
        scene["bones"]["twist" if "twist" in scene["bones"] else "lower"]["inherit_rotation"] = False
    if shape == "hold":
        moved = random.choice(["spine", "upper", "lower"])
        chain, pose = scene["chains"][0], scene["poses"].setdefault(moved, {})
        chain["fields"]["unreachable"] = "HOLD"
        pose["keys"] = {"scale": {1: [1.0] * 3, 6: [round(random.uniform(0.4, 2), 2)] * 3}}
        near, head = scene["objects"]["Target"]["near"], scene["bones"]["upper"]["head"]
        scene["objects"]["Target"]["keys"] = {1: near, 4: [3 * a - 2 * b for a, b in zip(near, head, strict=True)]}


def quoted(random: Random, scene: dict) -> None:
    """9: quotes or a backslash in the name of a bone that carries the chain, and a driver or a muted curve on it."""
    name = random.choice(['sp"ine', "sp\\ine", 'a"]b', '"', "it's"])
    scene["bones"] = {name if old == "spine" else old: bone for old, bone in scene["bones"].items()}
    for bone in scene["bones"].values():
        bone.update({"parent": name} if bone.get("parent") == "spine" else {})
    pose = scene["poses"][name] = scene["poses"].pop("spine", {})
    pose["mode"] = "XYZ"
    pose["rotation"] = [round(random.uniform(-1, 1), 2) for _ in AXES]
    if random.random() < 0.5:
        pose["driver"] = "frame * 0.2"
    else:
        pose["keys"], pose["muted"] = {"rotation": {1: [0.0, 0.0, 0.0], 5: [1.0, 0.5, 0.2]}}, True
    if scene.get("edit", {}).get("bone") == "spine":
        del scene["edit"]


def equal_limits(random: Random, scene: dict) -> None:
    """10: both bend limits are the same."""
    angle = random.choice([0.0, 0.0, round(random.uniform(-3, 3), 2)])
    scene["chains"][0]["fields"] |= {"use_bend_limits": True, "bend_min": angle, "bend_max": angle}


def huge(random: Random, scene: dict) -> None:
    """11: sizes beyond any scene; or Plane Rest, joints that differ by frame, and the target on the root."""
    shape = random.choice(["solver", "far", "scaled", "rest"])
    if shape == "solver":
        lengths = [round(random.uniform(0.5, 2), 2) * 2.0 ** random.choice([0, 190, 200, 500]) for _ in "ab"]
        scene["request"] = {"what": "solve_geometry", "lengths": lengths, "part": round(random.uniform(0.1, 0.9), 2)}
        scene["request"]["bend"] = random.choice([1, -1, 0, 3, "nan"])
        scene["request"]["rest"] = random.random() < 0.5
    if shape == "far":
        scene["objects"]["Target"] = {"at": [10.0 ** random.choice([12, 20, 30, 37]), 0.0, 0.0]}
    if shape == "scaled":
        scene["rig"]["scale"] = [10.0 ** random.choice([-20, -12, 12, 18, 25, 36])] * 3
    if shape == "rest":
        degenerate(random, scene)
        scene["chains"][0]["fields"]["plane"] = "REST"
        middle = "twist" if "twist" in scene["bones"] else "lower"
        ends = {frame: [round(random.uniform(-0.3, 0.3), 2) for _ in AXES] for frame in (1, 5)}
        scene["poses"].setdefault(middle, {})["keys"] = {"location": ends}


def _level(bones: dict) -> None:
    """Make both bones equally long, to the last digit: the second goes the way of the first with its axes swapped."""
    shoulder, elbow = bones["upper"]["head"], bones["lower"]["head"]
    x, y, z = (b - a for a, b in zip(shoulder, elbow, strict=True))
    wrist = [round(a + b, 3) for a, b in zip(elbow, (y, z, x), strict=True)]
    bones["lower"]["tail"] = wrist
    if "hand" in bones:
        bones["hand"] |= {"head": wrist, "tail": [wrist[0], wrist[1], wrist[2] + 0.2]}


def degenerate(random: Random, scene: dict) -> None:
    """14: the target is on the root joint, which bones of one length reach."""
    if random.random() < 0.5:
        _level(scene["bones"])
    scene["objects"]["Target"] = {"near": scene["bones"]["upper"]["head"]}
    scene["poses"].pop("spine", None)
    scene["poses"].get("upper", {}).pop("location", None)


def takeover(random: Random, scene: dict) -> None:
    """16: an IK constraint is taken over, often under a mirrored parent."""
    scene["chains"].clear()
    poses, bones = scene["poses"], scene["bones"]
    if "twist" in bones:
        bones["upper"]["tail"] = bones.pop("twist")["tail"]
        bones["lower"]["parent"] = "upper"
        poses.pop("twist", None)
    for name in ("upper", "lower", "spine"):
        poses.pop(name, None)
    near, head = scene["objects"]["Target"]["near"], bones["upper"]["head"]
    inner, outer = abs(scene["lengths"][0] - scene["lengths"][1]), sum(scene["lengths"])
    away = [a - b for a, b in zip(near, head, strict=True)]
    part = (inner + (outer - inner) * random.uniform(0.3, 0.8)) / sum(a * a for a in away) ** 0.5
    scene["objects"]["Target"] = {"near": [round(b + part * a, 3) for a, b in zip(away, head, strict=True)]}
    scene["objects"].setdefault("Pole", {"near": [round(3 * a + 2.5, 3) for a in away]})
    ik = {"type": "IK", "target": "Target", "pole_target": "Pole", "chain_count": 2, "iterations": 500}
    poses["lower"] = {"constraints": [ik | {"pole_angle": round(random.uniform(-3, 3), 2)}]}
    mirror = random.choice([[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]])
    where = random.choice(["bone", "rig", "nothing"])
    if where == "bone":
        uneven = [round(random.uniform(0.8, 1.25), 3) for _ in AXES]
        poses["spine"] = {"scale": random.choice([mirror, uneven])}
    if where == "rig":
        scene["rig"]["scale"] = mirror
    scene["request"] = {"what": "chains_from_constraints"}
    scene.pop("edit", None)


def nowhere(random: Random, scene: dict) -> None:
    """17: something has no finite place."""
    item = random.choice([*scene["objects"], "rig", "bone"])
    place = random.choice(["nan", "inf", "-inf"])
    if item in scene["objects"] and random.random() < 0.5:
        scene["objects"][item] = {"path": True}
    elif item in scene["objects"]:
        scene["objects"][item] = {"at": [0.0, place, 0.0]}
    elif item == "rig":
        scene["rig"]["location"] = [place, 0.0, 0.0]
    else:
        bone = random.choice([name for name in scene["bones"] if name != "hand"])
        scene["poses"].setdefault(bone, {})["scale"] = [place, 1.0, 1.0]


def hanging(random: Random, scene: dict) -> None:
    """18: a bone of the limb hangs on the target by a constraint."""
    kind = random.choice(["DAMPED_TRACK", "STRETCH_TO", "COPY_LOCATION", "TRACK_TO", "COPY_ROTATION"])
    bone = random.choice([next(iter(scene["bones"])), "upper", "lower"])
    scene["poses"].setdefault(bone, {})["constraints"] = [{"type": kind, "target": "Target"}]
    if random.random() < 0.6:
        scene["request"] = random.choice([{"what": "snap_targets"}, {"what": "bake_targets", "frames": [1, 5]}])


def beyond_time(random: Random, scene: dict) -> None:
    """20: frames that Blender does not have, or a frame handler that deletes what is being baked."""
    if random.random() < 0.5:
        frames = random.choice(
            [[1e9, 1e9 + 3], [-1e30, 5], [-1e30, -1e30], [1048572, 1048580], [1, 1e12], [3e7, 3e7 + 3]]
        )
        scene["request"] = {"what": random.choice(["bake", "check", "bake_targets"]), "frames": frames}
    else:
        gone = random.choice(["Target", "Rig", "bones"])
        scene["handler"] = {"removes": gone, "after": random.randint(1, 4)}
        sampling = random.choice(["SCENE", "ISOLATED", "AUTO"])
        what = random.choice(["bake", "check", "bake_targets"])
        scene["request"] = {"what": what, "frames": [1, 6], "sampling": sampling}


def deep(random: Random, scene: dict) -> None:
    """22: the limb hangs on a rope of hundreds of bones."""
    scene["rope"] = random.choice([520, 1100])
    scene["poses"][f"rope {scene['rope'] - 1}"] = {"keys": {"rotation": {1: [0.0, 0.0, 0.0], 5: [0.1, 0.2, 0.0]}}}


KINDS: dict[str, Callable[[Random, dict], None]] = {
    kind.__doc__.partition(":")[0] + " " + kind.__name__: kind
    for kind in (
        *(shared_bones, connected, negative, carried, uneven, quoted, equal_limits, huge, degenerate, takeover),
        *(nowhere, hanging, beyond_time, deep, *acts.KINDS),
    )
}
"""By number and name, in the order in which they are applied to a scene."""

_RARE = {deep: 0.02, acts.switch.switch: 0.003, acts.plant.plant: 0.004, acts.take.take: 0.004, acts.again.again: 0.1}

RARITY = {name: _RARE.get(kind, 0.05) for name, kind in KINDS.items()}
"""How often each is drawn, each by itself; ropes take long to build, rigs of Rigify and captured walks longer."""

_ALONE = {takeover, *acts.ALONE}  # it has no chains yet that could be of another kind


def together(chosen: list[str]) -> list[str]:
    """Of kinds that were drawn those that go into one scene: its request is of one kind."""
    if alone := [name for name in chosen if KINDS[name] in _ALONE]:
        return alone[-1:]
    asking = [name for name in chosen if KINDS[name] in acts.ASKING]
    left_out = {*asking[:-1], *([name for name in chosen if KINDS[name] is beyond_time] if asking else [])}
    return [name for name in chosen if name not in left_out]

"""A capture in BVH with oddities drawn at random: read as its own kinematics say, and planted alike in all formats."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api

from fuzz import state
from support import odd_bvh
from support.command import run
from support.empty_file import open_empty_file
from support.odd_bvh import TO_BLENDER, Walk, heads, walk, z_up
from support.take_files import joints, the_armature

READ = 6e-6
"""Part of the motion: ten joints, each turned about three axes by angles of single precision, which are off by 1.2e-7
radians; twice that, since matrices are multiplied in single precision too."""
WRITTEN = 3e-5
"""The same for a result, with the digits of a text, and for limbs that are near straight."""

LAYOUTS: dict[str, Callable[[str], str]] = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "tabs and blank lines": lambda text: text.replace(" ", "\t").replace("\n", " \n\n"),
    "braces beside": lambda text: text.replace("\n{", "{").replace("\n}", " }"),
    "comments": lambda text: f"# made by hand\n{text}\n# the end\n",
    "no number of frames": lambda text: re.sub("Frames:.*\n", "", text),
    "time beside": lambda text: text.replace("Frame Time: ", "Frame Time:"),
}
_LEGS = tuple(f"{side}{bone}" for side in ("Left", "Right") for bone in ("UpLeg", "Leg", "Foot", "ToeBase"))
_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def take(random: Random, scene: dict) -> None:
    """41: a made-up walk in a file that is written as strangers write theirs."""
    joints = walk(seconds=0.1).joints
    # Arms and back may lack channels, which legs need to be planted.
    orders = {name: random.choice(_ORDERS if name in _LEGS else (*_ORDERS, "", "Y", "XZ")) for name in joints}
    placed = random.random() < 0.2
    channels = {name: f"{'xyz' * placed}{order}" for name, order in orders.items()}
    request = {
        "what": "take",
        "unit": random.choice([1.0, 1.0, 100.0, 39.37]),
        "rate": random.choice([24, 30, 60, 120]),
        "speed": random.choice([0.5, 0.7, 0.9]),
        "channels": channels | {"Hips": random.choice(["xyz", "zyx", "yxz"]) + random.choice(_ORDERS)},
        "z_up": random.random() < 0.3,
        "layouts": random.sample([*LAYOUTS], random.choice([0, 1, 2])),
        "prefix": random.choice(["", "", "mixamorig:", "Bip01_"]),
        "coding": random.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]),
    }
    empty = {"bones": {}, "poses": {}, "rig": {}, "objects": {}, "chains": [], "lengths": [1.0, 1.0]}
    scene.clear()
    scene.update(empty, request=request)


def carry_out(request: dict, before: state.State, told: list[str], scene: Mapping) -> Iterator[str]:
    """Joints are where the file has them; .bvh, .npz and .blend of the planted walk have the same joints."""
    made, up = _made(request), np.eye(3) if request["z_up"] else TO_BLENDER.T
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "odd.bvh")
        source.write_bytes(_text(made, request).encode(request["coding"]))
        frames = range(1, len(made.places) + 1)
        open_empty_file()
        told += ["noted" for _ in api.import_take(source, bpy.context.scene)]
        truth, names = _heads(made, up), [request["prefix"] + name for name in made.joints]
        size = float(np.ptp(truth))
        yield from _off("read", joints(the_armature(), frames, names), truth, READ * size)
        results = {suffix: Path(folder, f"planted{suffix}") for suffix in (".blend", ".bvh", ".npz")}
        for result in results.values():
            with contextlib.redirect_stdout(io.StringIO()):
                status = run("plant", source, "--output", result)
            if status:
                yield f"plant ends with {status} for {result.suffix}"
                return
        bpy.ops.wm.open_mainfile(filepath=str(results[".blend"]))
        planted = joints(the_armature(), frames, names)
        yield from _off("planted .bvh", _heads(_played(made, results[".bvh"], request), up), planted, WRITTEN * size)
        with np.load(results[".npz"]) as arrays:
            rows = [[*arrays["bones"]].index(name) for name in names]
            yield from _off("planted .npz", arrays["heads"][:, rows], planted, WRITTEN * size)
        open_empty_file()


def _made(request: Mapping) -> Walk:
    made = walk(request["unit"], seconds=1.0, rate=request["rate"], speed=request["speed"])
    made = z_up(made) if request["z_up"] else made
    return made.with_channels(**request["channels"])


def _text(made: Walk, request: Mapping) -> str:
    written = odd_bvh.text(made, name=lambda name: request["prefix"] + name)
    for layout in request["layouts"]:
        written = LAYOUTS[layout](written)
    return written


def _heads(made: Walk, up: np.ndarray) -> np.ndarray:
    """(n, j, 3) of all joints, with z up."""
    places = heads(made)
    return np.stack([places[name] for name in made.joints], axis=1) @ up


def _played(made: Walk, result: Path, request: Mapping) -> Walk:
    """The walk as the rows of the result have it; its joints and channels are those of the source."""
    text = result.read_bytes().decode("utf-16" if request["coding"] == "utf-16" else "utf-8-sig")
    numbers = text[text.rindex("Frame") :].split(":", 1)[1].split()[1:]
    columns = iter(np.array(numbers, dtype=float).reshape(len(made.places), -1).T)
    angles, places = {}, np.empty_like(made.places)
    for name in _in_order(made):
        own = {channel: next(columns) for channel in made.joints[name].channels}
        angles[name] = {axis: values for axis, values in own.items() if axis.isupper()}
        if made.joints[name].parent is None:
            places = np.stack([own[axis] for axis in "xyz"], axis=-1)
    return replace(made, angles=angles, places=places)


def _in_order(made: Walk, parent: str | None = None) -> Iterator[str]:
    """As a file has them: each with all below it."""
    for name, joint in made.joints.items():
        if joint.parent == parent:
            yield name
            yield from _in_order(made, name)


def _off(what: str, found: np.ndarray, truth: np.ndarray, allowed: float) -> Iterator[str]:
    if found.shape != truth.shape:
        yield f"{what}: {found.shape} joints, not {truth.shape}"
    elif not (off := np.abs(found - truth).max()) <= allowed:
        yield f"{what}: joints are off by {off:.3g} where {allowed:.3g} is allowed"

"""How long 10,000 frames of a captured walk take to be planted, beside Blender's own bake of the bones that are keyed.

`plant.py` runs it with the Python of a Blender wheel that has the extension. Two rigs: hips and legs alone, and the
human metarig, of which all bones of body, arms and legs have a key on every frame, as captures have them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from statistics import median

import bpy
import measure
import numpy as np
import run
import scenes
from bpy.types import Object
from mathutils import Matrix

from support.footsteps import LENGTHS, Capture
from support.takes import disturbed, walk

FRAMES = 10_000

_KEYED = "hips", "thigh", "shin", "foot"
"""How the names of the bones begin that planting keys."""

_SWAYING = "spine", "shoulder", "upper_arm", "forearm", "hand", "toe"


def main() -> None:
    """Print the rows of both rigs."""
    import_module("addon_utils").enable(run.PACKAGE, default_set=True)
    from support.walker import walker

    take = capture()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    beside_nla_bake("hips and legs alone", walker(take), runs=5)
    beside_nla_bake("whole human metarig", captured_human(take), runs=3)


def capture() -> Capture:
    """The walk, of feet that slide by 2 mm of noise."""
    return disturbed(walk(60.0, seconds=(FRAMES - 1) / 60), 0.002, 1)


def captured_human(take: Capture) -> Object:
    """Rigify's human metarig, which walks; the bones of its back, its arms and its toes sway."""
    from support.walker import key_capture, key_values

    rig = scenes.metarig(FRAMES)
    rig.data.bones["spine"].name = "hips"
    rig.matrix_world = Matrix.Rotation(np.pi, 4, "Z")  # it looks along -y, and the take goes along y
    bones = rig.data.bones
    rest = {
        bone.name: np.array([rig.matrix_world @ end for end in (bone.head_local, bone.tail_local)]) for bone in bones
    }
    longer = (bones["thigh.L"].length + bones["shin.L"].length) / LENGTHS.sum()
    joints = {name: longer * getattr(take, name) for name in ("hips", "knees", "ankles")}
    key_capture(rig, replace(take, **joints), rest)
    rng, times = np.random.default_rng(1), np.arange(FRAMES) / take.rate
    for bone in rig.pose.bones:
        if bone.name.startswith(_SWAYING):
            phases = 2.0 * np.pi * times[:, None] + rng.uniform(0.0, 6.0, 3)
            turns = 0.1 * np.sin(phases) + rng.normal(0.0, 0.002, phases.shape)
            values = np.column_stack((np.sqrt(1.0 - (turns**2).sum(axis=1)), turns))
            key_values(rig, bone.path_from_id("rotation_quaternion"), values)
    return rig


def giving_back(rig: Object) -> Callable[[], None]:
    """Lets the armature play the capture again that it plays now, at rest in all else."""
    versions = import_module(f"{run.PACKAGE}.blender.versions")
    captured, slot = versions.played(rig)

    def give_back() -> None:
        made, _ = versions.played(rig)
        if made != captured:
            versions.play(rig, captured, slot)
            bpy.data.actions.remove(made)
        for bone in rig.pose.bones:
            bone.matrix_basis = Matrix()  # Blender's bake leaves scales a hair off 1
        bpy.context.view_layer.update()  # else the next operator would, on the time that is taken

    return give_back


def beside_nla_bake(title: str, rig: Object, runs: int) -> None:
    """Print the processor time of the planted walk, and of Blender's own bake of the bones that planting keys.

    Both by operator, with the undo step, in turn on one processor. Blender's bake keys location, rotation and scale of
    these bones; beside it the same without scale, which planting does not key. Last the time of what Blender's own
    calls take in planting: to read the keys of these bones, to copy the action, to write as many keys, and to push the
    undo step.
    """
    versions = import_module(f"{run.PACKAGE}.blender.versions")
    names = {bone.name for bone in rig.pose.bones if bone.name.startswith(_KEYED)}

    def keyed_curves() -> list[bpy.types.FCurve]:
        return [curve for curve in versions.curves(rig) if curve.data_path.split('"')[1] in names]

    def calls() -> None:
        curves = keyed_curves()
        keys = np.empty((len(curves), 2 * FRAMES), dtype=np.float32)
        for curve, values in zip(curves, keys, strict=True):
            curve.keyframe_points.foreach_get("co", values)
        versions.copy_action(rig)
        for curve, values in zip(keyed_curves(), keys, strict=True):
            if "hips" not in curve.data_path or curve.data_path.endswith("location"):
                curve.keyframe_points.foreach_set("co", values)
                curve.update()
        bpy.ops.ed.undo_push(message="Plant")

    peer = partial(scenes.nla_bake, rig, FRAMES, names)
    ours = partial(bpy.ops.two_bone_ik.plant, "EXEC_DEFAULT", True, frame_range="BONE_KEYS")
    ways = {
        "nla.bake": peer,
        "nla.bake without scale": partial(peer, channel_types={"LOCATION", "ROTATION"}),
        "planted": partial(ours, measure="NONE"),
        "planted and measured": partial(ours, measure="AUTO"),
        "Blender's calls": calls,
    }
    with run.one_processor():
        found = dict(zip(ways, measure.in_turn(giving_back(rig), list(ways.values()), runs), strict=True))
    print(f"{title}: {FRAMES} frames, Blender {bpy.app.version_string}, processor time, medians of {runs}:")
    for name, figures in found.items():
        whole, unscaled = (measure.Comparison(found[each], figures).times() for each in list(ways)[:2])
        print(f"{name:24}{median(figures.runs):8.3f} s; times as fast: {whole}; without scale {unscaled}", flush=True)

"""What a change of the frame costs with Live, beside Blender's own IK constraints on the same limbs, in one process.

Beside both there is a handler that only writes ready-made rotations after Blender has evaluated the frame: nothing that
poses limbs there can be faster.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import process_time

import bpy
import scenes
from bpy.types import Object, PoseBone, Scene

FRAMES, WARM, PAIRS = 20, 3, 5
WAYS = ("off", "constraint", "ready", "live")
Poses = dict[int, list[tuple[PoseBone, tuple[float, ...]]]]
"""By frame the rotations of the limbs' bones."""


def characters(api, count: int, *, spine: bool, vertices: int) -> list[Object]:
    """In a new file metarigs with four limbs each, which have targets and poles that move.

    vertices : of a skin for each
    """
    scenes.new_file(FRAMES)
    return crowd(api, count, FRAMES, spine=spine, vertices=vertices)


def crowd(api, count: int, frames: int, *, spine: bool, vertices: int) -> list[Object]:
    """The same in the open file."""
    rigs = []
    for _ in range(count):
        bpy.ops.object.armature_human_metarig_add()
        rigs.append(bpy.context.object)
    for rig in rigs:
        targets, poles = scenes.keyed_targets(rig, frames), scenes.keyed_poles(rig, frames)
        scenes.add_chains(api, rig, targets, poles)
        scenes.add_constraints(rig, targets, poles)
        if spine:
            scenes.animate_spine(rig, frames)
        if vertices:
            _skin(rig, vertices)
    return rigs


def _skin(rig: Object, vertices: int) -> None:
    mesh = bpy.data.meshes.new("Skin")
    mesh.vertices.add(vertices)
    place = random.Random(1)
    mesh.vertices.foreach_set("co", [place.uniform(-0.5, 1.5) for _ in range(3 * vertices)])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    names = [bone.name for bone in rig.data.bones]
    for number, name in enumerate(names):
        group = skin.vertex_groups.new(name=name)
        group.add(range(number, vertices, len(names)), 0.6, "REPLACE")
        group.add(range((number + 1) % len(names), vertices, len(names)), 0.4, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = rig


def still(rigs: Sequence[Object]) -> None:
    """Nothing that Live follows moves: an object beside it does."""
    for item in [item for item in bpy.data.objects if item.type == "EMPTY"]:
        item.animation_data_clear()
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    scenes.animate(other, rigs[0].location, FRAMES, 10, 0)


@contextmanager
def way(rigs: Sequence[Object], name: str, poses: Poses) -> Iterator[None]:
    """While it is open, limbs are posed by nothing, by constraints, by ready-made rotations or by Live."""
    for rig in rigs:
        scenes.mute_constraints(rig, mute=name != "constraint")
        rig.two_bone_ik_live = name == "live"

    def write(scene: Scene, _depsgraph: object) -> None:
        for bone, value in poses[scene.frame_current]:
            bone.rotation_quaternion = value

    handlers = bpy.app.handlers.frame_change_post
    if name == "ready":
        handlers.append(write)
    yield
    if name == "ready":
        handlers.remove(write)


def frame_times(seen: Callable[[int], None] = lambda frame: None) -> list[float]:
    """Milliseconds of processor time of each frame, after a few that do not count."""
    found, scene = [], bpy.context.scene
    for frame in [*range(1, WARM + 1), *range(1, FRAMES + 1)]:
        start = process_time()
        scene.frame_set(frame)
        found.append(1e3 * (process_time() - start))
        seen(frame)
    return found[WARM:]


def milliseconds(rigs: Sequence[Object]) -> dict[str, list[float]]:
    """For each way the median of the frames in each round."""
    poses: Poses = {}

    def keep(frame: int) -> None:
        bones = [bone for rig in rigs for bone in scenes.limb_bones(rig)]
        poses[frame] = [(bone, tuple(bone.rotation_quaternion)) for bone in bones]

    with way(rigs, "live", poses):
        frame_times(keep)
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(PAIRS):
        for name, medians in found.items():
            with way(rigs, name, poses):
                medians.append(median(frame_times()))
    return found


def row(title: str, rigs: Sequence[Object], most: float, beside: str = "constraint") -> None:
    """Prints a row. most : times `beside`"""
    found = milliseconds(rigs)
    ratios = [mine / theirs for mine, theirs in zip(found["live"], found[beside], strict=True)]
    times = "".join(f"{median(found[name]):9.2f}" for name in WAYS)
    spread = f"{median(ratios):6.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    verdict = f"at most {most:.3g}: {'yes' if median(ratios) <= most else 'NO'}"
    print(f"{title:44}{times}   {spread:22} times {beside:11}{verdict}", flush=True)


def main(api) -> None:
    """Prints all rows."""
    print(f"\n{'a change of the frame, milliseconds':44}" + "".join(f"{name:>9.9}" for name in WAYS))
    make = partial(characters, api)
    row("1 character, spine keyed, skin of 300,000", make(1, spine=True, vertices=300_000), 2.6)
    row("20 characters, spine keyed", make(20, spine=True, vertices=0), 5.0)
    row("1 character, body still", make(1, spine=False, vertices=0), 9.0)
    for count in (1, 20):
        rigs = make(count, spine=False, vertices=0)
        still(rigs)
        row(f"{count} characters, nothing that Live follows", rigs, 1.1, beside="off")

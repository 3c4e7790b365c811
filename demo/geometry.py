"""Compares the joints that Blender evaluates with geometry, on every frame of a baked scene."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import bpy
from bpy.types import Object
from mathutils import Vector


@dataclass(frozen=True)
class Joints:
    """One limb on one frame, world space."""

    root: Vector
    mid: Vector
    tip: Vector
    target: Vector


def joints(rig: Object) -> dict[str, Joints]:
    """The joints of each chain as Blender evaluates the current frame."""
    by_chain = {}
    for chain in rig.two_bone_ik_chains:
        end = rig.pose.bones[chain.end_bone]
        points = (rig.matrix_world @ point for point in (end.parent.head, end.head, end.tail))
        by_chain[chain.name] = Joints(*points, chain.target.matrix_world.translation.copy())
    return by_chain


def worst_distance(rig: Object, frames: range) -> float:
    """The largest distance of any mid or tip from its place by geometry, over all chains and frames."""
    worst = 0.0
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for name, limb in joints(rig).items():
            chain = rig.two_bone_ik_chains[name]
            worst = max(worst, *_distances(rig, chain, limb))
    return worst


def _distances(rig: Object, chain, limb: Joints) -> list[float]:
    end = rig.data.bones[chain.end_bone]
    first, second = end.parent.length, end.length
    line = limb.target - limb.root
    reach = min(max(line.length, abs(first - second)), first + second)
    direction = line.normalized()
    off = [(limb.tip - (limb.root + reach * direction)).length]
    off += [abs((limb.mid - limb.root).length - first), abs((limb.tip - limb.mid).length - second)]
    if chain.pole_target:
        towards = chain.pole_target.matrix_world.translation - limb.root
        beside = (towards - towards.project(direction)).normalized()
        along = (reach**2 + first**2 - second**2) / (2.0 * reach)
        across = sqrt(max(first**2 - along**2, 0.0))
        off.append((limb.mid - (limb.root + along * direction + across * beside)).length)
    return off

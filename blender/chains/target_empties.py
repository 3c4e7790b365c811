"""Creates empties for chains that lack a target or a pole target, so that the pose stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object, Scene
from mathutils import Matrix

from ...skeleton import transform
from ...solver.values import Array, Plane
from ..armatures import Rig
from ..messages.report import Report
from ..messages.translation import translated
from ..pipeline import requests
from ..pipeline.read.chosen_chains import chosen_chains, scene_of
from ..properties import TwoBoneIKChain

_TARGET, _POLE = ("CUBE", 0.08), ("SPHERE", 0.05)
"""Shape, and size as part of the chain's length."""


def create(rig: Rig, names: Sequence[str] | None, scene: Scene | None) -> Report:
    """Create missing targets for chains `names` (None: all that are not muted); existing targets stay as they are."""
    chains = {chain.name: chain for chain in chosen_chains(rig, names) if _lacks_target(chain) or _lacks_pole(chain)}
    if not chains:
        return Report(rig=rig.name, chains=(), notes=(translated("note.no_target_lacks"),))
    report, aimed = requests.find_targets(rig, list(chains), scene)
    collection = _collection(rig, scene or scene_of(rig))
    before = len(collection.objects)
    for one in aimed:
        chain = chains[one.solved.plan.name]
        if _lacks_target(chain):
            place = transform.compose(one.orientation, one.target)
            chain.target = _empty(f"{chain.name} Target", collection, place, _TARGET, one.size)
        if _lacks_pole(chain):
            place = transform.compose(np.eye(3), one.pole)
            chain.pole_target = _empty(f"{chain.name} Pole", collection, place, _POLE, one.size)
    count = len(collection.objects) - before
    created = translated(
        "note.created_one" if count == 1 else "note.created_many", count=count, collection=collection.name
    )
    return replace(report, notes=(created, *report.notes))


def _lacks_target(chain: TwoBoneIKChain) -> bool:
    return chain.target is None


def _lacks_pole(chain: TwoBoneIKChain) -> bool:
    # An aimed chain would not look at it.
    return chain.pole_target is None and chain.plane != Plane.AIM


def _empty(name: str, collection: Collection, place: Array, look: tuple[Any, float], size: float) -> Object:
    """An empty at the first of the transforms (n, 4, 4)."""
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type, empty.empty_display_size = look[0], look[1] * size
    empty.show_in_front = True
    empty.matrix_basis = Matrix(place[0].tolist())
    collection.objects.link(empty)
    return empty


def _collection(rig: Rig, scene: Scene) -> Collection:
    """The collection for the armature's targets in this scene."""
    name = f"{rig.name} Targets"
    for collection in scene.collection.children_recursive:
        if collection.name == name and collection.is_editable:
            return collection
    collection = bpy.data.collections.new(name)
    scene.collection.children.link(collection)
    return collection

"""What Live costs each time that Blender evaluates the scene, beside bare reads of the values that it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from statistics import median
from time import process_time

import bpy
import scenes
from bpy.types import Object

STEPS = 100
_HANDLERS = (("depsgraph_update_post", "_follow"), ("frame_change_post", "_follow_frame"))


def characters(api, count: int) -> tuple[list[Object], list[Object]]:
    """In the open file metarigs side by side with four live limbs each, and their targets."""
    rigs, found = [], []
    for _ in range(count):
        bpy.ops.object.armature_human_metarig_add()
        rigs.append(bpy.context.object)
    for rig in rigs:
        targets, poles = scenes.keyed_targets(rig, 1), scenes.keyed_poles(rig, 1)
        for target in targets:
            target.animation_data_clear()
        scenes.add_chains(api, rig, targets, poles)
        rig.two_bone_ik_live = True
        found += targets
    bpy.context.view_layer.update()
    return rigs, found


@contextmanager
def timed() -> Iterator[list[float]]:
    """While it is open, processor seconds of the handlers of Live are added to the last of what it gives."""
    spent: list[float] = []
    changed = []
    for event, name in _HANDLERS:
        handlers = getattr(bpy.app.handlers, event)
        own = next(each for each in handlers if each.__name__ == name)

        @wraps(own)  # of another module, it would count as a handler that may change anything
        def around(*args: object, own: Callable = own) -> None:
            start = process_time()
            own(*args)
            spent[-1] += process_time() - start

        handlers[handlers.index(own)] = around
        changed.append((handlers, around, own))
    yield spent
    for handlers, around, own in changed:
        handlers[handlers.index(around)] = own


def bare_reads(rigs: list[Object]) -> float:
    """Seconds to read where targets, poles, bones and their parents are."""
    start, depsgraph = process_time(), bpy.context.view_layer.depsgraph
    for rig in rigs:
        state = rig.evaluated_get(depsgraph)
        state.matrix_world.copy()
        for chain in rig.two_bone_ik_chains:
            end = state.pose.bones[chain.end_bone]
            read = [each.evaluated_get(depsgraph).matrix_world.copy() for each in (chain.target, chain.pole_target)]
            read += [end.matrix_basis.copy(), end.parent.matrix_basis.copy(), end.parent.parent.matrix.copy()]
    return process_time() - start


def row(title: str, rigs: list[Object], step: Callable[[int], object], most: Callable[[float], float]) -> None:
    """Prints a row: what Live takes of a step. most : milliseconds, from those of the bare reads"""
    layer, reads = bpy.context.view_layer, []
    with timed() as spent:
        for number in range(STEPS):
            spent.append(0.0)
            step(number)
            layer.update()
            reads.append(bare_reads(rigs))
    took, read = 1e3 * median(spent), 1e3 * median(reads)
    fits = "yes" if took <= most(read) else "NO"
    print(f"{title:44}{took:8.3f} ms   bare reads {read:.3f}   at most {most(read):.3g}: {fits}", flush=True)


def main(api) -> None:
    """Prints all rows."""
    print(f"\n{'Live, an evaluation':44}")
    for count, most in ((1, 0.4), (5, 1.5)):
        scenes.new_file(STEPS)
        rigs, targets = characters(api, count)
        other = bpy.data.objects.new("Other", None)
        bpy.context.scene.collection.objects.link(other)

        def move(items: list[Object], number: int) -> None:
            for item in items:
                item.location.z += 1e-4 * (1 - number % 2 * 2)

        name = f"{4 * count} limbs"
        row(f"{name}, all targets move", rigs, lambda n, t=targets: move(t, n), lambda _read, most=most: most)
        row(f"{name}, another object moves", rigs, lambda n, o=other: move([o], n), lambda read: read)
        for target in targets:
            target.keyframe_insert("location", frame=1)
        row(f"{name}, a frame that moves nothing", rigs, bpy.context.scene.frame_set, lambda read: 8.0 * read)

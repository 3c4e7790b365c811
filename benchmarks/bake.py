"""Baking as one presses it, compared with Blender's own bake and with the calls of Blender's that are in it.

By operator, with the undo step, and with poles, on a rig that Blender's own bake has been over before. All take turns
in one run on one processor, and the time is the processor's: the machine may do other things beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from statistics import median
from time import process_time

import bpy
import measure
import numpy as np
import scenes
from bpy.types import FCurve, Object

FRAMES = 500
MEASURED = 18
"""This many of 500 frames are measured."""


class Shot:
    """The metarig with four limbs, their chains, and the same under Blender's own constraints."""

    def __init__(self, api, targets: Callable[[Object, int], list[Object]], *, spine: bool = False) -> None:
        self.rig = scenes.metarig(FRAMES)
        if spine:
            scenes.animate_spine(self.rig, FRAMES)
        goals, poles = targets(self.rig, FRAMES), scenes.keyed_poles(self.rig, FRAMES)
        scenes.add_constraints(self.rig, goals, poles)
        animation = self.rig.animation_data or self.rig.animation_data_create()
        self._kept = animation.action
        scenes.nla_bake(self.rig, 10)
        scenes.add_chains(api, self.rig, goals, poles)
        self.goals = [item for item in bpy.data.objects if item.type == "EMPTY"]
        self._basis = [bone.matrix_basis.copy() for bone in self.rig.pose.bones]
        self.reset()

    def reset(self) -> None:
        """As it was before any bake."""
        animation = self.rig.animation_data
        old, animation.action = animation.action, self._kept and self._kept.copy()
        if old:
            bpy.data.actions.remove(old)
        for bone, basis in zip(self.rig.pose.bones, self._basis, strict=True):
            bone.matrix_basis = basis
        scenes.mute_constraints(self.rig, mute=False)
        bpy.context.view_layer.update()

    def bake(self, last: int = FRAMES, **options: object) -> None:
        """Ours, by the operator."""
        options = {"measure": "AUTO", **options}  # otherwise it takes those of the last call
        bpy.ops.two_bone_ik.bake("EXEC_DEFAULT", True, frame_start=1, frame_end=last, **options)

    def blender_alone(self) -> Iterator[tuple[str, float]]:
        """What Blender takes for the same reads, writes and evaluations, without anything of ours."""
        scenes.mute_constraints(self.rig, mute=True)
        start, frames = process_time(), np.arange(1.0, FRAMES + 1)
        for curve in (each for item in (*self.goals, self.rig) for each in _curves(item)):
            values = np.fromiter(map(curve.evaluate, frames.tolist()), float, FRAMES)
        yield "curves", process_time() - start
        start = process_time()
        self._write(np.stack((frames, values), axis=-1, dtype=np.float32).reshape(-1))
        yield "keys", process_time() - start
        start = process_time()
        self._measure()
        yield "graph", process_time() - start
        start = process_time()
        bpy.ops.ed.undo_push(message="Bake")
        bpy.context.view_layer.update()
        yield "undo", process_time() - start

    def _write(self, keys: np.ndarray) -> None:
        if not self.rig.animation_data.action:
            self.rig.keyframe_insert("pass_index")  # it makes action and slot
        bag = _bag(self.rig)
        for bone in scenes.limb_bones(self.rig):
            for index in range(4):
                curve = bag.fcurves.new(bone.path_from_id("rotation_quaternion"), index=index)
                curve.keyframe_points.add(FRAMES)
                curve.keyframe_points.foreach_set("co", keys)
                curve.update()

    def _measure(self) -> None:
        scene, probe = bpy.data.scenes.new("Probe"), bpy.data.objects.new("Probe", None)
        scene.collection.objects.link(probe)
        for bone in scenes.limb_bones(self.rig):
            constraint = probe.constraints.new("COPY_TRANSFORMS")
            constraint.target, constraint.subtarget, constraint.mute = self.rig, bone.name, True
        for frame in np.linspace(1, FRAMES, MEASURED).tolist():
            scene.frame_set(int(frame))
        bpy.data.objects.remove(probe)
        bpy.data.batch_remove((scene,))


def _bag(item: Object):
    action = item.animation_data.action
    return action if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0]


def _curves(item: Object) -> Iterator[FCurve]:
    return _bag(item).fcurves if item.animation_data and item.animation_data.action else iter(())


def against_nla_bake(api, title: str, least: float, targets, *, spine: bool = False, runs: int = 15) -> None:
    """Prints the row of one case, and below it what Blender's own calls take."""
    shot = Shot(api, targets, spine=spine)
    peer, ours, bare = (
        partial(scenes.nla_bake, shot.rig, FRAMES),
        shot.bake,
        partial(shot.bake, measure="NONE"),
    )
    times = measure.in_turn(shot.reset, [peer, ours, bare], runs)
    laps = []
    for _ in range(runs):
        shot.reset()
        laps.append(dict(shot.blender_alone()))
    alone = {name: median(lap[name] for lap in laps) for name in laps[0]}
    whole, unmeasured = (measure.Comparison(times[0], other) for other in times[1:])
    row = f"{title:28}{times[0].per(FRAMES)}{times[1].per(FRAMES)}   {whole.times()}   {unmeasured.times()}"
    print(f"{row}   at least {least:g}: {'yes' if median(whole.ratios) >= least else 'NO'}")
    text = ", ".join(f"{name} {1e6 * took / FRAMES:.1f}" for name, took in alone.items())
    part = median(times[1].runs) / sum(alone.values())
    print(f"{'':28}Blender alone: {text}; the whole is {part:.2f} times as much", flush=True)


def short_ranges(api) -> None:
    """The cost of a few frames, and of baking some of many keyed frames again."""
    shot = Shot(api, scenes.keyed_targets)

    def keyed() -> None:
        shot.reset()
        shot.bake()

    ready = cycle((shot.reset, shot.reset, keyed))
    bakes = [partial(shot.bake, last) for last in (1, 60, 60)]
    single, first, again = measure.in_turn(lambda: next(ready)(), bakes, 15)
    for last, figures, least in ((1, single, 1.5), (60, first, 2.2)):
        took = 1e3 * median(figures.runs)
        print(f"{f'{last} frames':28}{took:9.2f} ms   at most {least:g}: {'yes' if took <= least else 'NO'}")
    result = measure.Comparison(again, first)
    row = f"{'60 of 500 frames again':28}{result.times()} times   at most 1.3"
    print(f"{row}: {'yes' if median(result.ratios) <= 1.3 else 'NO'}", flush=True)


def main(api) -> None:
    """Prints all rows."""
    title = f"{FRAMES} frames, 4 limbs, poles"
    print(f"\n{title:28}{'nla.bake':>9}{'ours':>9}   times faster, spread; without measuring")
    newer = bpy.app.version >= (5, 0)
    against_nla_bake(api, "plain targets", 50 if newer else 60, scenes.keyed_targets)
    against_nla_bake(api, "spine animated", 25, scenes.keyed_targets, spine=True)
    against_nla_bake(api, "targets under constraints", 6, scenes.constrained_targets)
    short_ranges(api)

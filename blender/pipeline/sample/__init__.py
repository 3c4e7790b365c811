"""Plan into samples: the only step that evaluates Blender. Whichever way is taken, nothing of it stays in the file."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum

from bpy.types import Constraint, Depsgraph, Object

from ... import own_basis
from ...errors import Refused, unless_gone
from ..plan import Plan, Point
from ..read import follow
from ..samples import Samples
from . import curves, isolated, probe, scene
from .wanted import Wanted, wanted, wanted_shown


class Sampling(StrEnum):
    """From the fastest way to the one that takes everything into account."""

    AUTO = "AUTO"
    CURVES = "CURVES"
    ISOLATED = "ISOLATED"
    SCENE = "SCENE"


def samples(plan: Plan, way: Sampling) -> Generator[float, None, Samples]:
    """What the plan's chains depend on, over its frames; yields the part that is done.

    way : AUTO is the first of the others that is right for what the chains depend on
    raises : Refused where something that is needed cannot be evaluated
    """
    keyed = {Point(plan.rig, bone.name) for chain in plan.chains for bone in chain.keyed}
    need = wanted(plan)
    return _with_own_poses(need, (yield from _sampled(plan, need, way, keyed)))


def shown(plan: Plan, placed: Collection[Point], way: Sampling) -> Generator[float, None, Samples]:
    """What the way back depends on: the pose as it shows, and what carries the targets that are to be placed."""
    return (yield from _sampled(plan, wanted_shown(plan, placed), way))


def current(plan: Plan) -> Samples:
    """What the plan's chains depend on in the scene just as it stands now, with edits that have no key."""
    return scene.current(plan.scene, wanted(plan))


def current_shown(plan: Plan, placed: Collection[Point]) -> Samples:
    """The same for the way back."""
    return scene.current(plan.scene, wanted_shown(plan, placed))


def seen(need: Wanted, depsgraph: Depsgraph) -> Samples:
    """The same as a dependency graph has it; Refused where it leaves out something, such as a hidden target."""
    for item in need.objects:
        # Blender leaves these out and says nothing: not even `is_evaluated` tells.
        if item.name not in depsgraph.view_layer_eval.objects:
            raise Refused(
                '"{object}" is disabled in the viewport, and stays where it was: enable it, or bake',
                kind="DISABLED",
                object=item.name,
            )
    recorder = probe.Recorder(need)
    recorder.record(depsgraph)
    return _with_own_poses(need, recorder.samples())


def _with_own_poses(need: Wanted, samples: Samples) -> Samples:
    """Bones that stand as a live limb was posed are as they were before: only what has no keys stands."""
    standing = (point for point in need.turned if len(samples.basis[point]) == 1)
    own = {point: own_basis.own_basis(point, samples.basis[point]) for point in standing}
    return replace(samples, basis=samples.basis | own)


def _sampled(plan: Plan, need: Wanted, way: Sampling, keyed: Collection[Point] = ()) -> Generator[float, None, Samples]:
    """keyed : bones that move as after a bake, whatever IK constraints make of them now"""
    if way == Sampling.AUTO:
        way = _fastest(need, keyed)
    elif way == Sampling.CURVES:
        _refuse_curves(plan, need, keyed)
    if way == Sampling.CURVES:
        render = plan.scene.render
        return curves.samples(need, plan.frames * (render.frame_map_old / render.frame_map_new))
    evaluated = isolated if way == Sampling.ISOLATED else scene
    with _without_constraints(plan.rig, {place.bone for place in keyed}):
        return (yield from evaluated.samples(plan.scene, need, plan.frames))


@contextmanager
def _without_constraints(rig: Object, keyed: Collection[str]) -> Iterator[None]:
    """While it is open, IK constraints do not move the bones `keyed`, nor what follows them."""
    hiding = [(bone.name, found) for bone, found in follow.constrained(rig) if follow.hides(bone, found, keyed)]
    active = [(bone, constraint.name) for bone, constraint in hiding if not constraint.mute]
    try:
        for place in active:
            _constraint(rig, place).mute = True
        yield
    finally:
        for place in active:
            with unless_gone:
                _constraint(rig, place).mute = False


def _constraint(rig: Object, place: tuple[str, str]) -> Constraint:
    bone, name = place
    return rig.pose.bones[bone].constraints[name]


def _fastest(need: Wanted, keyed: Collection[Point]) -> Sampling:
    if scene.needed(need):
        return Sampling.SCENE
    return Sampling.ISOLATED if curves.obstacle(need, keyed) else Sampling.CURVES


def _refuse_curves(plan: Plan, need: Wanted, keyed: Collection[Point]) -> None:
    obstacle = curves.obstacle(need, keyed)
    if obstacle:
        raise Refused(
            'F-curves alone do not tell where the targets of "{object}" are, as {value}: sample AUTO',
            kind="NOT_ONLY_CURVES",
            object=plan.rig.name,
            value=obstacle,
        )

"""Which IK constraints would hide the keys of a bake, and how these are muted; also those that were taken over."""

from collections.abc import Collection

from ...skeleton.values import Plan
from .. import versions
from ..armatures import Rig
from ..messages.translation import translated
from ..scene import dependencies
from ..scene.dependencies import Constraints


def hiding_constraints(plan: Plan, constraints: Constraints) -> list[tuple[str, str]]:
    """(bone, constraint) for each IK constraint that moves a bone of these chains, and so would hide its keys."""
    keyed = {bone.name for chain in plan.chains for bone in chain.keyed}
    return dependencies.hiding(constraints, keyed)


def mute_constraints(rig: Rig, names: Collection[tuple[str, str]]) -> list[str]:
    """Mute constraints given as (bone, constraint); returns sentences for the report."""
    notes, animated = [], versions.ever_animated_paths(rig) if names else set()
    for bone, name in names:
        constraint = dependencies.constraint_named(rig, bone, name)
        paths = {f"{constraint.path_from_id()}.{switch}" for switch in ("mute", "enabled")} if constraint else set()
        if constraint is None or (constraint.mute and animated.isdisjoint(paths)):
            continue
        constraint.mute = True
        for curve in (*versions.curves(rig), *versions.drivers(rig)) if paths & animated else ():
            curve.mute |= curve.data_path in paths
        played = {curve.data_path for _, curves in versions.strips(rig) for curve in curves}
        if paths & played:
            notes.append(translated("alert.muted_by_animation", name=name, bone=bone))
        else:
            is_animated = bool(paths & animated)
            notes.append(translated("note.muted_with_animation" if is_animated else "note.muted", name=name, bone=bone))
    return notes

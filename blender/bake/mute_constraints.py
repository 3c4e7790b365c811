"""Muting the constraints that would hide keys."""

from collections.abc import Collection

from .. import versions
from ..armatures import Rig
from ..messages.translation import translated
from ..scene import dependencies


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
        muted = (
            translated("alert.muted_by_animation", name=name, bone=bone)
            if paths & played
            else translated("note.muted_with_animation" if paths & animated else "note.muted", name=name, bone=bone)
        )
        notes.append(muted)
    return notes

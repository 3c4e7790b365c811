"""The chains, scenes and armatures that a request is about."""

import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from bpy.types import Scene

from ... import bone_marks
from ...armatures import Chain, Rig
from ...messages.refused import Refused
from ...messages.translation import known_words
from ..checks.armature import refuse_other_than_armature, refuse_unposable
from ..checks.names import given_names
from . import dependencies
from .chain import chain_plan


def chosen_chains(rig: Rig, names: Sequence[str] | None) -> list[Chain]:
    """The chains with these names, or this one name, or all that are not muted; Refused where there is none.

    Where bones were renamed since Blender evaluated them last, the chains have the new names from now on.
    """
    refuse_other_than_armature(rig)
    bone_marks.notice_all_of(rig)
    chains = list(rig.two_bone_ik_chains)
    if not chains:
        raise Refused("NO_CHAINS", object=rig)
    if names is None:
        unmuted = [chain for chain in chains if not chain.mute]
        if not unmuted:
            raise Refused("ALL_MUTED", object=rig)
        return unmuted
    by_name = {chain.name: chain for chain in chains}
    chosen = given_names(rig, names)
    for name in chosen:
        if name not in by_name:
            raise Refused("UNKNOWN_CHAIN", object=rig, value=name, known=known_words(name, by_name))
    return [by_name[name] for name in chosen]


def by_target(rig: Rig, names: Sequence[str] | None) -> tuple[list[Chain], list[Chain]]:
    """Those of `chosen_chains` that take part; and if none was named, those left out because they have no target."""
    chains = chosen_chains(rig, names)
    taking_part = [chain for chain in chains if chain.target or names is not None]
    return taking_part, [chain for chain in chains if chain not in taking_part]


def scene_of(rig: Rig, scene: Scene | None = None) -> Scene:
    """This scene, or the first that holds the armature; Refused where none does, and for what is no scene."""
    if scene is not None:
        if not isinstance(scene, Scene):
            raise Refused("NOT_A_SCENE", value=scene)
        return scene
    refuse_other_than_armature(rig)
    scenes = rig.users_scene
    if not scenes:
        raise Refused("NO_SCENE", object=rig)
    return scenes[0]


def after_followed(
    rigs: Mapping[Rig, Sequence[str] | None],
) -> tuple[list[tuple[Rig, ...]], list[Refused]]:
    """The armatures in groups that can be solved at the same time, each after those whose limbs its chains follow.

    rigs : with the names of their chains, None for all that take part
    returns : the groups; and a refusal for each armature that is in none, as it follows limbs in a circle
    """
    graph: dict[Rig, list[Rig]] = {}
    for rig, names in rigs.items():
        try:
            refuse_unposable(rig)
            taking_part, _ = by_target(rig, names)
            chains = [chain_plan(rig, chain) for chain in taking_part]
        except Refused:
            chains = []  # it is refused as well when its turn comes
        graph[rig] = [other for _, other in dependencies.followed(chains, rigs.keys())]
    sorter = TopologicalSorter(graph)
    with suppress(CycleError):  # it still gives all that are in no circle and follow none
        sorter.prepare()
    groups = []
    while sorter.is_active():
        groups.append(sorter.get_ready())
        sorter.done(*groups[-1])
    left = {rig: graph[rig] for rig in graph.keys() - set(itertools.chain(*groups))}
    return groups, [Refused("ARMATURE_CYCLE", object=rig, value=_way_round(rig, left)) for rig in graph if rig in left]


def _way_round(rig: Rig, left: Mapping[Rig, Sequence[Rig]]) -> str:
    """The names of the armatures that this one follows, one after the other, until the circle closes."""
    way: list[Rig] = []
    while rig not in way:
        way.append(rig)
        rig = next(other for other in left[rig] if other in left)
    return " → ".join(item.name for item in (*way, rig))

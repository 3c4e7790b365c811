"""The chains, scenes and armatures that a request is about."""

import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from bpy.types import Scene

from ..armatures import Chain, Rig
from ..messages.refused import Refused
from ..messages.translation import known_words
from ..scene import dependencies
from ..scene.armature import refuse_other_than_armature, refuse_unposable
from ..scene.names import given_names
from ..settings import bone_marks
from .chain import chain_plan, lacking_bone
from .report import left_out_alerts


class TakingPart(NamedTuple):
    """Which chains take part in a request, and which are left out, as they were not chosen by name.

    left_out : names of those without a target, and of those that lack a bone
    lacking : by name of the latter that bone, "" for one without a name
    """

    chains: list[Chain]
    left_out: tuple[str, ...] = ()
    lacking: Mapping[str, str] = {}

    @property
    def alerts(self) -> list[str]:
        """Sentences about those that are left out."""
        return left_out_alerts(self.left_out, self.lacking)


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


def chains_taking_part(rig: Rig, names: Sequence[str] | None) -> TakingPart:
    """Those of `chosen_chains` that take part; if none was named, without those that have no target or lack a bone."""
    chains = chosen_chains(rig, names)
    if names is not None:
        return TakingPart(chains)
    lacking = _lacking(chains)
    left_out = tuple(chain.name for chain in chains if not chain.target or chain.name in lacking)
    return TakingPart([chain for chain in chains if chain.name not in left_out], left_out, lacking)


def with_bones(rig: Rig, names: Sequence[str] | None) -> TakingPart:
    """The same where chains need no target; of chains that all lack a bone all take part, and are refused by it."""
    chains = chosen_chains(rig, names)
    lacking = _lacking(chains) if names is None else {}
    if len(lacking) == len(chains):
        return TakingPart(chains)
    return TakingPart([chain for chain in chains if chain.name not in lacking], tuple(lacking), lacking)


def _lacking(chains: Sequence[Chain]) -> dict[str, str]:
    found = {chain.name: lacking_bone(chain.id_data, chain) for chain in chains}
    return {name: bone for name, bone in found.items() if bone is not None}


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
            chains = [chain_plan(rig, chain) for chain in chains_taking_part(rig, names).chains]
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

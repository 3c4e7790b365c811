"""Which of the keyed options of chains are animated, so that they have to be sampled on every frame."""

from collections.abc import Sequence
from dataclasses import replace

from bpy.types import PoseBone

from ...skeleton.values import ChainPlan
from .. import versions
from ..armatures import Rig
from ..settings import keyed_options

_LIMITS = frozenset(("bend_min", "bend_max"))


def with_animated(rig: Rig, chains: Sequence[ChainPlan]) -> list[ChainPlan]:
    """The chains, each with the names of its options that keys, drivers or NLA strips animate."""
    paths = versions.ever_animated_paths(rig)
    return [replace(chain, animated=_animated(rig, chain, paths)) if paths else chain for chain in chains]


def has_animated_limits(rig: Rig, end_bone: str) -> bool:
    """True if a bend limit on this bone is animated."""
    bone, paths = rig.pose.bones[end_bone].path_from_id(), versions.ever_animated_paths(rig)
    return any(keyed_options.path(bone, name) in paths for name in _LIMITS)


def _animated(rig: Rig, chain: ChainPlan, paths: set[str]) -> frozenset[str]:
    found = {name for name in keyed_options.NAMES if keyed_options.path(chain.end.path, name) in paths}
    if not rig.two_bone_ik_chains[chain.name].use_bend_limits:
        return frozenset(found - _LIMITS)
    # Whether they cross, only both of them tell.
    return frozenset(found | _LIMITS if found & _LIMITS else found)


def standing_options(rig: Rig, chain: ChainPlan) -> list[float]:
    """The values on the end bone of those options that were not animated; they change if they are from now on."""
    bone: PoseBone | None = rig.pose.bones.get(chain.end.name)
    names = (name for name in keyed_options.NAMES if name not in chain.animated)
    return [getattr(bone, keyed_options.bone_field(name)) for name in names] if bone else []

"""Sets the fields of chains: all that are asked for, or none."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import keyed_options
from ..armatures import Rig
from ..properties import TwoBoneIKChain, chain_fields


def field_values(chain: TwoBoneIKChain) -> dict[str, Any]:
    """What the chain's fields are set to, by identifier."""
    return {name: getattr(chain, name) for name in chain_fields()}


def set_fields(chain: TwoBoneIKChain, values: Mapping[str, Any]) -> None:
    """Set these fields of the chain; AttributeError, TypeError or ValueError for one that does not fit."""
    for name, value in values.items():
        # Blender would take any name, and nobody would ever read it.
        if name not in chain_fields():
            raise AttributeError(f'a chain has no field "{name}"')
        setattr(chain, name, value)


@contextmanager
def unchanged_on_error(rig: Rig) -> Iterator[None]:
    """If what is done meanwhile raises an error, the armature gets back the chains that it had, as they were."""
    chains = rig.two_bone_ik_chains
    before = [
        {name: getattr(chain, name) for name in chain_fields() if chain.is_property_set(name)} for chain in chains
    ]
    options = keyed_options.on_bones(rig)
    try:
        yield
    except Exception:
        while len(chains) > len(before):
            chains.remove(len(chains) - 1)
        for chain, values in zip(chains, before, strict=True):
            for name in chain_fields().keys() - values.keys():
                chain.property_unset(name)
            set_fields(chain, values)
        keyed_options.put_back(rig, options)
        raise

"""Sets the fields of chains: all that are asked for, or none."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import keyed_options
from ..armatures import Rig
from ..messages.refused import Refused, unknown_word
from ..messages.translation import nearest_name, translated
from ..properties import TwoBoneIKChain, chain_fields


def field_values(chain: TwoBoneIKChain) -> dict[str, Any]:
    """What the chain's fields are set to, by identifier."""
    return {name: getattr(chain, name) for name in chain_fields()}


def set_fields(chain: TwoBoneIKChain, values: Mapping[str, Any]) -> None:
    """Set these fields of the chain; Refused for a field or a word that there is not, TypeError for a wrong type."""
    known = chain_fields()
    for name, value in values.items():
        # Blender would take any name, and nobody would ever read it.
        if name not in known:
            raise Refused(
                "UNKNOWN_KEY", chain=chain, value=name, where=_where(chain), nearest=nearest_name(name, known)
            )
        if known[name].type == "ENUM" and value not in known[name].enum_items:
            what = translated("part.field", key=name, where=_where(chain))
            raise unknown_word(what, value, known[name].enum_items.keys())
        setattr(chain, name, value)


def _where(chain: TwoBoneIKChain) -> str:
    return translated("part.chain_of_rig", chain=chain.name or chain.end_bone, object=chain.id_data.name)


@contextmanager
def unchanged_on_error(rig: Rig) -> Iterator[None]:
    """If what is done meanwhile raises an error, the armature gets back the chains that it had, as they were."""
    restore = chains_restorer(rig)
    try:
        yield
    except Exception:
        restore()
        raise


def chains_restorer(rig: Rig) -> Callable[[], None]:
    """Returns what gives the armature back the chains that it has now, as they are."""
    chains = rig.two_bone_ik_chains
    before = [
        {name: getattr(chain, name) for name in chain_fields() if chain.is_property_set(name)} for chain in chains
    ]
    options = keyed_options.on_bones(rig)
    layers: list[Any] = [layer for scene in rig.users_scene for layer in scene.view_layers]
    in_hand = [layer.two_bone_ik_in_hand for layer in layers]
    active = rig.two_bone_ik_active if rig.is_property_set("two_bone_ik_active") else None

    def restore() -> None:
        while len(chains) > len(before):
            chains.remove(len(chains) - 1)
        for chain, values in zip(chains, before, strict=True):
            for name in chain_fields().keys() - values.keys():
                chain.property_unset(name)
            set_fields(chain, values)
        keyed_options.put_back(rig, options)
        if active is None:
            rig.property_unset("two_bone_ik_active")
        else:
            rig.two_bone_ik_active = active
        for layer, limb in zip(layers, in_hand, strict=True):
            layer.two_bone_ik_in_hand = limb

    return restore

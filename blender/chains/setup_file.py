"""Chains in a TOML file, which a rigger writes once for a rig and both of its sides:

    [[chain]]
    name = "arm.?"
    end_bone = "forearm.?"
    target = "hand target.?"

The keys are identifiers of a chain's properties. The values are as in Python: angles in radians, objects by name;
properties that are left out have their defaults. In `end_bone`, * stands for any text and ? for one character: each
bone that fits gets a chain, and in the other names * and ? stand for the same text. A bone whose name is literally the
pattern comes first. A `subtarget` without a `target` is a bone of the armature itself. `create_targets = true` gives
the chain empties for the target and the pole target that it lacks. `twist_shares = { "twist.?" = 0.3 }` gives twist
bones shares by hand.

[plant] has options of the command line's `plant`; with it, a file needs no chain.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Object, PoseBone

from ..armatures import Rig, is_rig
from ..bake.build_plan import chosen_chains
from ..bake.chain import chain_bones, twists_found
from ..files import atomic_write, toml_file
from ..messages.refused import Refused
from ..messages.translation import nearest_name, translated
from ..options import rows
from ..rigs.wildcards import filled, wildcard_texts, wildcards_in
from ..scene.checks import refuse_unposable
from ..settings import keyed_options
from ..settings.properties import POINTS, TwoBoneIKChain, chain_fields
from .field_values import refuse_value, set_fields, set_shares, shares_by_hand, unchanged_on_error

_BONES = [name for name, row in rows("chain", type="bone").items() if "of" not in row and name != "end_bone"]
_NAMES = ["name", *_BONES, *POINTS, *POINTS.values()]
_CREATE, _SHARES = "create_targets", "twist_shares"

FIRST_LINE = "# Two-Bone IK chains of "
"""With this begins each file that `save` writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The contents of a setup file.

    path : of the file
    chains : for each [[chain]] its fields by identifier; an object is given by its name
    plant : what [plant] has, options of the command line's `plant`, which reads them
    """

    path: Path
    chains: tuple[Mapping[str, Any], ...]
    plant: Mapping[str, Any] = field(default_factory=dict)


def load(path: Path) -> Setup:
    """Read a setup file; Refused if a key is unknown, or a type, word or number is wrong."""
    chains, others = toml_file.tables(path, "chain", "plant")
    if "plant" not in others:
        toml_file.refuse_empty(path, "chain", chains)
    for number, chain in enumerate(chains, 1):
        _refuse_unfit(_where(path, number), chain)
    return Setup(path=path, chains=tuple(chains), plant=toml_file.table(f'"{path}"', "plant", others))


def _refuse_other(rig: Rig, setup: Setup) -> None:
    """Raise `Refused` for what is no setup, or has other fields than `load` gives."""
    is_setup = isinstance(setup, Setup) and isinstance(setup.chains, Sequence) and isinstance(setup.path, str | Path)
    if not (is_setup and all(isinstance(table, Mapping) for table in (*setup.chains, setup.plant))):
        raise Refused("NOT_A_SETUP", object=rig, value=setup)


def _refuse_unfit(where: str, chain: Mapping[str, Any]) -> None:
    """Raise `Refused` for fields that no chain has, or with other values than they take, and without an end bone."""
    fields = chain_fields()
    fields[_CREATE] = fields["mute"]  # true or false as well
    toml_file.refuse_unknown(where, chain, [*fields, _SHARES])
    if not chain.get("end_bone"):
        raise Refused("NO_BONE.no_end_bone", where=where)
    for key, value in chain.items():
        if key == _SHARES:
            _refuse_unfit_shares(where, value)
        else:
            refuse_value(where, key, fields[key], value, by_name=True)


def _refuse_unfit_shares(where: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise Refused("WRONG_TYPE.field", value=value, wanted=translated("part.shares"), where=where, key=_SHARES)
    for bone, share in value.items():
        refuse_value(where, f'{_SHARES}."{bone}"', PoseBone.bl_rna.properties["two_bone_ik_twist"], share)


def apply(rig: Rig, setup: Setup, create_targets: Callable[[list[str]], object]) -> list[str]:
    """Give the armature the setup's chains and return their names. Chains of the same name change, others stay.

    create_targets : is called with the names of the chains that are to get targets

    raises : Refused if a bone or an object does not exist, or targets cannot be created; then nothing has changed
    """
    refuse_unposable(rig)
    _refuse_other(rig, setup)
    chains: dict[str, tuple[str, dict[str, Any]]] = {}
    for number, fields in enumerate(setup.chains, 1):
        where = _where(setup.path, number)
        _refuse_unfit(where, fields)
        for chain in _filled(rig, where, fields):
            if chain["name"] in chains:
                raise Refused("SAME_NAME", object=rig, bone=chain["end_bone"], value=chain["name"], where=where)
            chains[chain["name"]] = where, _resolved(rig, where, chain)
    shares: dict[str, float] = {}
    with unchanged_on_error(rig):
        for where, chain in chains.values():
            found, wanted = _set(rig, chain), chain.get(_SHARES, {})
            _refuse_other_bones(rig, where, found, wanted)
            shares |= wanted
        if create := [name for name, (_, chain) in chains.items() if chain.get(_CREATE)]:
            create_targets(create)
    set_shares(rig, [rig.two_bone_ik_chains[name] for name in chains], shares)
    return list(chains)


def save(rig: Rig, path: Path, *, create_targets: bool = False, force: bool | None = None) -> None:
    """Write all chains of the armature to a setup file; Refused if the bones of one do not exist.

    create_targets : chains that have no target get one where the setup is applied
    force : a file without write permission is replaced; None where there is no way to ask for it
    """
    lines = [f"{FIRST_LINE}{rig.name!r}"]
    for chain in chosen_chains(rig, rig.two_bone_ik_chains.keys()):
        chain_bones(rig, chain.end_bone, chain.root_bone, chain.name)
        lines += ["", "[[chain]]", *_lines(chain)]
        if shares := shares_by_hand(rig, chain):
            lines.append(toml_file.line(_SHARES, shares))
        if create_targets and not chain.target:
            lines.append(toml_file.line(_CREATE, True))
    atomic_write.write_text(path, "\n".join([*lines, ""]), force=force)


def _where(path: Path, number: int) -> str:
    return translated("part.chain_of_file", number=number, path=path)


def _filled(rig: Rig, where: str, fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The chain once for each bone that fits `end_bone`, with the wildcards of all names filled in."""
    end_bone = fields["end_bone"]
    bones = rig.data.bones.keys()
    if end_bone in bones:
        yield {"name": end_bone, **fields}
        return
    fitting = [(bone, texts) for bone in bones if (texts := wildcard_texts(end_bone, bone)) is not None]
    if not fitting:
        raise _no_bone(rig, where, "end_bone", end_bone)
    for bone, texts in fitting:
        names: dict[str, Any] = {key: _fill(where, key, fields[key], texts) for key in _NAMES if key in fields}
        if _SHARES in fields:
            names[_SHARES] = {_fill(where, _SHARES, name, texts): share for name, share in fields[_SHARES].items()}
        yield {"name": bone, **fields, **names, "end_bone": bone}


def _fill(where: str, key: str, name: str, texts: Sequence[str]) -> str:
    if len(wildcards_in(name)) > len(texts):
        raise Refused("WILDCARDS", value=name, where=where, key=key)
    return filled(name, texts)


def _resolved(rig: Rig, where: str, chain: dict[str, Any]) -> dict[str, Any]:
    """The fields with objects in place of their names; Refused if one does not exist."""
    for key in _BONES:
        if chain.get(key) and chain[key] not in rig.data.bones:
            raise _no_bone(rig, where, key, chain[key])
    chain_bones(rig, chain["end_bone"], chain.get("root_bone", ""), chain["name"])
    objects = {}
    for target, subtarget in POINTS.items():
        item = _object(where, target, chain[target]) if target in chain else rig if chain.get(subtarget) else None
        bone = chain.get(subtarget)
        if bone and is_rig(item) and bone not in item.data.bones:
            raise _no_bone(item, where, subtarget, bone)
        objects[target] = item
    return chain | objects


def _object(where: str, key: str, name: str) -> Object | None:
    if name and name not in bpy.data.objects:
        nearest = nearest_name(name, bpy.data.objects.keys())
        raise Refused("NO_OBJECT", object=name, value=name, where=where, key=key, nearest=nearest)
    return bpy.data.objects[name] if name else None


def _no_bone(rig: Rig, where: str, key: str, bone: str) -> Refused:
    nearest = nearest_name(bone, rig.data.bones.keys())
    return Refused("NO_BONE.in_setup", object=rig, bone=bone, value=bone, where=where, key=key, nearest=nearest)


def _set(rig: Rig, fields: dict[str, Any]) -> TwoBoneIKChain:
    chains = rig.two_bone_ik_chains
    chain = chains.get(fields["name"]) or chains.add()
    given = {key: fields[key] for key in chain_fields() if key in fields}
    set_fields(chain, given)
    for key in chain_fields().keys() - given.keys():
        if key in keyed_options.NAMES:
            setattr(chain, key, chain_fields()[key].default)  # the end bone has it, and keeps it
        else:
            chain.property_unset(key)
    return chain


def _refuse_other_bones(rig: Rig, where: str, chain: TwoBoneIKChain, names: Collection[str]) -> None:
    """Raise `Refused` if one of these is no twist bone of the chain."""
    known = twists_found(rig, chain).names if names else []
    for bone in names:
        if bone not in known:
            nearest = nearest_name(bone, known)
            raise Refused("NO_BONE.no_twist_bone", object=rig, bone=bone, value=bone, where=where, nearest=nearest)


def _lines(chain: TwoBoneIKChain) -> Iterator[str]:
    """TOML lines for the properties that differ from those of a new chain."""
    for key, declared in chain_fields().items():
        value = getattr(chain, key)
        if key in POINTS:
            # Left out, it is the armature itself where there is a bone to look for, otherwise nothing.
            left_out = chain.id_data if getattr(chain, POINTS[key]) else None
            if value != left_out:
                yield toml_file.line(key, value.name if value else "")
        elif key == "name" or value != declared.default:
            yield toml_file.line(key, value, is_angle=declared.subtype == "ANGLE")

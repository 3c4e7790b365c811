"""RNA paths taken apart: a name in quotes may have any character, and `"` and `\\` in it are escaped by `\\`."""

import re
from functools import lru_cache
from typing import Any

import bpy
from bpy.types import ID, FCurve

_QUOTED = r'\["((?:[^"\\]|\\.)*)"\]'
_BONE = re.compile(rf"pose\.bones{_QUOTED}\.?(.*)", re.DOTALL)
_CUSTOM = re.compile(rf"(.*?)({_QUOTED})", re.DOTALL)


@lru_cache(maxsize=1 << 14)
def bone_and_property(path: str) -> tuple[str, str]:
    """The name of the pose bone whose property this is, and the path from there; "" and the path where it is no bone's.

    >>> bone_and_property('pose.bones["hand"].constraints["IK"].influence')
    ('hand', 'constraints["IK"].influence')
    >>> bone_and_property("location")
    ('', 'location')
    """
    found = _BONE.fullmatch(path)
    return (bpy.utils.unescape_identifier(found[1]), found[2]) if found else ("", path)


def owner_and_property(path: str) -> tuple[str, str]:
    """The path of the property's owner, "" for the data-block itself, and its name; a custom one's stays in brackets.

    >>> owner_and_property('pose.bones["hand.L"].location')
    ('pose.bones["hand.L"]', 'location')
    >>> owner_and_property('pose.bones["hand.L"]["v1.0"]')
    ('pose.bones["hand.L"]', '["v1.0"]')
    """
    if custom := path.endswith("]") and _CUSTOM.fullmatch(path):
        return custom[1], custom[2]
    owner, _, name = path.rpartition(".")
    return owner, name


def owner_of(block: ID, path: str) -> Any:
    """What has the property at this path: the data-block itself, or a bone or constraint of it.

    raises : ValueError where it is gone
    """
    owner, _ = owner_and_property(path)
    return block.path_resolve(owner) if owner else block


def value_at(block: ID, path: str) -> Any:
    """What the property is; of a custom one what is stored, where from 5.2 Blender gives the name of a choice.

    raises : KeyError, ValueError where there is none
    """
    name = owner_and_property(path)[1]
    if not name.startswith("["):
        return block.path_resolve(path)
    return owner_of(block, path)[bpy.utils.unescape_identifier(name[2:-2])]


def animated_by(block: ID, curve: FCurve) -> tuple[Any, int | None] | None:
    """What the curve animates, as it is now, and its index, None where that is no array; None if it is gone."""
    try:
        value = value_at(block, curve.data_path)
        is_array = hasattr(value, "__len__") and not isinstance(value, str)
        return (value[curve.array_index], curve.array_index) if is_array else (value, None)
    except (IndexError, KeyError, ValueError):
        return None


def set_value_at(block: ID, path: str, value: object) -> None:
    """Set the property to such a value.

    raises : ValueError where its owner is gone
    """
    owner, name = owner_of(block, path), owner_and_property(path)[1]
    if name.startswith("["):
        owner[bpy.utils.unescape_identifier(name[2:-2])] = value
    else:
        setattr(owner, name, value)

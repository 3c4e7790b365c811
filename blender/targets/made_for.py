"""The mark of what Create Targets has made, and whose targets they are once the armature was duplicated.

The mark is the name of the armature object, in `two_bone_ik_made_for`. Pointers would keep deleted armatures in the
file.
"""

from typing import Any

import bpy

from ..armatures import Rig, is_rig
from ..settings.properties import TwoBoneIKChain
from .target_names import Role


def mark(made: Any, name: str) -> None:
    """Mark an object or a collection as made for the armature object of this name."""
    made.two_bone_ik_made_for = name


def is_marked(item: Any) -> bool:
    """True if Create Targets has made the object or collection."""
    return bool(item.two_bone_ik_made_for)


def is_of_twin(chain: TwoBoneIKChain, role: Role) -> bool:
    """True if the chain's armature was duplicated from the one for which this target was made, and both use it."""
    rig, target = chain.id_data, getattr(chain, role)
    if target is None or not is_marked(target):
        return False
    owner = _owner(target, rig)
    # A hand may hold on to the target of another character's foot.
    twins = (twin for twin in owner.two_bone_ik_chains if twin.end_bone == chain.end_bone)
    return owner != rig and any(getattr(twin, role) == target for twin in twins)


def _owner(target: Any, rig: Rig) -> Rig:
    """The armature that an empty was made for: one of those that use it, as `rig` does.

    If it was renamed since, Blender's names tell: "Hero.001" is the copy of "Hero".
    """
    made_for: str = target.two_bone_ik_made_for
    if made_for == rig.name:
        return rig
    # A linked armature may be the only one that uses it, and is not looked at.
    rigs = [item for item in bpy.data.objects if is_rig(item) and not item.library]
    users = [user for user in rigs for chain in user.two_bone_ik_chains if target in (chain.target, chain.pole_target)]
    return min(users, key=lambda user: (user.name != made_for, user.name), default=rig)

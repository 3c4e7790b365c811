"""Removes what Create Targets has made, with its keys, and nothing else."""

from ..armatures import Rig
from ..bake.build_plan import Names, chosen_chains, scene_of
from ..messages.refused import Refused
from ..scene.checks import refuse_unposable
from . import target_bones, target_empties
from .made_for import items_in_use, made
from .new_targets import Role


def remove(rig: Rig, names: Names) -> tuple[str, ...]:
    """Remove the targets that were made for chains `names` (None: all that are not muted), and return their names.

    What another chain uses as well stays; the chains themselves have no target then.

    raises : Refused if nothing was made for these chains
    """
    refuse_unposable(rig)
    scene = scene_of(rig)
    owned = [(chain, role, item) for chain in chosen_chains(rig, names) for role in Role if (item := made(chain, role))]
    if not owned:
        raise Refused("NO_MADE_TARGETS", object=rig)
    for chain, role, _ in owned:
        chain.property_unset(role)
        chain.property_unset(role.bone_field)
    used = items_in_use()
    items = dict.fromkeys(item for _, _, item in owned if (item[0].data if item[1] else item[0], item[1]) not in used)
    removed = tuple(bone or target.name for target, bone in items)
    target_bones.remove(rig, scene, [bone for _, bone in items if bone])
    target_empties.remove([target for target, bone in items if not bone])
    return removed

"""The settings of one chain for others: one press for many."""

from collections.abc import Collection, Sequence

from bpy.types import Object

from ..blender.bake.build_plan import chosen_chains
from ..blender.chains.copy_settings import SECTIONS, copy, known_sections, mirror
from ..blender.scene.checks import given_rig, refuse_unposable


def copy_settings(
    rig: Object, chain: str, to: Sequence[str] | None = None, *, sections: Collection[str] = tuple(SECTIONS)
) -> dict[str, str]:
    """Give other chains the settings of this one; those on the other side get them mirrored.

    to : names of chains; None for all that are not muted
    sections : any of TARGET, BONES, BEND and REACH, as in the panel. Targets, bones, shares of twist that were set by
        hand, and hinge axis go to the chain of the same limb on the other side only, with .L and .R exchanged in names;
        every other chain keeps its own
    returns : by chain what keeps its poses from being mirror images, "" if nothing does
    raises : Refused where bones or chains do not exist; then no chain has changed

    >>> _ = api.add_detected(rig)
    >>> chain = api.ensure_chain(rig, "forearm.L", pole_angle=0.5, use_bend_limits=True, bend_max=2.0)
    >>> api.copy_settings(rig, "forearm.L", sections=["BEND"])
    {'Arm.R': ''}
    >>> rig.two_bone_ik_chains["Arm.R"].pole_angle, rig.two_bone_ik_chains["Arm.R"].bend_max
    (-0.5, 2.0)
    """
    rig = given_rig(rig)
    refuse_unposable(rig)
    sections = known_sections(sections)
    [source] = chosen_chains(rig, [chain])
    others = [other for other in chosen_chains(rig, to) if other != source]
    return copy(rig, source, others, sections)


def mirror_settings(rig: Object, chain: str, *, sections: Collection[str] = tuple(SECTIONS)) -> dict[str, str]:
    """Give the chain of the same limb on the other side the settings of this one, mirrored as `copy_settings` does it.

    A chain is added where there is none.

    raises : Refused where there is no other side; then no chain has changed

    >>> api.mirror_settings(rig, "forearm.L")
    {'forearm.R': ''}
    >>> rig.two_bone_ik_chains["forearm.R"].end_bone
    'forearm.R'
    """
    rig = given_rig(rig)
    refuse_unposable(rig)
    [source] = chosen_chains(rig, [chain])
    return mirror(rig, source, known_sections(sections))

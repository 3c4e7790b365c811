"""Limbs with chains, and those without that detect finds: where they can be pulled, and whose limb a bone is.

Also what shows of them: whether a known rig shows its IK, and which IK constraints hide what chains pose.
"""

from array import array
from collections.abc import Iterator
from typing import Any, NamedTuple

from bpy.types import Depsgraph
from mathutils import Matrix, Vector

from ..armatures import Rig
from ..messages.refused import Refused
from ..rigs.known_limbs import known_by_end, limb_having
from ..rigs.rig_files import KnownLimb
from ..rigs.switch_property import shown_control_set
from ..scene import dependencies
from ..session import session
from ..settings.properties import TwoBoneIKChain, chain_of, limb_bones
from .detect.by_name import is_driven
from .detect.find_limbs import Kind, Limb, limbs


class Joints(NamedTuple):
    """A limb by its end bone, and where its joints are in the world as Blender evaluates them.

    handle : the bone that a user has in view to pull the limb: the end bone, or where the rig shows IK, its control
    """

    end_bone: str
    handle: str
    mid: Matrix
    tip: Matrix


def joints(rig: Rig, depsgraph: Depsgraph) -> Iterator[Joints]:
    """The joints of each limb that has a chain, or is an arm or a leg."""
    evaluated: Any = rig.evaluated_get(depsgraph)
    bones = evaluated.pose.bones
    large = (limb for limb in _detected(rig) if limb.kind in (Kind.ARMS, Kind.LEGS))
    by_end: dict[str, Any] = {limb.end_bone: limb for limb in (*large, *rig.two_bone_ik_chains)}
    known_limbs = known_by_end(rig)
    for name, limb in by_end.items():
        if name in bones:
            in_ik = shows_ik(rig, known_limbs.get(name))
            handle = in_ik.control or name if in_ik else name
            places = (evaluated.matrix_world @ joint for joint in mid_and_tip(bones, limb, in_ik))
            yield Joints(name, handle, *(Matrix.Translation(place) for place in places))


def mid_and_tip(bones: Any, limb: Any, in_ik: KnownLimb | None) -> tuple[Vector, Vector]:
    """Where these joints of a limb show, in armature space.

    bones : pose bones
    limb : a chain, or a limb without one
    in_ik : where a known rig shows its IK, the limb as it knows it
    """
    if in_ik:
        mid, tip = in_ik.showing_ik[1:3]
        return bones[mid].head, bones[tip].head
    end = bones[limb.end_bone]
    if limb.tip_bone in bones:
        return end.head, bones[limb.tip_bone].head
    return end.head, bones[limb.hock_bone].tail if limb.hock_bone in bones else end.tail


def shows_ik(rig: Rig, limb: KnownLimb | None) -> KnownLimb | None:
    """The limb of a known rig itself if the rig shows its IK alone."""
    return limb if limb and shown_control_set(rig, limb) == "IK" else None


def limb_of(rig: Rig, bone: str) -> str | Limb:
    """The limb that this bone ends, otherwise the one it belongs to: the name of its chain, or what detect finds.

    On known rigs that is also the limb that the bone is a control of, as of IK.

    raises : Refused where there is no such limb
    """
    chains = sorted(rig.two_bone_ik_chains, key=lambda chain: chain.mute)
    others = (limb for limb in _detected(rig) if not chain_of(rig, limb.end_bone))
    candidates: list[Limb | TwoBoneIKChain] = [*chains, *others]
    ending = [limb for limb in candidates if limb.end_bone == bone]
    for limb in ending or [limb for limb in candidates if bone in limb_bones(rig, limb)]:
        return limb if isinstance(limb, Limb) else limb.name
    known_limb = limb_having(rig, bone)
    if known_limb and bone != known_limb.fk[1]:
        return limb_of(rig, known_limb.fk[1])
    raise Refused("NO_LIMB", object=rig, bone=bone)


def ik_hiding_chains(rig: Rig) -> list[tuple[str, str]]:
    """(bone, constraint) for each IK constraint that moves bones of a chain, and so hides what a bake keys."""
    chains = [chain for chain in rig.two_bone_ik_chains if not chain.mute]
    bones = {name for chain in chains for name in limb_bones(rig, chain)}
    return dependencies.hiding(dependencies.constrained(rig), bones)


_known: dict[int, tuple[object, tuple[Limb, ...]]] = session.of_file({})


def _detected(rig: Rig) -> tuple[Limb, ...]:
    """Limbs of all kinds, found again only where what detect reads has changed: that takes long in a large rig."""
    bones = rig.data.bones
    places = [array("f", bytes(12 * len(bones))) for _ in range(2)]
    for name, coordinates in zip(("head_local", "tail_local"), places, strict=True):
        bones.foreach_get(name, coordinates)
    seen = [(bone.name, bone.parent and bone.parent.name, is_driven(rig, bone)) for bone in bones], places
    if rig.session_uid not in _known or _known[rig.session_uid][0] != seen:
        _known[rig.session_uid] = seen, limbs(rig, set(Kind))
    return _known[rig.session_uid][1]

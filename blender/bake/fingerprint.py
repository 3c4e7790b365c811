"""Whether a plan is still right: the values that it was read from, far cheaper to compare than to read a plan again."""

from collections.abc import Sequence
from dataclasses import dataclass

from bpy.types import Bone, Object

from ...skeleton.values import Plan, Point
from .. import versions
from ..armatures import Rig
from ..scene import dependencies
from . import twist_bones
from .chain import current_options

Values = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fingerprint:
    """The values from which the chains of a plan were read, while its targets are there.

    names : of the bones that were read
    places : all that the chains' places depend on
    items : their objects, each once
    uids : of these
    ties : what decides what these follow
    stored : how many choices of each chain are stored: Blender calls no update when one is unset
    spread : the bones over which chains spread their twist, and those left alone; they change with `rest` alone
    own : what else decides, on the armature object itself
    rest : what the bones have at rest; it changes with the data of an armature alone
    """

    plan: Plan
    names: Sequence[str]
    places: Sequence[Point]
    items: Sequence[Object]
    uids: Sequence[int]
    ties: Sequence[object]
    stored: Sequence[int]
    spread: Sequence[str]
    own: Values
    rest: tuple[Values, list[twist_bones.FoundBones] | None]

    @classmethod
    def of(cls, plan: Plan) -> "Fingerprint":
        """Of a plan that was just read."""
        names, places = _names(plan), tuple(dependencies.links(plan.chains, driven=True))
        rest = _rest(plan, names)
        spread = [name for found in rest[1] or () for name in found.names]
        items = tuple(dict.fromkeys(place.object for place in places))
        return cls(
            plan=plan,
            names=names,
            places=places,
            items=items,
            uids=_uids(items),
            ties=[*map(dependencies.ties, places)],
            stored=_stored(plan.rig),
            spread=spread,
            own=_own(plan, names, spread),
            rest=rest,
        )

    def is_right(self) -> bool:
        """True if reading the chains would give the same plan, as long as the bones are the same at rest.

        raises : ReferenceError where one of the objects was removed
        """
        return (
            _uids(self.items) == self.uids
            and _stored(self.plan.rig) == self.stored
            and _own(self.plan, self.names, self.spread) == self.own
            and [*map(dependencies.ties, self.places)] == self.ties
        )

    def is_right_at_rest(self) -> bool:
        """True if the bones are the same at rest."""
        return _rest(self.plan, self.names) == self.rest


def _uids(items: Sequence[Object]) -> list[int]:
    return [item.session_uid for item in items]


def _stored(rig: Rig) -> list[int]:
    return [*map(len, versions.stored(rig).get("two_bone_ik_chains", ()))]


def _own(plan: Plan, names: Sequence[str], spread: Sequence[str]) -> Values:
    bones = plan.rig.pose.bones
    modes = [bone and bone.rotation_mode for bone in map(bones.get, names)]
    shares = [bones.get(part.bone.name) for chain in plan.chains for part in chain.twists if not part.animated]
    shares = [bone and bone.two_bone_ik_twist for bone in shares]
    # An option that changes reads its chain again, unless something animates it.
    numbers = [current_options(plan.rig, chain) for chain in plan.chains] if plan.rig.animation_data else None
    return modes, numbers, shares, twist_bones.turned_by_others(plan.rig, spread) if spread else None


def _spread(plan: Plan) -> list[twist_bones.FoundBones]:
    """Of the chains that spread their twist."""
    listed = ((chain, plan.rig.two_bone_ik_chains.get(chain.name)) for chain in plan.chains)
    return [twist_bones.found_for(chain) for chain, own in listed if own and own.use_twist]


def _names(plan: Plan) -> list[str]:
    """Of the bones that were read."""
    between = (bones[:-1] for chain in plan.chains for bones in chain.dependents.values())
    limbs = (chain.carrying for chain in plan.chains)
    return [bone.name for some in (*limbs, *between) for bone in some]


def _rest(plan: Plan, names: Sequence[str]) -> tuple[Values, list[twist_bones.FoundBones] | None]:
    points = (point for chain in plan.chains for point in chain.targets if point.bone)
    exist = [point.bone in point.object.data.bones for point in points]
    bones = [bone_at_rest(plan.rig, name) for name in names]
    return (dependencies.links(plan.chains, driven=True), exist, bones), _spread(plan) if all(bones) else None


def bone_at_rest(rig: Rig, name: str) -> Values | None:
    """All that `read_bone` reads of a bone in the armature's data; None if it is gone."""
    bone: Bone | None = rig.data.bones.get(name)
    if not bone:
        return None
    parent = bone.parent
    return (
        (bone.use_inherit_rotation, bone.use_local_location, bone.inherit_scale),
        (bone.length, bone.head.copy(), bone.matrix.copy(), bone.matrix_local.copy()),
        parent and (parent.name, parent.length),
    )

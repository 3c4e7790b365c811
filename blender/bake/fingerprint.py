"""Whether a plan is still right: the values that it was read from, far cheaper to compare than to read a plan again."""

from bpy.types import Bone

from ...skeleton.values import Plan
from .. import versions
from ..armatures import Rig
from ..scene import dependencies
from . import twist_bones
from .chain import current_options

Values = tuple[object, ...]


class Fingerprint:
    """The values from which the chains of a plan that was just read were read, while its targets are there.

    items : objects that the chains' places depend on, each once
    """

    def __init__(self, plan: Plan) -> None:
        limbs = (chain.carrying for chain in plan.chains)
        between = (bones[:-1] for chain in plan.chains for bones in chain.dependents.values())
        self._plan, self._names = plan, [bone.name for some in (*limbs, *between) for bone in some]
        self._at_rest = self._rest()
        (links, *_), found = self._at_rest
        self._places, self.items = [*links], tuple(dict.fromkeys(place.object for place in links))
        # The bones over which chains spread their twist, and those left alone: they change with the rest pose alone.
        self._spread = [name for of_chain in found or () for name in of_chain.names]
        self._uids = self._present()
        self._values = self._now()

    def is_right(self, *, rest: bool) -> bool:
        """True if reading the chains would give the same plan.

        rest : whether the bones may be others at rest
        raises : ReferenceError where one of the objects was removed
        """
        same = self._present() == self._uids and self._now() == self._values
        return same and not (rest and self._rest() != self._at_rest)

    def _present(self) -> list[int]:
        return [item.session_uid for item in self.items]

    def _now(self) -> Values:
        """What may change without the data of an armature."""
        plan, rig = self._plan, self._plan.rig
        # How many choices of each chain are stored: Blender calls no update when one is unset.
        stored = [*map(len, versions.stored(rig).get("two_bone_ik_chains", ()))]
        bones = rig.pose.bones
        modes = [bone and bone.rotation_mode for bone in map(bones.get, self._names)]
        twists = [bones.get(part.bone.name) for chain in plan.chains for part in chain.twists if not part.animated]
        shares = [bone and bone.two_bone_ik_twist for bone in twists]
        # An option that changes reads its chain again, unless something animates it.
        numbers = [current_options(rig, chain) for chain in plan.chains] if rig.animation_data else None
        turned = twist_bones.turned_by_others(rig, self._spread) if self._spread else None
        return stored, modes, numbers, shares, turned, [*map(dependencies.ties, self._places)]

    def _rest(self) -> tuple[tuple[dependencies.Links, object, object], list[twist_bones.FoundBones] | None]:
        """What changes with the data of an armature alone, and over which bones it lets chains spread their twist."""
        plan = self._plan
        points = (point for chain in plan.chains for point in chain.targets if point.bone)
        exist = [point.bone in point.object.data.bones for point in points]
        bones = [bone_at_rest(plan.rig, name) for name in self._names]
        listed = ((chain, plan.rig.two_bone_ik_chains.get(chain.name)) for chain in plan.chains)
        spreading = [chain for chain, own in listed if own and own.use_twist]
        found = [twist_bones.found_for(chain) for chain in spreading] if all(bones) else None
        return (dependencies.links(plan.chains, driven=True), exist, bones), found


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

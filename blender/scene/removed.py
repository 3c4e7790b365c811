"""What was read by objects and names may be removed while Blender is evaluated, by frame handlers or between steps."""

from collections import defaultdict

from bpy.types import Object

from ...skeleton.values import Plan
from ..armatures import is_rig
from ..messages.refused import Refused


class Removal:
    """Tells, by names that it keeps, what of a plan has been removed since: a removed object has no name any more."""

    def __init__(self, plan: Plan) -> None:
        self._rig = plan.rig.name
        needed: defaultdict[Object, set[str]] = defaultdict(set, {plan.rig: set()})
        for chain in plan.chains:
            needed[chain.rig] |= {bone.name for bone in (*chain.bones, *chain.below)}
            for item, bone in filter(None, (chain.target, chain.pole, chain.parent)):
                needed[item] |= {bone} - {""}
        self._needed = sorted((item.name, item, sorted(bones)) for item, bones in needed.items())

    def refuse(self) -> None:
        """Raise `Refused` for the first that is gone, if any is."""
        for name, item, needed in self._needed:
            try:
                bones = item.data.bones if is_rig(item) else ()
            except ReferenceError:
                raise Refused("REMOVED.object", object=name, rig=self._rig) from None
            if gone := next((bone for bone in needed if bone not in bones), ""):
                raise Refused("REMOVED.bone", object=name, bone=gone, rig=self._rig)

"""What was read by objects and names may be removed while Blender is evaluated, by frame handlers or between steps."""

from bpy.types import Object

from ....skeleton.values import Plan
from ...armatures import is_rig
from ...messages.refused import Refused


class Removal:
    """Tells, by names that it keeps, what of a plan has been removed since: a removed object has no name any more."""

    def __init__(self, plan: Plan) -> None:
        self._rig = plan.rig.name
        bones = {(chain.rig, bone.name) for chain in plan.chains for bone in (*chain.bones, *chain.below)}
        points = {point for chain in plan.chains for point in (chain.target, chain.pole, chain.parent) if point}
        places = [(item.name, bone, item) for item, bone in {(plan.rig, ""), *bones, *points}]
        self._places: list[tuple[str, str, Object]] = sorted(places, key=lambda place: place[:2])

    def refuse(self) -> None:
        """Raise `Refused` for the first that is gone, if any is."""
        for name, bone, item in self._places:
            if _gone(item, bone):
                raise Refused(
                    "REMOVED.bone" if bone and not _gone(item) else "REMOVED.object",
                    object=name,
                    bone=bone,
                    rig=self._rig,
                )


def _gone(item: Object, bone: str = "") -> bool:
    try:
        bones = item.data.bones if is_rig(item) else ()
    except ReferenceError:
        return True
    return bool(bone) and bone not in bones

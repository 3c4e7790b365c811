"""What lies under the mouse, for a tip to snap to."""

from bpy.types import ArmatureModifier, Depsgraph, Object, Scene
from mathutils import Vector

from ..armatures import Rig

_BEHIND = 1.0 + 1e-5
"""The next surface is looked for this much farther away: a ray in single precision would meet the same one again."""


def surface(scene: Scene, depsgraph: Depsgraph, eye: Vector, direction: Vector, *, rig: Rig) -> Vector | None:
    """The first place that a ray meets, in world space; None where it meets nothing.

    rig : looked through, with all that it deforms or carries: these would follow the tip that snaps to them
    """
    distance = 0.0
    while True:
        hit, place, _, _, item, _ = scene.ray_cast(depsgraph, eye + direction * distance, direction)
        if not hit:
            return None
        if not _goes_along(item, rig):
            return place
        behind = (place - eye).length * _BEHIND
        if behind <= distance:
            return None  # at the eye, or farther from the origin than single precision can tell apart
        distance = behind


def _goes_along(item: Object | None, rig: Rig) -> bool:
    while item:
        deforming = [modifier.object for modifier in item.modifiers if isinstance(modifier, ArmatureModifier)]
        if rig in (item, *deforming):
            return True
        item = item.parent
    return False

"""Auto keying keys the pose that the user set; this replaces it with the pose that Live shows."""

from collections.abc import Iterable

from bpy.types import Scene
from mathutils import Matrix

from ...skeleton.values import MERGE, Bone
from ..armatures import Rig
from ..curves import write
from ..curves.keys import by_path_and_index, rotation_curves

Keys = dict[tuple[str, int], tuple[int, bool]]
"""By RNA path and index of an F-curve how many keys it has, and whether one is on the current frame."""


class OwnPose:
    """The last poses of bones that Live did not write, and what decides whether the user set them, as of now.

    matrices : by name of a bone its `matrix_basis`
    keys : see `Keys`; None if auto keying is off
    """

    def __init__(self, rig: Rig, bones: Iterable[Bone], matrices: dict[str, Matrix], scene: Scene) -> None:
        self.matrices = matrices
        self.keys = _keys(rig, bones, scene) if scene.tool_settings.use_keyframe_insert_auto else None
        action = rig.animation_data and rig.animation_data.action
        self._posed_by = write.times(), scene.frame_current_final, action.name if action else ""

    def turned_by_hand(self, before: "OwnPose") -> set[str]:
        """Names of the bones that users may have posed since: another frame, action or bake poses them as well."""
        if before._posed_by != self._posed_by:
            return set()
        return {name for name, matrix in self.matrices.items() if matrix != before.matrices.get(name, matrix)}


def key(rig: Rig, bones: Iterable[Bone], scene: Scene, before: Keys | None) -> bool:
    """Give keys that auto keying has set on the current frame the pose that Live shows; False if there are none.

    before : the keys before that. If a curve has as many now, but one is newly on this frame, it was moved there and is
        left alone
    """
    frame, keyed = scene.frame_current_final, []
    for (path, index), curve in by_path_and_index(rotation_curves(rig, bones)).items():
        count, was_there = (before or {}).get((path, index), (0, False))
        for point in curve.keyframe_points:
            is_new = before is None or was_there or len(curve.keyframe_points) > count
            if is_new and abs(point.co.x - frame) < MERGE:
                point.co_ui.y = rig.path_resolve(path)[index]
                keyed.append(curve)
    for curve in keyed:
        curve.update()
    return bool(keyed)


def _keys(rig: Rig, bones: Iterable[Bone], scene: Scene) -> Keys:
    frame = scene.frame_current_final
    return {
        place: (len(curve.keyframe_points), any(abs(key.co.x - frame) < MERGE for key in curve.keyframe_points))
        for place, curve in by_path_and_index(rotation_curves(rig, bones)).items()
    }

"""Which holds show that they are out of date: the target, as Blender evaluates it, is not where it was held."""

from collections.abc import Iterator

import numpy as np
from bpy.types import Bone, Depsgraph, Object, PoseBone
from mathutils import Matrix

from ...skeleton.rounding import near
from ..armatures import Rig
from ..hold.holds import shown, undisputed
from ..scene.dependencies import target_of
from ..settings.properties import TwoBoneIKChain, TwoBoneIKHold


def hold_states(chain: TwoBoneIKChain, depsgraph: Depsgraph) -> Iterator[tuple[str, bool]]:
    """Of each hold of the chain's target what it is called, and whether it shows that it is out of date."""
    frame = np.array([depsgraph.scene.frame_current_final])
    point = target_of(chain, "target")
    for record, hold, later in shown(point) if point else ():
        yield record.name, len(undisputed(hold, later, frame)) > 0 and _is_off(chain, record, depsgraph)


def _is_off(chain: TwoBoneIKChain, record: TwoBoneIKHold, depsgraph: Depsgraph) -> bool:
    target = _world(chain.target, record.bone, depsgraph)
    space = _world(record.space, record.space_bone, depsgraph) if record.space else Matrix()
    if target is None or space is None:
        return False  # hidden, it stays where it was: this cannot be told
    place = (space @ record.grip).translation
    largest = max(abs(vector[axis]) for vector in (place, target.translation) for axis in range(3))
    return (place - target.translation).length > near(_length(chain), largest)


def _length(chain: TwoBoneIKChain) -> float:
    rig: Rig = chain.id_data
    bone: Bone | None = rig.data.bones.get(chain.end_bone)
    return 2.0 * bone.length * rig.matrix_world.median_scale if bone else 1.0


def _world(item: Object, bone: str, depsgraph: Depsgraph) -> Matrix | None:
    if item.name not in depsgraph.view_layer_eval.objects:
        return None
    shown = item.evaluated_get(depsgraph)
    if not bone:
        return shown.matrix_world
    pose_bone: PoseBone | None = shown.pose.bones.get(bone)
    return shown.matrix_world @ pose_bone.matrix if pose_bone else None

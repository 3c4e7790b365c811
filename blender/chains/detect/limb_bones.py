"""The bones of a limb that was found."""

from dataclasses import dataclass

from bpy.types import Bone
from mathutils import Vector

from .bone_names import Label


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LimbBones:
    """Bones of a limb; `tip` is None if the end bone is the last, `why` is the reason in one sentence."""

    label: Label
    root: Bone
    end: Bone
    tip: Bone | None
    why: str

    @property
    def reach(self) -> tuple[Vector, Vector]:
        """Positions of the limb's beginning and its tip at rest, in armature space."""
        return self.root.head_local, self.tip.head_local if self.tip else self.end.tail_local


def bones_named(*bones: Bone | None) -> str:
    """The names of these bones, as a sentence lists them."""
    return ", ".join(f'"{bone.name}"' for bone in bones if bone)

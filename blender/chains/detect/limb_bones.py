"""A limb that was found, as the bones that make it."""

from __future__ import annotations

from dataclasses import dataclass

from bpy.types import Bone
from mathutils import Vector

from .bone_names import Label


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LimbBones:
    """tip : None where the end bone ends the limb; why : what told, in one sentence."""

    label: Label
    root: Bone
    end: Bone
    tip: Bone | None
    why: str

    @property
    def reach(self) -> tuple[Vector, Vector]:
        """Where the limb begins and where its tip is, at rest, in armature space."""
        return self.root.head_local, self.tip.head_local if self.tip else self.end.tail_local


def bones_named(*bones: Bone | None) -> str:
    """Their names, as they stand in sentences."""
    return ", ".join(f'"{bone.name}"' for bone in bones if bone)

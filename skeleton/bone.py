"""Bones as the arithmetic needs them: *read* takes them from Blender once, nothing here looks into Blender again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeAlias

from ..solver.values import Array
from .rotation_mode import rotation_name

LocalToPose: TypeAlias = Callable[[Array, Array | None], Array]
"""From `matrix_basis` and the parent bone's pose, None without one, to the bone's pose, each (n, 4, 4)."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bone:
    """One bone of an armature object: its rest, its rules of inheritance, and where its rotation is kept.

    path : RNA path of the pose bone, from the armature object
    length : armature units
    offset : (4, 4) at rest, from the bone to its parent bone; to the armature where it has none
    rotation_mode, use_inherit_rotation, use_local_location, inherit_scale : Blender's
    local_to_pose : Blender's own conversion; None for a bone whose pose always is one product of matrices
    """

    name: str
    path: str
    length: float
    has_parent: bool
    offset: Array
    rotation_mode: str = "QUATERNION"
    use_inherit_rotation: bool = True
    use_local_location: bool = True
    inherit_scale: str = "FULL"
    local_to_pose: LocalToPose | None = None

    @property
    def rules(self) -> Hashable:
        """What bones have to share to be posed side by side."""
        return self.has_parent, self.use_inherit_rotation, self.use_local_location, self.inherit_scale

    @property
    def tail(self) -> tuple[float, float, float]:
        """The bone's tail in its own space."""
        return 0.0, self.length, 0.0

    @property
    def rotation_path(self) -> str:
        """RNA path, from the armature object, of the property that holds the bone's rotation."""
        return f"{self.path}.{rotation_name(self.rotation_mode)}"

    @property
    def scale_path(self) -> str:
        """RNA path, from the armature object, of the bone's scale."""
        return f"{self.path}.scale"

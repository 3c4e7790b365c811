"""How the poses of bones follow from their parents' poses and their own channels, on all frames at once.

Always for `c` bones side by side, which inherit by the same rules. For plain inheritance a pose is one product of
matrices. All other rules are those of Blender's BKE_bone_parent_transform_calc_from_matrices; its own conversion goes
frame by frame and in single precision, which would add up where one bake follows another.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..solver.values import Array
from ..solver.vectors import along, cross, dot, norm, product, rejection, unit
from . import transform
from .transform import NOT_OVER_FRAMES, Basis, affine_product
from .values import Bone

Bones = tuple[Bone, ...]
"""Bones side by side that inherit by the same rules, one at least."""


def pose(bones: Bones, parent: Array | None, basis: Array) -> Array:
    """(n, c, 4, 4) from the bones to their armatures.

    parent : (n, c, 4, 4) or None     poses of their parent bones, in armature space
    basis : (n, c, 4, 4)              their own channels, as `matrix_basis`; (4, 4) where all have the same
    """
    offset = np.array([bone.offset for bone in bones])
    local = affine_product(offset, basis)
    if is_plain(bones, parent):
        return local if parent is None else affine_product(parent, local)
    above = np.eye(4)[None, None] if parent is None else parent
    axes, after = _inherited(bones, above)
    place = local[..., :3, 3] if bones[0].use_local_location else offset[:, :3, 3] + basis[..., :3, 3]
    scaled = product(axes, basis[..., :3, :3]) * after[..., None, :]
    return transform.compose(scaled, transform.transform_points(above, place))


def _inherited(bones: Bones, parent: Array) -> tuple[Array, Array]:
    """(n, c, 3, 3) what turns and scales bones before their own channels, (n, c, 3) what scales them after these."""
    rule, linear = bones[0].inherit_scale, parent[..., :3, :3]
    axes, sizes = _turned_axes(rule, linear) if bones[0].use_inherit_rotation else _resting_axes(bones, linear)
    if rule == "AVERAGE":
        axes = axes * _mean_scale(linear)[..., None]
    axes = product(axes, np.array([bone.offset[:3, :3] for bone in bones]))
    return _upright(axes) if rule == "FIX_SHEAR" else axes, sizes if rule == "ALIGNED" else np.ones(3)


def _turned_axes(rule: str, parent: Array) -> tuple[Array, Array]:
    axes = parent if rule in (*SHEARING, "NONE_LEGACY") else _upright(parent)
    return axes if rule in SHEARING else transform.unscaled(axes), transform.lengths(axes)


def _resting_axes(bones: Bones, parent: Array) -> tuple[Array, Array]:
    rule, axes = bones[0].inherit_scale, np.array([bone.parent_rest for bone in bones])
    sizes = transform.lengths(parent)
    if rule != "FULL":
        # Sheared, it is less than these in volume.
        sizes = sizes * np.where(sizes.all(axis=-1, keepdims=True), _mean_scale(transform.unscaled(parent)), 1.0)
    return axes * sizes[..., None, :] if rule in SHEARING else axes, sizes


def _mean_scale(linear: Array) -> Array:
    """(n, c, 1) the scale on all axes that keeps the volume."""
    return np.cbrt(np.abs(np.linalg.det(linear)))[..., None]


SHEARING = ("FULL", "FIX_SHEAR")
"""Values of Inherit Scale with which a bone that is turned against a scaled one is sheared."""

_SHEARED, _FLAT = 1e-4, 1.0 - 1e-7
"""Cosines of the angle between x and z: Blender takes shear out above the first, and none above the second."""


def _upright(linear: Array) -> Array:
    """(n, c, 3, 3) without shear: x and z are moved along y, then turned apart by as much, and keep their area."""
    x, y, z = np.moveaxis(linear, -1, 0)
    x, z = rejection(x, unit(y)), rejection(z, unit(y))
    to_x, to_z = unit(x), unit(z)
    between, apart = unit(to_x + to_z), unit(to_x - to_z)
    size, cosine = np.sqrt(norm(cross(to_x, to_z)) / 2.0), np.abs(dot(to_x, to_z))[..., None]
    sheared = (cosine > _SHEARED) & (cosine < _FLAT)
    x = np.where(sheared, along(between + apart, size * norm(x)), x)
    z = np.where(sheared, along(between - apart, size * norm(z)), z)
    return np.stack((x, y, z), axis=-1)


def poses(rows: Iterable[Bones], above: Array, bases: Iterable[Basis]) -> list[Array]:
    """(n, c, 4, 4) of bones that carry each other, on these poses of what carries the first, which come first."""
    found = [above]
    for bones, basis in zip(rows, bases, strict=False):
        found.append(pose(bones, found[-1], basis.matrix))
    return found


def rotation_base(bones: Bones, parent: Array | None, location: Array) -> Array:
    """(n, c, 4, 4) in armature space, what the rotations of bones at their own `location` (n, c, 3) are applied on."""
    base = pose(bones, parent, transform.translation(location))
    return transform.compose(base[..., :3, :3] / _scale_after(bones, parent)[..., None, :], base[..., :3, 3])


def _scale_after(bones: Bones, parent: Array | None) -> Array:
    """(n, c, 3) the scale that comes after the bones' own rotation, along their own axes: that which is aligned."""
    if parent is None or bones[0].inherit_scale != "ALIGNED" or is_plain(bones, parent):
        return np.ones(3)
    _, scale = _inherited(bones, parent)
    return np.where(scale > 0.0, scale, 1.0)


def rotation(bones: Bones, parent: Array | None, scale: Array, orientation: Array) -> Array:
    """(n, c, 3, 3) rotations, as channels have them, that point the bones' x and y axes as `orientation` has them.

    scale : (n, c, 3)                 the bones' own, whose signs turn their axes round
    orientation : (n, c, 3, 3)        in armature space
    """
    base = rotation_base(bones, parent, np.zeros(3))[..., :3, :3]
    inverse, flat = transform.nearest_inverse(base)
    linear = product(inverse, orientation)
    return transform.rotation(transform.without_rounding(linear) if flat.any() else linear, scale)


def turned_back(bones: Bones, parent: Array | None, basis: Basis, poses: Array) -> Basis:
    """The basis with which bones are oriented as in these poses (n, c, 3 or 4, 3 or 4), on others of their parents."""
    return basis.with_rotation(rotation(bones, parent, basis.scale, transform.orientation(poses[..., :3, :3])))


def location(bones: Bones, parent: Array | None, head: Array, still: Array | None = None) -> Array:
    """(n, c, 3) locations, as channels have them, that put the bones' heads at `head` (n, c, 3), in armature space.

    still : (n, c, 4, 4) how the bones are posed without channels, if that is known
    """
    still = pose(bones, parent, np.eye(4)) if still is None else still
    # What a bone inherits of rotation and scale says nothing about where its own location takes it.
    moves = np.array([bone.offset[:3, :3] if bone.use_local_location else np.eye(3) for bone in bones])
    moves = moves if parent is None else product(parent[..., :3, :3], moves)
    return transform.transform_vectors(transform.inverse(moves), head - still[..., :3, 3])


def basis(bones: Bones, parent: Array | None, poses: Array) -> Basis:
    """The channels (n, c, ...) that give bones these poses (n, c, 4, 4), but for shear, which no channel has."""
    still = pose(bones, parent, np.eye(4))
    if is_plain(bones, parent):
        local = affine_product(transform.inverse(still), poses)
        linear, place = local[..., :3, :3], local[..., :3, 3]
    else:
        after = _scale_after(bones, parent)[..., None, :]
        linear = product(transform.inverse(still[..., :3, :3] / after), poses[..., :3, :3]) / after
        place = location(bones, parent, poses[..., :3, 3], still)
    turn = transform.orientation(linear)
    return Basis(location=place, rotation=turn, scale=np.einsum("...ij,...ij->...j", turn, linear))


def is_plain(bones: Bones, parent: Array | None) -> bool:
    """True if the bones' poses, on these poses of their parents, are one product of matrices each."""
    rules = bones[0]
    if parent is None:
        return rules.use_local_location
    plain = rules.use_inherit_rotation and rules.use_local_location
    return plain and (rules.inherit_scale == "FULL" or not is_scaled(parent))


def is_scaled(matrices: Array) -> bool:
    """True if any of these (..., 4, 4) does more than turn and move."""
    linear = matrices[..., :3, :3]
    squares = product(np.swapaxes(linear, -1, -2), linear)
    return bool(np.abs(squares - np.eye(3)).max(initial=0.0) > 2.0 * transform.UNSCALED)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainKinematics:
    """Chains side by side, and the space in which their poses are computed, the pose space.

    Poses of a rigid chain, in which only rotations pass from bone to bone, are right in chain space, whatever its
    parent does.

    bones : of all chains the root bones, then the next, up to the end bones
    parent : (n, c, 4, 4) or None    poses of the root bones' parents, in armature space
    to_armature : (n, c, 4, 4)       from chain space
    rigid : bool                     True if the pose space is chain space, False if it is armature space
    """

    bones: tuple[Bones, ...] = field(metadata=NOT_OVER_FRAMES)
    parent: Array | None
    to_armature: Array
    rigid: bool

    @property
    def from_space(self) -> Array:
        """(n, c, 4, 4) from chain space to the pose space; (4, 4) if they are the same."""
        return np.eye(4) if self.rigid else self.to_armature

    def poses(self, bases: tuple[Basis, ...]) -> list[Array]:
        """(n, c, 4, 4) in the pose space, for each of the chains' bones that `bases` are given of, root bones first."""
        root, first = self.bones[0], bases[0]
        above = transform.compose(first.linear, np.zeros(3)) if self.rigid else pose(root, self.parent, first.matrix)
        return poses(self.bones[1:], above, bases[1:])

    def in_armature(self, pose: Array) -> Array:
        """(n, c, 4, 4) poses in the pose space, taken to armature space."""
        return affine_product(self.to_armature, pose) if self.rigid else pose


def chain_kinematics(
    bones: tuple[Bones, ...], below: Iterable[Bones], parent: Array | None, location: Array, *, unscaled: bool
) -> ChainKinematics:
    """The kinematics of chains on these poses (n, c, 4, 4) of their parents.

    below : the bones below the end bones that decide where tip or tail is
    location : (n, c, 3) of the root bones
    unscaled : False if any of the bones but the tip bones has a scale, or gets one
    """
    to_armature = rotation_base(bones[0], parent, location)
    rigid = unscaled and is_plain(bones[0], parent)
    rigid = rigid and all(is_plain(each, to_armature) for each in (*bones[1:], *below))
    return ChainKinematics(bones=bones, parent=parent, to_armature=to_armature, rigid=rigid)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThirdBones:
    """The third bones of legs side by side, and what bears them.

    bones : the bones from the end bone's child to the third bone, each for all legs
    basis : that of the third bones
    between : the bases of the bones that bear them
    """

    bones: tuple[Bones, ...] = field(metadata=NOT_OVER_FRAMES)
    basis: Basis
    between: tuple[Basis, ...]

    def parent_pose(self, end: Array) -> Array:
        """(n, c, 4, 4) the poses of what bears the third bones, for poses `end` of the end bones."""
        return poses(self.bones[:-1], end, self.between)[-1]

    def pose(self, end: Array, basis: Basis) -> Array:
        """(n, c, 4, 4) the poses of the third bones with this basis, for poses `end` of the end bones."""
        return pose(self.bones[-1], self.parent_pose(end), basis.matrix)

"""What is in the rig, as far as it tells for which rest pose, targets and options a limb was built."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Bone, PoseBone
from mathutils import Matrix

from ...skeleton.built_limb import alike
from ...skeleton.transform import compose
from ...skeleton.values import Point
from ..armatures import Rig
from ..curves.keys import driver_at
from ..scene.bone import rest
from ..scene.dependencies import BUILT, built_by
from .parts import ANGLE, HINGE, TIP, Parts, kind_of, pole_of, track_axis

_SLIGHT = 1e-4
"""Part of a length by which Blender's own matrices at rest may be off after an edit that changed nothing."""


@dataclass(frozen=True, slots=True)
class BuiltBone:
    """One bone of a built limb.

    place : at rest; None of a bone of the user, whose own rest pose does not matter
    turned : what turns it, in words of which numbers may be off by rounding; without drivers that Blender gave up
    followed : objects, by their identity in this session, and bones that it follows outside of the limb
    """

    place: Matrix | None
    turned: str
    followed: tuple[tuple[int, str], ...]


def as_built(rig: Rig, names: Sequence[str]) -> Iterator[BuiltBone]:
    """What bones of these names copy, and what carries that; then the same of those that turn as a target does."""
    constraints: Iterable[Any] = (item for name in names for item in rig.pose.bones[name].constraints)
    tips = (item for item in constraints if item.name.startswith(TIP))
    for copy in (*filter(None, (built_by(rig, name) for name in names)), *tips):
        yield BuiltBone(None, _driver(rig, f"{copy.path_from_id()}.influence"), _outside(rig, [copy]))
        bone: Bone | None = rig.data.bones.get(copy.subtarget) if copy.target == rig else None
        while bone and kind_of(bone):
            pose_bone: Any = rig.pose.bones[bone.name]
            drivers = (_driver(rig, f"{pose_bone.path_from_id()}{path}", index) for path, index in _DRIVEN)
            owners: Iterable[Any] = (rig.pose.bones[name] for name in (bone.name, *_goals(rig, pose_bone)))
            built = [item for owner in owners for item in owner.constraints if item.name.startswith(BUILT)]
            tracks = (_track(item.track_axis, item.influence) for item in built if item.type == "LOCKED_TRACK")
            turned = " ".join((*drivers, *tracks))
            yield BuiltBone(bone.matrix_local.copy(), turned, _outside(rig, built))
            bone = bone.parent


def _goals(rig: Rig, bone: PoseBone) -> set[str]:
    """Names of the bones that tell lower where the target is, in the plane of the rest pose: they carry no part."""
    curve = driver_at(rig, f"{bone.path_from_id()}{HINGE}")
    read = (target.bone_target for each in (curve.driver.variables if curve else ()) for target in each.targets)
    return {name for name in read if kind_of(rig.data.bones.get(name)) == "goal"}


_DRIVEN = ((f".{ANGLE}", 0), (".scale", 1), (HINGE, 0))


def _driver(rig: Rig, path: str, index: int = 0) -> str:
    """The expression of the driver; "" where there is none, or it does not act, as what it reads is gone."""
    curve = driver_at(rig, path, index)
    return curve.driver.expression if curve and curve.driver.is_valid else ""


def _outside(rig: Rig, constraints: Iterable[Any]) -> tuple[tuple[int, str], ...]:
    """What these constraints follow that was not built."""
    outside = (item for item in constraints if item.target != rig or not kind_of(rig.data.bones.get(item.subtarget)))
    return tuple((item.target.session_uid if item.target else 0, item.subtarget) for item in outside)


def _track(axis: str, influence: float) -> str:
    return f"{axis} {influence:.9g}"


def are_there(rig: Rig, parts: Parts, names: Sequence[str]) -> bool:
    """Whether what `as_built` finds is what would be built now."""
    found, wanted = [*as_built(rig, names)], [*_wanted(rig, parts, names)]
    most = _SLIGHT * max(1.0, rig.data.bones[parts.chain.root.name].length)
    return len(found) == len(wanted) and all(
        now.followed == then.followed
        and alike(now.turned, then.turned)
        and (now.place is None or np.abs(np.array(now.place) - np.array(then.place)).max() < most)
        for now, then in zip(found, wanted, strict=True)
    )


def _wanted(rig: Rig, parts: Parts, names: Iterable[str]) -> Iterator[BuiltBone]:
    chain, copied = parts.chain, parts.copying()
    root, pole = rest(rig.data.bones[chain.root.name]), pole_of(chain)
    leading, target = "lower" if parts.in_rest_plane else "aim", _followed(chain.target)
    outside = {"hand": (target, target)}
    outside[leading] = (*(() if chain.by_tail else (target,)), *((_followed(pole),) if pole else ()))
    copies = [(copied[name][0], "k") for name in names if name in copied]
    copies += [("joint" if chain.by_tail else "", parts.tip_influence)] if chain.use_rotation else []
    for part, influence in copies:
        yield BuiltBone(None, influence, () if part else (target,))
        while part:
            built, leads = parts.limb.bones[part], part == leading
            tracks = [_track(track_axis(parts), chain.number("pole_influence"))] if leads and pole else []
            stretch = parts.limb.stretch if part == "upper" and "max_stretch" in parts.options else ""
            bend = parts.limb.bend if part == "lower" else ""
            place = Matrix((root @ compose(built.orientation, built.head)).tolist())
            yield BuiltBone(place, " ".join((built.angle, stretch, bend, *tracks)), outside.get(part, ()))
            part = built.parent


def _followed(point: Point) -> tuple[int, str]:
    return point.object.session_uid, point.bone

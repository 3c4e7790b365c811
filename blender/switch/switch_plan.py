"""Known limbs into the plans of a switch: which bones show, which controls follow, what says which set shows."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cache

import numpy as np

from ...skeleton.switch.place_bones import CarriedBone, Evaluation
from ...skeleton.switch.switch_plan import Setting, SwitchPlan
from ...skeleton.values import MERGE, Point
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves.keys import key_frames, key_points, numbers_on
from ..messages.refused import Refused
from ..options import Word
from ..rigs.built_limbs import goals, is_built
from ..rigs.rig_files import KnownLimb
from ..rigs.switch_property import drivers_reading, pole_on, property_path, switch_path, toe_path
from ..rna_paths import bone_and_property
from ..scene import dependencies
from ..scene.bone import read_bone, rest
from ..scene.need import SampleNeed


class ControlSet(Word):
    """Control sets of a limb that can show."""

    FK = "FK"
    IK = "IK"


def switch_plan(rig: Rig, limb: KnownLimb, to: ControlSet, frames: Array) -> SwitchPlan:
    """The limb as it is to show its FK controls, or IK; Refused where nothing tells how IK is keyed."""
    read = _Bones(rig)
    switch = setting_of(switch_path(rig, limb), limb.fk_value if to == ControlSet.FK else limb.ik_value)
    own, other = (limb.fk, limb.ik) if to == ControlSet.FK else (limb.ik, limb.fk)
    # Where nothing else shows the limb, the control set that is to show follows the one that has shown it.
    shown, before = limb.shown or own, limb.shown or other
    toe = toe_path(rig, limb)
    if toe and _left_off(rig, toe, switch.path, limb.ik_value, frames):
        toe = ""
    plan = SwitchPlan(
        name=limb.name,
        shown=tuple(map(read.bone, (*shown, *limb.kept))),
        joints=(*((name, (0.0, 0.0, 0.0)) for name in shown[:3]), (shown[1], read.bone(shown[1]).tail))[:3],
        before=(
            *((name_before, read.offset(name_before, bone)) for name_before, bone in zip(before, shown, strict=True)),
            *((name, np.eye(4)) for name in limb.kept),
        ),
        source=sources(rig, limb, to),
        switch=switch,
        along=(setting_of(toe, 0.0 if to == ControlSet.FK else 1.0),) if toe else (),
        controls=tuple(read.carried(name, name) for name in limb.kept),
        shared=frozenset(limb.kept).union({*limb.fk} & {*limb.ik}),
        pole_on=np.zeros(len(frames), dtype=np.bool_),
    )
    if to == ControlSet.FK:
        return replace(plan, controls=(*map(read.carried, limb.fk, shown), *plan.controls))
    return plan if is_built(rig, limb) else _with_ik(plan, rig, limb, read, shown, frames)


def _with_ik(
    plan: SwitchPlan, rig: Rig, limb: KnownLimb, read: "_Bones", shown: Sequence[str], frames: Array
) -> SwitchPlan:
    """The plan with the controls of IK, and the chain that they move; `shown` are the bones that are to follow."""
    if not limb.control:
        raise Refused("NO_IK_KEYS", object=rig, value=limb.name)
    controls = [*map(read.carried, (limb.control, *limb.ik[3:]), shown[2:])]
    controls += [read.carried(limb.toe_ik, shown[2])] if plan.along else []
    return replace(
        plan,
        controls=(*controls, *plan.controls),
        zero=tuple(map(read.bone, limb.zero)),
        chain=tuple(map(read.carried, limb.ik[:2], shown)),
        rigid=tuple(_settings_at(rig, [f"{read.bone(name).path}.ik_stretch" for name in limb.ik[:2]], 0.0, frames)),
        far=tuple(_settings_at(rig, [property_path(rig, limb, limb.stretch_switch)], 1.0, frames)),
        swivel=read.carried(limb.swivel, shown[0]) if limb.swivel else None,
        pole=read.carried(limb.pole, limb.pole) if limb.pole else None,
        pole_on=pole_on(rig, limb, frames),
    )


class _Bones:
    """Bones of an armature by name, each read once."""

    def __init__(self, rig: Rig) -> None:
        self._rig, self.bone = rig, cache(lambda name: read_bone(rig, name))

    def offset(self, bone: str, other: str) -> Array:
        """(4, 4) at rest, from the other bone to this one."""
        return np.linalg.inv(rest(self._rig.data.bones[bone])) @ rest(self._rig.data.bones[other])

    def carried(self, control: str, follows: str) -> CarriedBone:
        """A control with what carries it, that lies to the bone that it follows as at rest."""
        bone = self._rig.data.bones[control]
        parents = tuple(self.bone(parent.name) for parent in bone.parent_recursive)
        offset, moves = self.offset(follows, control), not bone.use_connect
        return CarriedBone(bone=self.bone(control), parents=parents, follows=follows, offset=offset, moves=moves)


def sources(rig: Rig, limb: KnownLimb, to: ControlSet) -> frozenset[Point]:
    """The controls in the set that is not to show; if none of IK is known, the bones that move IK alone."""
    if to == ControlSet.FK and is_built(rig, limb):
        return frozenset(goals(rig, limb))
    controls = limb.fk if to == ControlSet.IK else limb.ik_controls
    if not controls:
        carrying = dependencies.upstream(*dependencies.with_parents(Point(rig, limb.fk[0]))[1:])
        moving = dependencies.upstream(*(Point(rig, name) for name in limb.ik))
        controls = tuple(point.bone for point in moving - carrying if point.object == rig and point.bone)
    return frozenset(Point(rig, name) for name in (*controls, *limb.kept))


def with_source_keys(rig: Rig, limbs: Iterable[KnownLimb], to: ControlSet, frames: Array) -> Array:
    """The frames, rising, and in between those on which controls of the control set that is not to show have keys."""
    points = {point for limb in limbs for point in sources(rig, limb, to)}
    times = np.unique(key_frames(*points))
    times = times[(times > frames[0]) & (times < frames[-1])]
    # Keys that are closer than this Blender merges.
    rows = np.searchsorted(frames, times).clip(1, max(len(frames) - 1, 1))
    apart = np.minimum(times - frames[rows - 1], frames[rows % len(frames)] - times) > MERGE
    apart[1:] &= np.diff(times) > MERGE
    return np.sort(np.concatenate((frames, times[apart])))


def shows(rig: Rig, limb: SwitchPlan, frames: Array) -> bool:
    """Whether the control set that the limb is to show does so on all frames already."""
    return all((numbers_on(rig, setting.path, frames) == setting.value).all() for setting in limb.switches)


def _left_off(rig: Rig, path: str, switch: str, shown: float, frames: Array) -> bool:
    """Whether a property is 0 on these frames, and on the nearest ones on which the switch is at `shown`."""
    curve = versions.curve_finder(rig)(switch, index=0)
    keyed = key_points(curve)[0] if curve else np.empty(0)
    times = np.concatenate((frames, keyed, (frames[0] - 1.0, frames[-1] + 1.0)))
    times = times[numbers_on(rig, switch, times) == shown]
    away = np.maximum(frames[0] - times, times - frames[-1]).clip(0.0)
    nearest = times[away <= away.min(initial=np.inf) + MERGE]
    return bool(len(nearest)) and not numbers_on(rig, path, np.concatenate((frames, nearest))).any()


def _settings_at(rig: Rig, paths: Iterable[str], value: float, frames: Array) -> Iterator[Setting]:
    """Settings at this value for properties that have another one on some frame; a driven one has to stay as it is."""
    driven = {driver.data_path for driver in versions.drivers(rig)}
    for path in filter(None, paths):
        if path not in driven and (numbers_on(rig, path, frames) != value).any():
            yield setting_of(path, value)


def shown_need(rig: Rig, limbs: Sequence[SwitchPlan], carriers: Iterable[str]) -> SampleNeed:
    """What shows the limbs now, bones of these names, and the channels of those that turn IK chains."""
    shown = {name for limb in limbs for name, _ in limb.before}
    followed = {carried.follows for limb in limbs for carried in limb.controls}
    bones = frozenset(Point(rig, name) for name in shown.union(followed, carriers))
    sized = frozenset(Point(rig, bone.name) for limb in limbs for bone in limb.sized)
    return SampleNeed(objects=frozenset({rig}), bones=bones, own=sized, turned=sized)


def ties(rig: Rig, limbs: Sequence[SwitchPlan]) -> Evaluation:
    """Before anything is evaluated: what carries controls, as far up as it will move, with all that it follows.

    Stale are bones that switches move.
    """
    paths = {switch.path for limb in limbs for switch in limb.switches}
    driven = {driver.data_path for driver in drivers_reading(rig, paths)}
    constrained, stale = set[str](), {bone_and_property(path)[0] for path in driven}
    for bone, constraint in dependencies.constrained(rig):
        moved = dependencies.moved_by(bone, constraint)
        if not (constraint.type == "COPY_SCALE" and bone.bone.inherit_scale == "NONE"):
            constrained |= moved
        if f"{constraint.path_from_id()}.influence" in paths | driven:
            stale |= moved
    depends = _carrying(rig, limbs, stale.union(bone.name for limb in limbs for bone in limb.keyed))
    return Evaluation(poses={}, depends=depends, constrained=constrained, stale=stale)


def _carrying(rig: Rig, limbs: Sequence[SwitchPlan], moving: Set[str]) -> dict[str, frozenset[str]]:
    """What each bone that carries a control follows, from the control up to a bone that follows nothing `moving`."""
    sources = cache(lambda place: tuple(dependencies.sources_of(place)))
    depends: dict[str, frozenset[str]] = {}
    for carried in (carried for limb in limbs for carried in limb.carried):
        for bone in carried.parents:
            if bone.name not in depends:
                followed = dependencies.upstream(Point(rig, bone.name), sources=sources)
                depends[bone.name] = frozenset(point.bone for point in followed)
            if depends[bone.name].isdisjoint(moving):
                break
    return depends


def setting_of(path: str, value: float) -> Setting:
    """The property at this RNA path, kept at a value."""
    return Setting(path=path, group=bone_and_property(path)[0] or "Object Transforms", value=value)

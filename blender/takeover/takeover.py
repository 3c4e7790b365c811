"""Reads IK constraints of two bones, or of a leg with a hock, as chains that pose alike, and lists the differences.

Nothing is muted here: the constraints act on until a bake mutes them, in `bake/mute_constraints.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from bpy.types import KinematicConstraint, PoseBone, Scene

from ...skeleton import inherit, solve
from ...skeleton.bone_channels import keyed_rows
from ...skeleton.values import Point, Samples
from ...solver.values import Array, Bend, HingeAxis, Hock, Reference
from .. import versions
from ..armatures import Rig
from ..bake.build_plan import current_plan
from ..bake.compare import compare_joints
from ..chains import hock_fit
from ..chains.detect import find_limbs
from ..chains.detect.find_limbs import Kind
from ..messages.numbers import unit_name
from ..messages.refused import Refused
from ..messages.translation import point_text, translated
from ..rigs.built_limbs import built_limbs
from ..rigs.known_limbs import kind_of
from ..scene import dependencies, sampling
from ..scene.bone import current, read_bone
from ..scene.checks import refuse_not_finite
from ..scene.need import sample_need
from ..settings.key_settings import MEASURED_WHOLE
from ..settings.properties import TwoBoneIKChain, root_name
from . import option_animation
from .option_animation import SWITCHES, OptionAnimation, acts_fully, option_animations
from .pre_constraint_pose import pre_constraint_pose
from .three_bones import leg_fields

_BESIDE = 1e-3
"""Part of the bend about one of the bone's axes; less is left of float32 where the limb bends about another."""

_EVEN = 1e-5
"""Part of the scale that axes may differ by: it is rounding."""

_TOLD = 1e-3
"""Part of the limb: joints that are off by less are so by the constraint's own iteration, too."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Takeover:
    """An IK constraint, and the chain that replaces it.

    bone, constraint : names of the bone and of its constraint
    fields : of the chain; empty if no chain can replace the constraint
    animations : what animates its keyed options
    differs : sentences about how the chain differs, or why there is none
    chain : name of the chain; "" until it exists
    """

    bone: str
    constraint: str
    fields: Mapping[str, Any]
    differs: tuple[str, ...]
    animations: tuple[OptionAnimation, ...] = ()
    chain: str = ""

    def lines(self) -> list[str]:
        """The takeover in words: a headline, then a line for each difference."""
        named = {"constraint": self.constraint, "bone": self.bone, "chain": self.chain}
        headline = translated("takeover.chain" if self.chain else "takeover.no_chain", **named)
        return [headline, *(f"  {line}" for line in self.differs)]

    def __str__(self) -> str:
        return "\n".join(self.lines())


def takeovers(rig: Rig, scene: Scene) -> Iterator[Takeover]:
    """All IK constraints of the armature that act and whose end bone has no chain with a target.

    raises : Refused if the rig is of a known kind, if it has no IK constraint but limbs that were built, or if the pose
        before one of them has NaN or infinity
    """
    if kind := kind_of(rig):
        raise Refused("KNOWN_RIG", object=rig, value=kind)
    taken = {chain.end_bone for chain in rig.two_bone_ik_chains if chain.target}
    acting = list(_acting(rig))
    built = {limb.fk[1]: limb.name for limb in built_limbs(rig)}
    if built and not acting:
        raise Refused("BUILT_ALREADY", object=rig, value=", ".join(built.values()))
    found = find_limbs.limbs(rig, {Kind.LEGS})
    hocks = {(limb.hock_bone, limb.end_bone): Hock(limb.hock) for limb in found if limb.hock}
    elbows = [_elbow(constraint, dependencies.moved_bones(owner, constraint)) for owner, constraint in acting]
    acting = [(owner, constraint) for owner, constraint in acting if constraint not in elbows]
    for owner, constraint in acting:
        bones = dependencies.moved_bones(owner, constraint)
        reason = _obstacle(constraint, bones) or _rival(constraint, bones, acting)
        if name := built.get(bones[0].name):
            reason = translated("takeover.built", chain=name)
        if reason:
            yield Takeover(bone=owner.name, constraint=constraint.name, fields={}, differs=(reason,))
            continue
        *_, end, root = bones
        if end.name not in taken:
            _refuse_nowhere(root, end, scene)
            if len(bones) == 2:
                takeover = _limb(owner, constraint, bones, scene)
            else:
                takeover = _leg(owner, constraint, bones, scene, hocks.get((bones[0].name, end.name)))
            if takeover.fields:
                taken.add(end.name)
            yield takeover


def has_constraints(rig: Rig) -> bool:
    """Whether there are IK constraints, those that are muted among them: panels ask at each redraw."""
    return any(isinstance(constraint, KinematicConstraint) for _, constraint in dependencies.constrained(rig))


def _acting(rig: Rig) -> Iterator[tuple[PoseBone, KinematicConstraint]]:
    """The IK constraints, each with its bone, that move bones and are not muted, or not always."""
    animated = versions.ever_animated_paths(rig)
    for owner, constraint in dependencies.constrained(rig):
        if isinstance(constraint, KinematicConstraint) and dependencies.moved_bones(owner, constraint):
            path = constraint.path_from_id()
            if not constraint.mute or not animated.isdisjoint(f"{path}.{name}" for name in SWITCHES):
                yield owner, constraint


def _limb(owner: PoseBone, constraint: KinematicConstraint, bones: list[PoseBone], scene: Scene) -> Takeover:
    end, root = bones
    animations = option_animations(owner, constraint, root, end, scene)
    fields = _fields(constraint, end)
    if constraint.pole_target:
        fields["pole_angle"] = float(pre_constraint_pose(root, end).pole_angle(constraint.pole_angle)[0])
    if elbow := _elbow(constraint, bones):
        fields |= {"pole_target": elbow.target, "pole_subtarget": elbow.subtarget, "pole_angle": 0.0}
    differs = *_differences(constraint, bones), *option_animation.differences(constraint, animations)
    return Takeover(bone=owner.name, constraint=constraint.name, fields=fields, differs=differs, animations=animations)


def _leg(
    owner: PoseBone, constraint: KinematicConstraint, bones: list[PoseBone], scene: Scene, found: Hock | None
) -> Takeover:
    """found : the kind of the leg where detect finds one with a hock"""
    third, end, root = bones
    at_rest = found or hock_fit.at_rest(root.bone, end.bone, third.bone, third.bone.tail_local, front=False)
    fields, differs = leg_fields(constraint, bones, scene, at_rest)
    if fields:
        fields, differs = _fields(constraint, end) | fields, (*differs, *_differences(constraint, bones))
    return Takeover(bone=owner.name, constraint=constraint.name, fields=fields, differs=differs)


def _obstacle(constraint: KinematicConstraint, bones: Sequence[PoseBone]) -> str:
    """Why no chain can replace the constraint; "" if one can."""
    if len(bones) not in (2, 3):
        return translated("takeover.one_bone" if len(bones) == 1 else "takeover.many_bones", count=len(bones))
    if constraint.target is None or not constraint.is_valid:
        return translated("takeover.no_target")
    goals = (constraint.target, constraint.subtarget), (constraint.pole_target, constraint.pole_subtarget)
    for item, name in goals:
        if item and name in item.vertex_groups:
            return translated("takeover.vertex_group", group=name, object=item.name)
    return ""


def _rival(
    constraint: KinematicConstraint, bones: list[PoseBone], acting: Iterable[tuple[PoseBone, KinematicConstraint]]
) -> str:
    """Why no chain can replace the constraint as well as another one of these bones, or of some; "" without one."""
    animated = versions.ever_animated_paths(bones[0].id_data)
    for owner, other in acting:
        moved = dependencies.moved_bones(owner, other)
        acts = other.influence > 0.0 or f"{other.path_from_id()}.influence" in animated
        shares = moved[0] == bones[0] or {*moved} <= {*bones}
        if other != constraint and acts and other.target and other.is_valid and shares:
            named = {"name": other.name, "bone": owner.name, "target": other.target.name}
            return translated("takeover.elbow" if moved == bones[-1:] else "takeover.rival", **named)
    return ""


def _elbow(constraint: KinematicConstraint, bones: Sequence[PoseBone]) -> KinematicConstraint | None:
    """The constraint that pulls the root bone alone, in place of a pole target of the one that moves these two bones.

    Blender turns the root bone to it first, and the constraint of both bones then bends the limb on from there: a limb
    that is straight beneath them in the plane of a pole there, any other one beside that plane.
    """
    iks = [one for one in bones[-1].constraints if isinstance(one, KinematicConstraint) and not one.use_rotation]
    pulling = [one for one in iks if one.use_location and dependencies.moved_bones(bones[-1], one) == bones[1:]]
    full = [one for one in (constraint, *pulling) if acts_fully(one) and not (one.pole_target or _obstacle(one, bones))]
    return full[1] if len(full) == 2 and full[0] == constraint else None


def _refuse_nowhere(root: PoseBone, end: PoseBone, scene: Scene) -> None:
    rig, above = root.id_data, root.parent
    own = {Point(rig, bone.name): current(bone) for bone in (root, end)}
    pose = {Point(rig, above.name): np.array(above.matrix, dtype=np.float64)[None]} if above else {}
    refuse_not_finite(Samples(to_world={}, pose=pose, basis=own), np.array([scene.frame_current_final]))


def _fields(constraint: KinematicConstraint, end: PoseBone) -> dict[str, Any]:
    """All but how far the chain is turned about the line to its target."""
    return {
        "end_bone": end.name,
        "root_bone": "",
        "tip_bone": "",
        "use_rotation": False,
        "target": constraint.target,
        "subtarget": constraint.subtarget,
        "pole_target": constraint.pole_target,
        "pole_subtarget": constraint.pole_subtarget,
        "hinge_axis": HingeAxis.AUTO,
        "bend": Bend.REST,
        "reference": Reference.POSE,
        "influence": constraint.influence,
    }


def _differences(constraint: KinematicConstraint, bones: Sequence[PoseBone]) -> Iterator[str]:
    """A sentence for each way in which the chain differs from the constraint that moves these bones, as it is now.

    Each case was tried. Without a sentence, joints and rolls are the same, except for the error of the constraint's
    iteration.
    """
    *_, end, root = bones
    pose = pre_constraint_pose(root, end)
    for bone in reversed(bones):
        if bone.matrix.is_negative:
            yield translated("takeover.negative_scale", bone=bone.name)
    elbow = _elbow(constraint, bones)
    yield from _of_task(constraint, elbow)
    yield from _of_joint(root, np.ones(3))
    yield from _of_joint(end, np.ones(3) if pose.is_straight or constraint.pole_target is None else pose.hinge[0])
    for bone in reversed(bones):
        if constraint.use_stretch and bone.ik_stretch > 0.0:
            yield translated("takeover.stretch", bone=bone.name)
    if pose.is_straight and elbow is None:
        yield translated("takeover.straight", root=root.name, end=end.name)
    yield from _of_others((constraint, elbow), {bone.name for bone in bones})


def _of_task(constraint: KinematicConstraint, elbow: KinematicConstraint | None) -> Iterator[str]:
    if cast(Rig, constraint.id_data).pose.ik_solver == "ITASC":
        yield translated("takeover.itasc")
    if not constraint.use_location:
        yield translated("takeover.position_off")
    if constraint.use_rotation:
        yield translated("takeover.rotation")
    if constraint.pole_target is None and elbow is None:
        yield translated("takeover.no_pole")
        animated = versions.ever_animated_paths(constraint.id_data)
        if constraint.influence < 1.0 or f"{constraint.path_from_id()}.influence" in animated:
            yield translated("takeover.influence")


def _of_joint(bone: PoseBone, hinge: Array) -> Iterator[str]:
    """Sentences for the IK settings of a bone, which turns about the axes (3,) in its own space."""
    for name, part in zip("xyz", np.abs(hinge), strict=True):
        if part <= _BESIDE:
            continue
        named = {"axis": name.upper(), "bone": bone.name}
        if getattr(bone, f"lock_ik_{name}"):
            yield translated("takeover.lock", **named)
        elif getattr(bone, f"use_ik_limit_{name}"):
            yield translated("takeover.limit", **named)
        if getattr(bone, f"ik_stiffness_{name}") > 0.0:
            yield translated("takeover.stiffness", **named)


def _of_others(own: tuple[KinematicConstraint, KinematicConstraint | None], bones: set[str]) -> Iterator[str]:
    for owner, other in dependencies.constrained(cast(Rig, own[0].id_data)):
        if other not in own and not other.mute and bones & dependencies.moved_by(owner, other):
            yield translated("takeover.other", name=other.name, bone=owner.name)


def measured_differences(constraint: KinematicConstraint, chain: TwoBoneIKChain, scene: Scene) -> Iterator[str]:
    """A sentence where an elbow control is the chain's pole, or where uneven scale shears a bone of the chain.

    It is measured on the current frame, so both at once have one sentence. The constraint turns a sheared bone in the
    space of the armature, as if nothing above sheared it, the chain in the space that the bone inherits, where only its
    own rotation counts. Uneven scale of the armature object shears both alike.

    chain : the one that takes over from the constraint, which still acts
    """
    rig = cast(Rig, constraint.id_data)
    end, root = bones = [rig.pose.bones[name] for name in (chain.end_bone, root_name(rig, chain))]
    names, elbow = [bone.name for bone in (root, end) if _is_sheared(bone)], _elbow(constraint, bones)
    off = _off(rig, chain.name, scene) if names or elbow else 0.0
    if elbow:
        target = point_text(next(dependencies.targets(elbow)))
        named = {"name": elbow.name, "bone": root.name, "target": target, "unit": unit_name(scene)}
        yield translated("takeover.towards_unmeasured" if off is None else "takeover.towards", off=off, **named)
    elif off is None:
        yield translated("takeover.uneven_scale_unmeasured", bone=names[0])
    elif off > _TOLD * sum((rig.matrix_world.to_3x3() @ bone.vector).length for bone in (root, end)):
        yield translated("takeover.uneven_scale", unit=unit_name(scene), bone=names[0], off=off)


def _is_sheared(bone: PoseBone) -> bool:
    """Whether what turns with the bone changes its shape, on the present pose of its parent bone."""
    parent = None if bone.parent is None else np.array(bone.parent.matrix, dtype=np.float64)[None, None]
    location = np.array(bone.location, dtype=np.float64)[None, None]
    base = inherit.rotation_base((read_bone(cast(Rig, bone.id_data), bone.name),), parent, location)[0, 0, :3, :3]
    squares: Array = base.T @ base
    size = np.trace(squares) / 3.0
    return bool(np.abs(squares - size * np.eye(3)).max() > 2.0 * _EVEN * size)


def _off(rig: Rig, chain: str, scene: Scene) -> float | None:
    """How far the mid joint or the tip is from where the chain has it, in the world; None where that cannot be told."""
    try:
        plan = current_plan(rig, [chain], scene)
        sampling.settle(plan)
        with sampling.sampled_current_frame(plan, sample_need(plan)) as (samples, played):
            solved = solve.solve_groups(plan, samples)
            comparison = compare_joints(plan, solved, keyed_rows(plan, solved), MEASURED_WHOLE)
            measured, _ = comparison.measured_now(played)
    except Refused:
        return None
    return float(measured[chain]["off"][0]) if chain in measured else None

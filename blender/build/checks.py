"""What cannot be built is refused, before anything changes."""

from collections.abc import Iterable
from math import hypot

import numpy as np

from ...skeleton.solve import world_joints
from ...skeleton.solved_group import SolvedGroup
from ...skeleton.tail import world_tails
from ...skeleton.values import ChainPlan, Plan, Point, Samples
from ...solver.values import Bend, Plane, Reference, Unreachable
from ...solver.vectors import norm
from .. import versions
from ..armatures import Rig
from ..bake.chain import joints_at_rest, rest_chain
from ..messages.refused import Refused
from ..messages.translation import frame_text
from ..rna_paths import bone_and_property
from ..scene import dependencies
from ..settings.properties import chain_fields

_FIT = {
    "reference": (Reference.REST,),
    "bend": (Bend.REST, Bend.POSITIVE, Bend.NEGATIVE),
    "unreachable": (Unreachable.CLAMP, Unreachable.STRETCH),
    "use_extension_limit": (False,),
    "pole_smoothing": (0.0,),
    "pole_pin": (0.0,),
}
"""The values of a chain's fields that can be built, where not all can be."""

_FIT_OF_HOCK = {"hock_angle": (0.0,)}

_SLIGHT = 1e-4
"""Part of a length: less is what Blender's own matrices are off, most where bones point against their parents."""


def refuse_unbuildable(chain: ChainPlan, holder: str, properties: Iterable[str]) -> None:
    """Raise `Refused` for options that no parts of Blender have, and bones that others than the user turn.

    holder : name of the bone that is to get custom `properties` of these names
    """
    rig: Rig = chain.rig
    _refuse_options(chain)
    _refuse_beside(chain)
    if chain.pole and chain.options.plane == Plane.REST:
        raise Refused("NOT_BUILDABLE.pole", chain=chain)
    rebuilt = dependencies.built_by(rig, chain.end.name)
    if taken := [name for name in properties if name in rig.pose.bones[holder].keys() and not rebuilt]:
        raise Refused("NOT_BUILDABLE.property", chain=chain, bone=holder, value=taken[0])
    bones = {bone.name for bone in chain.limb}
    for owner, constraint in dependencies.constrained(rig):
        acts = not (constraint.mute or constraint.name.startswith(dependencies.BUILT))
        if acts and bones & dependencies.moved_by(owner, constraint):
            raise Refused("NOT_BUILDABLE.constraint", chain=chain, bone=owner.name, value=constraint.name)
    for curve in versions.drivers(rig):
        bone, path = bone_and_property(curve.data_path)
        if bone in bones and path.startswith("rotation"):
            raise Refused("NOT_BUILDABLE.driver", chain=chain, bone=bone, value=path)


def _refuse_options(chain: ChainPlan) -> None:
    listed = chain.rig.two_bone_ik_chains[chain.name]
    for name, fit in (_FIT | (_FIT_OF_HOCK if chain.third else {})).items():
        value = getattr(listed, name)
        if value not in fit:
            named = {"field": chain_fields()[name].name, "fit": ", ".join(_label(name, item) for item in fit)}
            raise Refused("NOT_BUILDABLE.option", chain=chain, value=_label(name, value), **named)
    if chain.animated:
        name = min(chain.animated)
        raise Refused("NOT_BUILDABLE.keyed", chain=chain, value=name, field=chain_fields()[name].name)
    for part in chain.twists:
        if part.in_line:
            raise Refused("NOT_BUILDABLE.in_line", chain=chain, bone=part.bone.name)
        if part.animated:
            raise Refused("NOT_BUILDABLE.share", chain=chain, bone=part.bone.name)


def _refuse_beside(chain: ChainPlan) -> None:
    """Raise `Refused` where a bone is to stretch that would take the next joint, or a tail that reaches, elsewhere."""
    if chain.options.unreachable != Unreachable.STRETCH:
        return
    if chain.by_tail and chain.below[-1].inherit_scale != "NONE":
        raise Refused("NOT_BUILDABLE.stretched", chain=chain, bone=chain.tip_bone)
    bones = [chain.rig.data.bones[bone.name] for bone in (chain.root, chain.end, *chain.third)]
    _, joints = joints_at_rest(chain.rig, chain.rig.two_bone_ik_chains[chain.name])
    for bone, place in zip(bones, joints[1:], strict=True):
        x, y, z = bone.matrix_local.inverted() @ place
        if hypot(x, z) > _SLIGHT * hypot(x, y, z):
            raise Refused("NOT_BUILDABLE.beside", chain=chain, bone=bone.name)


def _label(name: str, value: object) -> str:
    """The value of this field as users see it."""
    field = chain_fields()[name]
    if field.type == "ENUM":
        return str(field.enum_items[value].name)
    return {"False": "off", "0.0": "off", "True": "on", "": "empty"}.get(str(value), str(value))


def refuse_uneven(plan: Plan, solved: SolvedGroup, samples: Samples) -> None:
    """Raise `Refused` where scale is uneven, a bone above is mirrored, or bones of the limb move or are scaled."""

    def at(rows: np.ndarray) -> str:
        return frame_text(plan.frames[int(np.argmax(rows)) if len(rows) > 1 else 0])

    rig: Rig = plan.rig
    mirrored = np.linalg.det(samples.to_world[rig][:, :3, :3]) < 0.0
    for column, chain in enumerate(solved.plans):
        to_world = solved.group.to_world[:, column, :3, :3]
        scales = np.linalg.svd(to_world, compute_uv=False)
        uneven = scales[:, 0] - scales[:, 2] > _SLIGHT * scales[:, 0]
        if uneven.any():
            worst = scales[int(np.argmax(uneven))]
            raise Refused("NOT_BUILDABLE.uneven", chain=chain, value=float(worst[2] / worst[0]), frame=at(uneven))
        above = mirrored != (np.linalg.det(to_world) < 0.0)
        if above.any():
            raise Refused("NOT_BUILDABLE.mirrored_above", chain=chain, frame=at(above))
        if chain.use_rotation and chain.target.object != rig and mirrored.any():
            raise Refused("NOT_BUILDABLE.mirrored", chain=chain, frame=at(mirrored))
        rest, _ = rest_chain(rig, rig.two_bone_ik_chains[chain.name])
        size = norm(np.diff(rest.joints, axis=-2)).sum()
        moved = norm(solved.group.chain.joints[:, column] - rest.joints).max(axis=-1) > _SLIGHT * size
        # A connected bone has no location of its own.
        if not rig.data.bones[chain.root.name].use_connect:
            location = samples.basis[Point(rig, chain.root.name)].location
            moved = moved | (norm(location) > _SLIGHT * size)
        if chain.by_tail:
            lengths = norm(world_tails(solved) - world_joints(solved)[..., -1, :])[:, column]
            moved = moved | (np.abs(lengths - chain.below[-1].length * scales[:, 0]) > _SLIGHT * size * scales[:, 0])
        # Copy Rotation turns a mirrored bone the other way.
        for bone in (*chain.bones, *chain.bearing, *chain.keyed):
            moved = moved | (samples.basis[Point(rig, bone.name)].scale.prod(axis=-1) < 0.0)
        if moved.any():
            raise Refused("NOT_BUILDABLE.moved", chain=chain, bone=chain.root.name, frame=at(moved))

"""The order of the steps to build limbs into a rig, so that they move without this extension, and to take them out."""

from dataclasses import replace

import numpy as np
from bpy.types import Scene

from ...skeleton import solve
from ...skeleton.bone_channels import keyed_rows
from ...skeleton.built_limb import built_limb, built_reach, built_twists
from ...skeleton.steps import part
from ...skeleton.values import ChainPlan
from ...solver.values import Unreachable
from ..armatures import Rig
from ..bake.build_plan import Frames, Names, build_plan, chosen_chains, scene_of
from ..bake.chain import chain_plan, rest_chain
from ..bake.checks import refuse_shared_bones, refuse_too_many_frames
from ..bake.compare import compare_joints
from ..bake.fingerprint import bone_at_rest
from ..bake.report import Report, build_report
from ..bake.request import MeasurePhase, Need, Preparation, Resources, request
from ..curves.unkeyed_edits import Keeper
from ..messages.refused import Refused
from ..messages.translation import translated
from ..rigs.built_limbs import twists_beside
from ..scene import dependencies, sampling
from ..scene.bone import rest
from ..scene.checks import refuse_unposable
from ..session import session
from ..settings.key_settings import DEFAULTS, Measure, Sampling
from ..settings.properties import TwoBoneIKChain, chain_fields, limb_bones
from ..targets import target_bones
from . import checks, parts
from .as_built import are_there, as_built
from .parts import Parts


@request
def build(
    resources: Resources,
    rig: Rig,
    names: Names,
    frames: Frames | None,
    scene: Scene | None,
    way: Sampling,
    measure: Measure,
) -> Preparation:
    """Build the chains, and measure them over the range; what was built for them before is replaced."""
    plan = build_plan(rig, names, frames, scene)
    refuse_too_many_frames(plan)
    refuse_shared_bones(plan.chains)
    target_bones.refuse_impossible(rig, plan.scene, limbs=True)
    for chain in plan.chains:
        checks.refuse_unbuildable(chain, _holder(chain), [parts.PROPERTIES[name]["name"] for name in _custom(chain)])

    sampler = resources.enter_context(sampling.Sampler(plan, way, resources.slow.append))
    samples = yield from part(sampler.over_range(), 0.0, 0.5)
    solved = yield from part(solve.solving(plan, samples), 0.5, 1.0)
    for group in solved:
        checks.refuse_uneven(plan, group, samples)
    built = [_parts(chain) for chain in plan.chains]
    rows = keyed_rows(plan, solved)

    def write(_keep: Keeper) -> MeasurePhase:
        sampler.removal.refuse()
        copying = [name for chain in plan.chains for name in _copying(rig.two_bone_ik_chains[chain.name])]
        parts.remove(rig, plan.scene, copying)
        parts.make(rig, plan.scene, built)
        sampler.renew()
        askew = [item.chain.name for item in built if not item.in_local_space]
        notes = [translated("note.built_askew", chains=", ".join(askew))] if askew else []
        if twisted := [chain.name for chain in plan.chains if chain.twists]:
            notes.append(translated("note.built_twist", chains=", ".join(twisted)))
        comparison = compare_joints(plan, solved, rows, replace(DEFAULTS, measure=measure))
        need = Need.of(comparison.points, comparison.frames, sampler, {})
        return MeasurePhase(
            need, lambda sampled: build_report("Build", plan, solved, notes, comparison.measured(sampled))
        )

    return write


def is_current(rig: Rig, chain: TwoBoneIKChain) -> bool:
    """Whether a built limb is as it would be built now: the rest pose, a target or an option may have changed since.

    To find out takes a millisecond, and panels ask often: the answer is kept until something is another.
    """
    own = [getattr(chain, name) for name, field in chain_fields().items() if field.type != "POINTER"]
    names = _copying(chain)
    targets = [item and item.session_uid for item in (chain.target, chain.pole_target)]
    told_by = own, targets, [bone_at_rest(rig, name) for name in names], [*as_built(rig, names)]
    key = rig.session_uid, chain.name
    if _answers.get(key, (None, False))[0] != told_by:
        try:
            _answers[key] = told_by, are_there(rig, _parts(chain_plan(rig, chain)), names)
        except Refused:
            _answers[key] = told_by, True  # it could not be built now
    return _answers[key][1]


_answers: dict[tuple[int, str], tuple[object, bool]] = session.of_file({})


def _copying(chain: TwoBoneIKChain) -> list[str]:
    """Names of the chain's bones, which copy what was built."""
    names = limb_bones(chain.id_data, chain)
    return [*names, *twists_beside(chain.id_data, names)]


def _parts(chain: ChainPlan) -> Parts:
    """What is to be built for the chain."""
    listed, options, bones = chain.rig.two_bone_ik_chains[chain.name], _custom(chain), chain.rig.data.bones
    at_rest, end = rest_chain(chain.rig, listed)
    to_root, carrier = rest(bones[chain.root.name])[:3, :3].T, chain.parent.bone if chain.parent else ""
    has_pole = parts.pole_of(chain) is not None
    carried = carrier and chain.root.use_inherit_rotation and chain.root.inherit_scale == "FULL"
    limb = built_limb(
        at_rest,
        np.array([end, *(to_root @ rest(bones[bone.name])[:3, :3] for bone in chain.third)]),
        chain.options,
        carrier=carrier,
        needs_base=has_pole and not carried,
        hock=chain.hock,
        has_pole=has_pole,
        soft="softness" in options,
        turned="pole_angle" in options,
    )
    tip, at_root = chain.below[-1:], np.linalg.inv(rest(bones[chain.root.name]))
    reach = built_reach(at_root @ rest(bones[tip[0].name]), tip[0].length, carrier) if chain.by_tail else {}
    limb = replace(limb, bones=limb.bones | reach | dict(built_twists(chain, end)))
    return Parts(chain=chain, limb=limb, holder=_holder(chain), options=options)


def _custom(chain: ChainPlan) -> dict[str, float]:
    """The chain's options that become custom properties: the switch, and those that it makes use of."""
    used = {
        "influence": True,
        "softness": chain.number("softness") != 0.0,
        "max_stretch": chain.options.unreachable == Unreachable.STRETCH,
        "pole_angle": chain.number("pole_angle") != 0.0 and parts.pole_of(chain) is not None,
    }
    return {name: float(chain.number(name)) for name in parts.PROPERTIES if used[name]}


def _holder(chain: ChainPlan) -> str:
    """The bone that has the custom properties: the target where it is a bone that this chain alone has, or the end."""
    rig, target = chain.rig, chain.target
    users = [other for other in rig.two_bone_ik_chains if (other.target, other.subtarget) == (rig, target.bone)]
    return target.bone if target.object == rig and target.bone and len(users) == 1 else chain.end.name


def unbuild(rig: Rig, names: Names, scene: Scene | None) -> Report:
    """Take out what was built for these chains; None for all that was built into the rig."""
    built = {bone.name for bone in rig.pose.bones if dependencies.has_built(bone)}
    if names is not None:
        built &= {name for chain in chosen_chains(rig, names) for name in _copying(chain)}
    if not built:
        raise Refused("NOT_BUILT", object=rig)
    refuse_unposable(rig)
    target_bones.refuse_impossible(rig, scene_of(rig, scene), limbs=True)
    count = parts.remove(rig, scene_of(rig, scene), built)
    removed = translated("note.removed_limb" if count == 1 else "note.removed_limbs", count=count)
    return Report(rig=rig.name, chains=(), notes=(removed,), operation="Remove from Rig")

"""The order of the steps to build limbs into a rig, so that they move without this extension, and to take them out."""

from collections.abc import Sequence

from bpy.types import Scene

from ...skeleton import solve
from ...skeleton.bone_channels import keyed_rows
from ...skeleton.built_limb import built_limb
from ...skeleton.steps import part
from ...skeleton.values import ChainPlan
from ..armatures import Rig
from ..bake.build_plan import build_plan, chosen_chains, scene_of
from ..bake.chain import rest_chain
from ..bake.checks import refuse_shared_bones, refuse_too_many_frames
from ..bake.compare import compare_joints
from ..bake.phases import Need, Opened, Preparation, Written, request
from ..bake.report import Report, build_report
from ..curves.unkeyed_edits import Keep
from ..messages.refused import Refused
from ..messages.translation import translated
from ..scene import dependencies, sampling
from ..settings.key_settings import DEFAULTS, Measure
from ..settings.properties import root_name
from ..targets import target_bones
from . import checks, parts
from .parts import Parts


@request
def build(opened: Opened, rig: Rig, names: Sequence[str] | None, scene: Scene | None, measure: Measure) -> Preparation:
    """Build the chains, and measure them on the frames of the scene; what was built for them before is replaced."""
    plan = build_plan(rig, names, None, scene)
    refuse_too_many_frames(plan)
    refuse_shared_bones(plan.chains)
    target_bones.refuse_impossible(rig, plan.scene)
    for chain in plan.chains:
        checks.refuse_unbuildable(chain)

    sampler = opened.enter_context(sampling.Sampler(plan, DEFAULTS.sampling, opened.slow.append))
    samples = yield from part(sampler.over_range(), 0.0, 0.5)
    solved = yield from part(solve.solving(plan, samples), 0.5, 1.0)
    for group in solved:
        checks.refuse_uneven(plan, group, samples)
    built = [_parts(chain) for chain in plan.chains]
    rows = keyed_rows(plan, solved)

    def write(_keep: Keep) -> Written:
        sampler.removal.refuse()
        parts.remove(rig, plan.scene, [(chain.root.name, chain.end.name) for chain in plan.chains])
        parts.make(rig, plan.scene, built)
        sampler.renew()
        askew = [item.chain.name for item in built if not item.in_local_space]
        notes = [translated("note.built_askew", chains=", ".join(askew))] if askew else []
        comparison = compare_joints(plan, solved, rows, DEFAULTS, measure)
        need = Need.of(comparison.points, comparison.frames, sampler, {})
        return Written(need, lambda sampled: build_report("Build", plan, solved, notes, comparison.measured(sampled)))

    return write


def _parts(chain: ChainPlan) -> Parts:
    """What is to be built for the chain, whose custom properties are on its target where only this chain has it."""
    rig: Rig = chain.rig
    at_rest, end = rest_chain(rig, rig.two_bone_ik_chains[chain.name])
    options, target = chain.options, chain.target
    values = {"influence": options.influence, "softness": options.softness, "pole_angle": options.pole_angle}
    values = {name: float(value) for name, value in values.items() if name == "influence" or value != 0.0}
    shared = [other for other in rig.two_bone_ik_chains if other.target == rig and other.subtarget == target.bone]
    on_target = target.object == rig and target.bone and len(shared) == 1
    return Parts(
        chain=chain,
        limb=built_limb(
            at_rest,
            end,
            options,
            has_pole=chain.pole is not None,
            soft="softness" in values,
            turned="pole_angle" in values,
        ),
        holder=target.bone if on_target else chain.end.name,
        options=values,
    )


def unbuild(rig: Rig, names: Sequence[str] | None, scene: Scene | None) -> Report:
    """Take out what was built for these chains, None for all."""
    chains = chosen_chains(rig, names)
    limbs = [(root_name(rig, chain), chain.end_bone) for chain in chains]
    limbs = [bones for bones in limbs if dependencies.built_by(rig, bones[-1])]
    if not limbs:
        raise Refused("NOT_BUILT", object=rig)
    target_bones.refuse_impossible(rig, scene_of(rig, scene))
    parts.remove(rig, scene_of(rig, scene), limbs)
    removed = translated("note.removed_limb" if len(limbs) == 1 else "note.removed_limbs", count=len(limbs))
    return Report(rig=rig.name, chains=(), notes=(removed,), operation="Remove from Rig")

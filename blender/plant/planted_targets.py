"""The order of the steps for feet that stand, and targets that follow them.

All that may be refused of the targets comes first: those that chains have are sampled as if they were to be keyed
already, and those that chains lack are created before the feet are keyed.
"""

from contextlib import ExitStack
from dataclasses import replace

from bpy.types import Scene

from ...skeleton.steps import part
from ..armatures import Rig
from ..bake.build_plan import build_plan
from ..bake.request import MeasurePhase, Preparation, Resources, finish, request
from ..chains.detect.find_limbs import Kind, limbs
from ..chains.field_values import chains_restorer
from ..chains.new_chains import add_limb
from ..curves.unkeyed_edits import Keeper
from ..settings.key_settings import KeySettings
from ..targets.checks import keyable, refuse_not_shown
from ..targets.create_targets import DEFAULT, create_all
from ..targets.targets_from_pose import bake_targets
from .captured_limbs import PlantChoices, captured_limbs
from .plant import plant_feet


@request
def plant_with_targets(
    resources: Resources, rig: Rig, choices: PlantChoices, scene: Scene | None, settings: KeySettings
) -> Preparation:
    """Key the limbs so that their feet stand, and targets of their chains so that they follow them."""
    planting = plant_feet.part(resources, rig, choices, scene, settings)
    # Taken out where it is carried out, so that its samples are gone while the targets are sampled.
    write_feet = [(yield from part(planting, 0.0, 0.5))]
    read = captured_limbs(rig, choices, scene)
    planted, frames = [foot.chain.name for foot in read.feet if foot.is_planted], read.plan.frames
    names = [name for name in planted if name not in read.again]
    span = float(frames[0]), float(frames[-1]), float(frames[1] - frames[0]) if len(frames) > 1 else 1.0
    if known := [chain.name for chain in rig.two_bone_ik_chains if chain.name in names and chain.target]:
        yield from part(bake_targets.part(resources, rig, known, span, scene, settings), 0.5, 1.0)

    def write(keep: Keeper) -> MeasurePhase:
        with ExitStack() as until_keyed:
            until_keyed.callback(chains_restorer(rig))
            for limb in limbs(rig, {Kind.ARMS, Kind.LEGS}):
                if limb.name in names and not limb.chain:
                    add_limb(rig, limb)
            [made] = create_all({rig: names}, scene, DEFAULT, undo=until_keyed)
            plan = build_plan(rig, names, span, scene, settings.keys)
            refuse_not_shown(plan)
            keyable(plan, over_range=True, style=settings)
            report = finish(write_feet.pop(), keep)
            until_keyed.pop_all()
        baked = bake_targets.within(keep, rig, names, span, scene, settings)
        return MeasurePhase(None, lambda _: replace(report, notes=(*report.notes, *made.notes, *baked.notes)))

    return write

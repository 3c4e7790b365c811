"""Built limbs that are to follow targets: these go where the pose has them, whichever objects or bones they are."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from ...skeleton.bone_channels import keyed_rows
from ...skeleton.switch.switch_plan import Setting, SwitchPlan
from ...skeleton.target_channels import by_object
from ...skeleton.values import ChainPlan, Channel, Plan, Point
from .. import versions
from ..armatures import Rig
from ..bake.build_plan import Frames, build_plan
from ..bake.compare import compare_joints
from ..bake.report import build_report
from ..bake.request import MeasurePhase, Need, Resources, WritePhase
from ..bake.write_channels import paths
from ..curves import key_checks
from ..curves.border_keys import kept_span, setting_channel, shown_outside, with_border_keys
from ..curves.unkeyed_edits import Keeper
from ..messages.refused import Refused
from ..rigs.built_limbs import OPTIONS
from ..rna_paths import bone_and_property
from ..settings.key_settings import Keys, KeySettings
from ..targets.targets_from_pose import moved_targets
from .control_keys import write_keys, write_settings


def follow_pose(
    resources: Resources, switched: Plan, frames: Frames | None, limbs: Sequence[SwitchPlan], settings: KeySettings
) -> Generator[float, None, WritePhase]:
    """Key targets and pole targets of these limbs, so that these stay as they are once they follow them.

    raises : Refused where a target cannot be keyed, or would change what is outside of the frames
    """
    rig: Rig = switched.rig
    keys = Keys.SOURCE if settings.keys == Keys.TARGET_KEYS else settings.keys
    plan = build_plan(rig, [limb.name for limb in limbs], frames, switched.scene, keys)
    switches = {limb.name: limb.switch for limb in limbs}
    ranks = tuple(tuple(_as_built(chain, switches[chain.name]) for chain in rank) for rank in plan.ranks)
    plan = replace(plan, ranks=ranks)
    notes, moved = yield from moved_targets(resources, plan, replace(settings, keys=keys))
    shown = {
        point: shown_outside(rig, switches[chain.name], plan.frames) for chain in plan.chains for point in chain.targets
    }
    kept: dict[Point, list[Channel]] = {}
    for point, of_point in moved.channels.items():
        item, shows = point.object, shown[point]
        spans = {channel.path: [kept_span(item, channel.path, plan.frames, *shows)] for channel in of_point}
        key_checks.refuse_unkept(item, spans)
        kept[point] = [with_border_keys(item, channel, *shows) for channel in of_point]
    channels = by_object(kept)
    set_keys = [setting_channel(rig, switch, plan.frames) for switch in switches.values()]

    def write(keep: Keeper) -> MeasurePhase:
        moved.sampler.removal.refuse()
        span, told, keyed = (plan.frames[0], plan.frames[-1]), [*notes], paths(channels)
        for item, of_item in channels.items():
            keep(item, plan.scene, keyed[item])
            told += write_keys(item, of_item, span, settings)
        keyed.setdefault(rig, set()).update(switch.path for switch in switches.values())
        keep(rig, plan.scene, keyed[rig])
        as_new = settings.new_action and rig not in channels
        told += write_settings(rig, set_keys, span, settings, as_new=as_new)
        moved.sampler.renew()
        rows = keyed_rows(plan, moved.solved)
        comparison = compare_joints(plan, moved.solved, rows, settings)
        need = Need.of(comparison.points, comparison.frames, moved.sampler, keyed)
        return MeasurePhase(
            need, lambda sampled: build_report("Switch", plan, moved.solved, told, comparison.measured(sampled))
        )

    return write


def _as_built(chain: ChainPlan, switch: Setting) -> ChainPlan:
    """The chain that follows its target with the properties of the switch's bone; Refused where one is animated."""
    rig: Rig = chain.rig
    holder = rig.pose.bones[bone_and_property(switch.path)[0]]
    options: dict[str, Any] = {option: holder[name] for option, name in OPTIONS.items() if name in holder.keys()}
    for name in (OPTIONS[option] for option in options):
        if versions.is_ever_animated(rig, f'{holder.path_from_id()}["{name}"]'):
            raise Refused("BUILT_ANIMATED", chain=chain, bone=holder.name, value=name)
    return replace(chain, options=replace(chain.options, influence=1.0, **options), animated=frozenset())

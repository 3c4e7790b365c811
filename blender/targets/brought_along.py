"""Targets follow a limb while it is pulled, without keys. `restore` puts them back exactly."""

from collections.abc import Sequence
from dataclasses import replace

from bpy.types import Object, Scene

from ...skeleton.target_channels import placed, target_channels, world_transforms
from ...skeleton.targets_from_pose import targets_from_pose
from ...skeleton.values import ChainPlan
from ...solver.values import Bend
from ..armatures import Rig
from ..bake.build_plan import current_plan
from ..bake.write_channels import pose_channels
from ..messages.refused import unless_gone
from ..rna_paths import set_value_at
from ..scene.need import pose_need
from ..scene.sampling import sample_current_frame, settle
from ..settings.key_settings import DEFAULTS
from .checks import keyable, refuse_not_shown


class BroughtAlong:
    """Target and pole target of one chain: read once, and moved as often as the chain is posed.

    insert_keys : whether they are to be keyed once the limb is let go
    raises : Refused where one of them cannot be moved freely, or keyed
    """

    def __init__(self, rig: Rig, name: str, scene: Scene, *, insert_keys: bool) -> None:
        self._plan = current_plan(rig, [name], scene)
        refuse_not_shown(self._plan)
        self._points = keyable(self._plan, over_range=False, style=DEFAULTS if insert_keys else None)
        self._need = pose_need(self._plan, placed(self._points))
        self._before: dict[tuple[Object, str], Sequence[float]] = {}

    def follow(self, bend: Bend | None = None) -> None:
        """Move them to where the pose is.

        bend : of the chain, where it is to be another one from now on
        raises : Refused where something that carries them lies nowhere
        """
        # Before anything is sampled: meanwhile limbs that hang on this one would not be posed.
        settle(self._plan)
        samples = sample_current_frame(self._plan, self._need)
        plan = self._plan if bend is None else replace(self._plan, ranks=((_bent(self._plan.chains[0], bend),),))
        places = world_transforms(targets_from_pose(plan, samples))
        channels = target_channels(plan, places, samples, self._points)
        for item, of_item in channels.items():
            for channel in of_item:
                self._before.setdefault((item, channel.path), tuple(item.path_resolve(channel.path)))
        pose_channels(plan, channels)

    def restore(self) -> None:
        """Put them back to where they were before they followed."""
        for (item, path), values in self._before.items():
            with unless_gone:
                set_value_at(item, path, values)


def _bent(chain: ChainPlan, bend: Bend) -> ChainPlan:
    return replace(chain, options=replace(chain.options, bend=bend))

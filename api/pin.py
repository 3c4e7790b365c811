"""Hands and feet that stay where they are while the body moves."""

from collections.abc import Sequence

from bpy.types import Object, Scene

from ..blender.bake.build_plan import Frames
from ..blender.bake.request import Request
from ..blender.scene.checks import given_rig
from ..blender.settings.key_settings import DEFAULTS, KeySettings, KeyStyle
from ..blender.targets.create_targets import DEFAULT
from ..blender.targets.new_targets import TargetKind, TargetStyle
from ..blender.targets.pin import pin_targets
from .chains import add_detected
from .command import command

_EVERY_FRAME = KeyStyle()


@command
def pin(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    style: KeyStyle = _EVERY_FRAME,
    insert_keys: bool = False,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
    kind: str = DEFAULT.kind,
    or_empties: bool = DEFAULT.or_empties,
) -> Request:
    """Put target and pole target where the limbs are, and switch Live on: the tips then stay while the body moves.

    Chains get the targets that they lack, as `create_targets` makes them. An armature without chains first gets those
    of its arms and legs, as `add_detected` adds them. A request that is closed before it has written removes new chains
    and targets again.

    frames : None for the current frame alone; over a range targets are keyed first, as by `bake_targets`
    style, sampling, measure : how they are keyed over the range; see `bake`
    insert_keys : key the targets on the current frame
    kind, or_empties : as for `create_targets`

    >>> print(api.pin(rig))
    forearm.L: 1 of 1 frames reached
    Keys take "Hand" back on the next frame: insert keys, or work over a range
    Created 1 empty in the collection "Hero Targets"
    Linking "Hero" alone will not take the empties along: put them into a collection, and link that
    >>> rig.two_bone_ik_live
    True
    """
    settings = KeySettings.styled(style, sampling=sampling, measure=measure)
    made = TargetStyle(kind=TargetKind(kind), or_empties=or_empties)
    return pin_targets(
        given_rig(rig), chains, frames, scene, settings, made, insert_keys=insert_keys, add_chains=add_detected
    )

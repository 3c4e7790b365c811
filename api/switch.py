"""Limbs of rigs that have FK controls, and controls that IK moves."""

from collections.abc import Sequence

from bpy.types import Object, Scene

from ..blender.armatures import Rig
from ..blender.bake.build_plan import Frames
from ..blender.bake.request import Request
from ..blender.rigs import known_limbs as known
from ..blender.rigs.built_limbs import built_limbs
from ..blender.rigs.rig_files import KnownLimb
from ..blender.scene.checks import given_rig
from ..blender.settings.key_settings import DEFAULTS, KeySettings
from ..blender.switch import switch as requests
from ..blender.switch.switch_plan import ControlSet
from .command import action_command


def known_limbs(rig: Object, chains: Sequence[str] | None = None) -> tuple[KnownLimb, ...]:
    """The limbs that `switch` can switch, with their bones, or those of these names.

    raises : Refused where the rig is of no known kind, or lacks something that its kind has

    >>> try:
    ...     api.known_limbs(rig)
    ... except api.Refused as refused:
    ...     print(refused.kind)
    UNKNOWN_RIG
    """
    return known.known_limbs(given_rig(rig), chains)


def known_limb_of(rig: Object, bone: str) -> KnownLimb:
    """The limb of this bone, any of those that `known_limbs` names, such as the one that is selected.

    raises : Refused where the bone is in no such limb, or the limb lacks something that its kind has

    >>> try:
    ...     api.known_limb_of(rig, "forearm")
    ... except api.Refused as refused:
    ...     print(refused.kind)
    UNKNOWN_RIG
    """
    return known.known_limb_of(given_rig(rig), bone)


def _built(rig: Rig, names: Sequence[str] | None) -> list[str]:
    """Those of the limbs with these names that follow a target, as they are built into the rig."""
    return [limb.name for limb in built_limbs(rig) if names is None or limb.name in names]


@action_command(_built)
def switch(
    rig: Object,
    to: str,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    keys: str = DEFAULTS.keys,
    key_type: str = DEFAULTS.key_type,
    new_action: bool = DEFAULTS.new_action,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Request:
    """Let limbs show their FK controls, or IK, over the frames: these controls are keyed so that the pose stays.

    The property that says which control set shows is keyed so that it changes nothing outside of the frames.

    to : FK or IK
    chains : names of limbs as `known_limbs` has them, None for all
    keys : EVERY_FRAME; SOURCE or TARGET_KEYS, where the controls have keys that show the limb so far
    key_type, new_action, sampling, measure : as for `bake`
    actions : a pattern such as "*": limbs are switched in each action of the armature that it fits, with a report each
    raises : Refused where the rig is of no known kind, or lacks something that its kind has; then nothing has changed

    >>> try:
    ...     api.switch(rig, "FK", frames=(1, 10))
    ... except api.Refused as refused:
    ...     print(refused.kind)
    UNKNOWN_RIG
    """
    settings = KeySettings.styled(
        keys=keys, key_type=key_type, new_action=new_action, sampling=sampling, measure=measure
    )
    return requests.switch(given_rig(rig), ControlSet(to), chains, frames, scene, settings)

"""From poses to targets: where targets and pole targets are so that the pose stays."""

from collections.abc import Iterable, Sequence
from math import inf
from typing import Unpack, overload

from bpy.types import Object, Scene

from ..blender.bake.build_plan import Frames, Names, build_plan
from ..blender.bake.keys_of_limbs import target_keys as target_key_frames
from ..blender.bake.report import Report
from ..blender.bake.request import Request, alone
from ..blender.scene.checks import given_rig
from ..blender.settings.key_settings import DEFAULTS, EVERY_FRAME, KeySettings, KeyStyle, inserted
from ..blender.targets import target_space, targets_from_pose
from ..blender.targets.create_targets import DEFAULT, create_all
from ..blender.targets.pin import pin_targets
from ..blender.targets.space import Space, space_point
from ..blender.targets.target_names import TargetKind, TargetStyle
from .bake import given_rigs
from .command import command
from .options import TargetOptions


@overload
def create_targets(
    rig: Object, chains: Names = None, *, scene: Scene | None = None, **style: Unpack[TargetOptions]
) -> Report: ...


@overload
def create_targets(
    rig: Iterable[Object], chains: Names = None, *, scene: Scene | None = None, **style: Unpack[TargetOptions]
) -> list[Report]: ...


@alone()
def create_targets(
    rig: Object | Iterable[Object],
    chains: Sequence[str] | None = None,
    *,
    scene: Scene | None = None,
    kind: str = DEFAULT.kind,
    or_empties: bool = DEFAULT.or_empties,
) -> Report | list[Report]:
    """Create the target and pole target that chains lack, placed so that the pose does not move.

    Those of a finger hang on the hand, and all others on nothing; `change_target_space` hangs them elsewhere. A chain
    lacks them as well if its armature was duplicated from the one for which they were made. A chain with a tip
    bone that gets a target follows its rotation, and one whose bones have keys gets the reference POSE; what the
    user has set stays.

    rig : an armature object; or many, which is far faster than one after another, and each has a report
    kind : EMPTIES or BONES, a `TargetKind`; bones of the armature itself, in a bone collection of their own
    or_empties : create empties, and say why, where an armature cannot get bones
    raises : Refused where bones cannot be added, as to a linked armature

    >>> chain = api.add_chain(rig, "forearm.R")
    >>> print(api.create_targets(rig, ["forearm.R"]))
    forearm.R: 1 of 1 frames reached
    Created 2 empties in the collection "Hero Targets"
    Linking "Hero" alone will not take the empties along: put them into a collection, and link that
    """
    style = TargetStyle(kind=TargetKind(kind), or_empties=or_empties)
    rigs = given_rigs(rig)
    names = dict.fromkeys(rigs, chains)
    reports = dict(zip(names, create_all(names, scene, style), strict=True))
    return reports[rigs[0]] if isinstance(rig, Object) else [reports[item] for item in rigs]


@alone()
def snap_targets(
    rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None, insert_keys: bool | str = False
) -> Report:
    """Move target and pole target to where the pose is that shows; key them where `insert_keys` is set, see `solve`.

    >>> print(api.snap_targets(rig))
    forearm.L: 1 of 1 frames reached
    Keys take "Hand" back on the next frame: insert keys, or work over a range
    """
    return targets_from_pose.snap_targets(given_rig(rig), chains, scene, insert_keys=inserted(insert_keys))


@command
def bake_targets(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    keys: str = DEFAULTS.keys,
    tolerance: float = DEFAULTS.tolerance,
    interpolation: str = DEFAULTS.interpolation,
    key_type: str = DEFAULTS.key_type,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Request:
    """Key target and pole target so that they follow the pose that shows: a bake gives it back.

    keys : EVERY_FRAME; SOURCE, only those frames on which a bone of the limb has keys; TARGET_KEYS, only those on
        which they have keys already; REDUCED, as few as keep targets and joints within `tolerance`, in world units, on
        every quarter frame
    interpolation, key_type, measure : as for `bake`

    >>> report = api.bake_targets(rig, frames=(1, 10))
    >>> print(api.bake_targets(rig, frames=(1, 10), keys="REDUCED"))
    forearm.L: 10 of 10 frames reached
    Targets of chain "forearm.L" have keys on 2 frames instead of 10
    """
    style = KeySettings.styled(keys=keys, tolerance=tolerance, interpolation=interpolation, key_type=key_type)
    settings = KeySettings.styled(style, sampling=sampling, measure=measure)
    return targets_from_pose.bake_targets(given_rig(rig), chains, frames, scene, settings)


@command
def change_target_space(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    space: Space,
    scene: Scene | None = None,
    style: KeyStyle = EVERY_FRAME,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Request:
    """Hang target and pole target on something else, and key them so that in the world they move as before.

    The parent changes on all frames. So the range becomes longer where targets, what carried them or what is to carry
    them have keys outside of it; the report says so.

    space : None for the world, an object, or an armature object and the name of its bone; for targets that are bones
        their own armature object, or a bone of it
    style : how they are keyed
    raises : Refused where the space follows the limb or its targets, or where a bone would leave its armature

    >>> report = api.change_target_space(rig, frames=(1, 10), space=(rig, "chest"))
    >>> hand.parent == rig, hand.parent_bone
    (True, 'chest')
    """
    settings = KeySettings.styled(style, sampling=sampling, measure=measure)
    return target_space.change_target_space(given_rig(rig), chains, frames, scene, settings, space=space_point(space))


def target_keys(rig: Object, chains: Sequence[str] | None = None) -> list[float]:
    """The frames on which a target or a pole target of these chains has a key, rising.

    >>> api.target_keys(rig)
    [1.0, 10.0]
    """
    plan = build_plan(given_rig(rig), chains, None, None)
    return sorted({frame for chain in plan.chains for frame in target_key_frames(chain, -inf, inf).tolist()})


@alone()
def pin(
    rig: Object,
    chains: Sequence[str] | None = None,
    *,
    scene: Scene | None = None,
    insert_keys: bool | str = False,
    kind: str = DEFAULT.kind,
    or_empties: bool = DEFAULT.or_empties,
) -> Report:
    """Put target and pole target where the limbs are, and switch Live on: the tips then stay while the body moves.

    Chains get the targets that they lack, as `create_targets` makes them. An armature without chains first gets those
    of its arms and legs, as `add_detected` adds them.

    insert_keys : key the targets on the current frame; see `solve`
    kind, or_empties : as for `create_targets`

    >>> print(api.pin(rig))
    forearm.L: 1 of 1 frames reached
    Keys take "Hand" back on the next frame: insert keys, or work over a range
    Created 1 empty in the collection "Hero Targets"
    Linking "Hero" alone will not take the empties along: put them into a collection, and link that
    >>> rig.two_bone_ik_live
    True
    """
    made = TargetStyle(kind=TargetKind(kind), or_empties=or_empties)
    return pin_targets(given_rig(rig), chains, scene, made, insert_keys=inserted(insert_keys))

"""From targets to keys: what chains' bones do over a range so that their tips follow their targets."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial, wraps
from itertools import chain
from typing import Any, Protocol, Unpack, cast, overload

from bpy.types import Object, Scene

from ..blender.armatures import Rig
from ..blender.bake import bake as bake_steps
from ..blender.bake import markers
from ..blender.bake.build_plan import Frames, Names, after_followed, scene_of
from ..blender.bake.report import Report
from ..blender.bake.request import Request, alone
from ..blender.hold import hold
from ..blender.scene.checks import given_rig
from ..blender.settings.key_settings import DEFAULTS, KeySettings, Sampling
from ..blender.switch.bake_built import bake_all
from .command import action_command, reports, with_request
from .options import BakeOptions


class _Bake(Protocol):
    @overload
    def __call__(
        self, rig: Object, chains: Names = None, frames: Frames | None = None, **settings: Unpack[BakeOptions]
    ) -> Report: ...

    @overload
    def __call__(
        self, rig: Iterable[Object], chains: Names = None, frames: Frames | None = None, **settings: Unpack[BakeOptions]
    ) -> list[Report]: ...

    @overload
    def __call__(self, rig: Object | Iterable[Object], *args: Any, actions: str, **named: Any) -> list[Report]: ...

    @overload
    def request(
        self, rig: Object, chains: Names = None, frames: Frames | None = None, **settings: Unpack[BakeOptions]
    ) -> Request: ...

    @overload
    def request(self, rig: Object, *args: Any, actions: str, **named: Any) -> list[Request]: ...


def _for_many(one: Any) -> _Bake:
    """A command that many armatures can be given; they are baked side by side, but for those that follow others."""

    def requests(rigs: Iterable[Rig], *args: Any, **named: Any) -> list[Request]:
        found = [one.request(rig, *args, **named) for rig in rigs]
        return [each for of_rig in found for each in (of_rig if isinstance(of_rig, list) else [of_rig])]

    @wraps(one)
    def carried_out(rig: Object | Iterable[Object], *args: Any, **named: Any) -> Report | list[Report]:
        if isinstance(rig, str) or not isinstance(rig, Iterable):
            return one(rig, *args, **named)
        rigs = given_rigs(rig)
        groups, refusals = after_followed(dict.fromkeys(rigs, args[0] if args else named.get("chains")))
        for refusal in refusals:
            raise refusal
        for each in requests(chain.from_iterable(groups[1:]), *args, **named):
            with closing(each) as later:
                next(later.prepare(), None)  # refused before others have keys, unless it is for what these show
        told = [report for group in groups for report in reports(requests(group, *args, **named))]
        return [report for name in [one_rig.name for one_rig in rigs] for report in told if report.rig == name]

    return cast("_Bake", with_request(carried_out, one.request, Report | list[Report]))


@_for_many
@action_command(lambda _rig, names: names)
def bake(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    keys: str = DEFAULTS.keys,
    tolerance: float = DEFAULTS.tolerance,
    interpolation: str = DEFAULTS.interpolation,
    key_type: str = DEFAULTS.key_type,
    new_action: bool = DEFAULTS.new_action,
    mute_constraints: bool = DEFAULTS.mute_constraints,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Request:
    """Key the rotations of the chains' bones so that the tips follow their targets.

    Limbs that are built into the rig get keys of the pose that they show, as by `switch`, and show FK from then on.

    Many characters with one call are far faster than one after another: Blender evaluates the scene once for all of
    them that do not follow limbs of each other, and again for those that do. They have a report each.

    rig : an armature object, or many; where one of many cannot be baked, none gets keys, but for those that it follows
        where only their keys show that it cannot be
    keys : EVERY_FRAME; TARGET_KEYS, only frames on which target, pole target or a keyed option has keys; SOURCE, only
        those on which the limb's own bones have keys; REDUCED, as few as keep joints within `tolerance`, in world
        units, on every quarter frame of what step 0.25 gives
    interpolation, key_type : as Blender's `Keyframe.interpolation` and `Keyframe.type`
    new_action : key a copy of the armature's action and leave the action itself as it is
    mute_constraints : mute the IK constraints that would hide the keys
    sampling : AUTO, CURVES, ISOLATED or SCENE
    measure : on which frames to look afterwards at how the chains are posed: AUTO, all up to 64, and of more some, with
        up to 64 on which constraints, scale or NLA strips change most; ALL; NONE
    actions : a pattern such as "*" or "Walk*": each action of the armature that it fits is baked over its own frames,
        while the targets play theirs of the same NLA track, else slot, else name but for the owner's; there is a report
        each, that of what plays the last, and all play then what they played before

    >>> report = api.bake(rig, frames=(1, 10))
    >>> print(report)
    forearm.L: 10 of 10 frames reached
    >>> report.reached, float(report.chains[0].miss.max()) < 1e-5
    (True, True)
    >>> report.posed, int(report.chains[0].measured.sum())
    (True, 10)
    >>> api.Report.from_json(report.to_json()).reached
    True
    >>> [print(report) for report in api.bake([rig], frames=(1, 10))]
    forearm.L: 10 of 10 frames reached
    [None]
    >>> request = api.bake.request(rig, frames=(1, 10), sampling="ISOLATED")
    >>> for done in request.prepare():
    ...     assert 0.0 <= done <= 1.0
    >>> print(request.write())
    forearm.L: 10 of 10 frames reached
    """
    style = KeySettings.styled(keys=keys, tolerance=tolerance, interpolation=interpolation, key_type=key_type)
    settings = KeySettings.styled(
        style, new_action=new_action, mute_constraints=mute_constraints, sampling=sampling, measure=measure
    )
    baking = bake_all(given_rig(rig), chains, frames, scene, settings)
    return Request(lambda resources: baking.part(resources.telling(partial(hold.notes, baking=True))))


def given_rigs(rig: Object | Iterable[Object]) -> list[Rig]:
    """One armature object or many as a list; Refused for anything else among them."""
    rigs = rig if isinstance(rig, Iterable) and not isinstance(rig, str) else [rig]
    return [given_rig(item) for item in rigs]


@alone()
def check(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    scene: Scene | None = None,
    sampling: str = DEFAULTS.sampling,
    add_markers: bool = False,
) -> Report:
    """The report that a bake would give; no key is written, and thus nothing measured but limbs that are built.

    add_markers : put timeline markers where a chain falls short or flips, in place of those of the last check

    >>> hand.animation_data_clear()
    >>> hand.location = (3, 0, 1)
    >>> print(api.check(rig, frames=(1, 10), add_markers=True))
    forearm.L: 0 of 10 frames reached
      too far on 10 frames (1-10), by up to 1.16 m
    >>> [marker.name for marker in scene.timeline_markers]
    ['Too Far: Hero, forearm.L']
    """
    rig = given_rig(rig)
    report = bake_steps.check(rig, chains, frames, scene, Sampling(sampling), more_notes=hold.notes)
    if add_markers:
        markers.replace(scene_of(rig, scene), report)
    return report


def remove_markers(rig: Object, *, scene: Scene | None = None) -> None:
    """Take away the markers that checks of this armature have put on the timeline.

    >>> api.remove_markers(rig)
    """
    rig = given_rig(rig)
    for marked_scene in [scene_of(rig, scene)] if scene else rig.users_scene:
        markers.remove(marked_scene, rig.name)


def followed_first(rigs: Iterable[Object]) -> list[Rig]:
    """The armatures in the order in which to solve them: each after those of them whose limbs its chains follow.

    raises : Refused where they follow each other

    >>> api.followed_first([rig]) == [rig]
    True
    """
    groups, refusals = after_followed(dict.fromkeys(given_rigs(rigs)))
    for refusal in refusals:
        raise refusal
    return [rig for group in groups for rig in group]

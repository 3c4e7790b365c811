"""The actions of an armature, and what its targets play with each.

Game animators keep many: one plays, others are in NLA strips, mostly muted, and the rest only lie in the file. What
Plant and Hold keep to begin from again is none of them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from math import ceil, floor
from typing import Any, NamedTuple

import bpy
from bpy.types import Action, Object

from .. import versions
from ..armatures import Rig, is_rig
from ..messages.refused import Refused
from ..messages.translation import nearest_name
from ..rna_paths import bone_and_property

ActionInSlot = tuple[Action, str]
"""An action and the identifier of its slot, "" where Blender has no slots."""

_Strips = list[tuple[str, float]]
"""The name of the track and the first frame of each strip that has a certain action."""

_Actions = Mapping[ActionInSlot, _Strips]
"""The actions that an object plays or that its strips have, and by action these strips."""

_JOINS = " _-.|:"
"""What stands between the name of an owner and that of an action."""


class Pair(NamedTuple):
    """An action of an armature with those of its targets: what each object is to play, the armature first."""

    played: Mapping[Object, ActionInSlot]

    @property
    def action(self) -> Action:
        """The action of the armature."""
        return next(iter(self.played.values()))[0]

    @property
    def span(self) -> tuple[int, int] | None:
        """First and last frame: those that the action gives itself, otherwise those with keys; None without keys."""
        action = self.action
        if action.use_frame_range:
            return floor(action.frame_start), ceil(action.frame_end)
        curves = (curve for played in self.played.values() for curve in versions.slot_curves(*played))
        spans = [curve.range().to_tuple() for curve in curves if curve.keyframe_points]
        return (floor(min(spans)[0]), ceil(max(last for _, last in spans))) if spans else None


def pairs(
    rig: Rig, pattern: str, targets: Collection[Object], others: Iterable[Object]
) -> tuple[list[Pair], dict[str, str]]:
    """The armature's actions whose name fits the pattern, the one that it plays last, with those of other objects.

    targets : they play nothing at all, or need an action for each of the armature's
    others : what else moves the targets; without such an action they play what they play
    returns : the pairs; by name of an action that a target lacks one for, that target
    raises : Refused where no name fits
    """
    found: list[Pair] = []
    own = {item: _own(item) for item in (*targets, *others)}
    for played, places in _actions_of(rig).items():
        partners = ((item, _partner(item, own[item], rig, played, places)) for item in own)
        found.append(Pair({rig: played} | {item: partner for item, partner in partners if partner}))
    names = [pair.action.name for pair in found]
    fitting = [pair for pair in found if pair.action.name == pattern or fnmatchcase(pair.action.name, pattern)]
    if not fitting:
        raise Refused("NO_ACTION", object=rig, value=pattern, nearest=nearest_name(pattern, names))
    moving = [item for item in targets if own[item] or any(item in pair.played for pair in found)]
    lacking = {pair.action.name: item.name for pair in fitting for item in moving if item not in pair.played}
    return [pair for pair in fitting if pair.action.name not in lacking], lacking


def tracks(item: Object) -> set[str]:
    """Names of the NLA tracks that have what the object plays."""
    return {track for track, _ in _own(item).get(versions.played(item), ())}


def _actions_of(rig: Rig) -> _Actions:
    """All actions of the armature, with the strips of its NLA that have them; the one that it plays is the last."""
    own = _own(rig)
    twins = [item for item in bpy.data.objects if is_rig(item) and item != rig]
    known = {*own, *(played for twin in twins for played in _own(twin))}
    lying = ((action, slot) for action in bpy.data.actions for slot in versions.slots(action))
    free = [played for played in lying if played not in known and _is_of(rig, twins, played)]
    owners: list[Any] = [*bpy.data.actions, *bpy.data.objects]
    kept = {owner.two_bone_ik_source for owner in owners}
    active = versions.played(rig)
    in_order = sorted([*own, *free], key=lambda played: played == active)
    return {played: own.get(played, []) for played in in_order if played[0] not in kept}


def _own(item: Object) -> _Actions:
    """What the object plays and what its strips have; where it plays what was made from another, that one's strips."""
    active: Any = versions.played(item)
    owner: Any = item
    sources = (owner.two_bone_ik_source, active[0].two_bone_ik_source) if active[0] else ()
    found: dict[ActionInSlot, _Strips] = {}
    for track, start, action, slot in versions.tracks(item):
        found.setdefault(active if action in sources else (action, slot), []).append((track, start))
    if active[0]:
        found.setdefault(active, [])
    return found


def _is_of(rig: Rig, twins: Collection[Rig], played: ActionInSlot) -> bool:
    """Whether an action that nothing plays is the armature's: by its slot, else as it fits no other armature better."""
    action, slot = played
    bones = {bone_and_property(curve.data_path)[0] for curve in versions.slot_curves(*played)} - {""}
    named = [item for item in (rig, *twins) if slot and slot == versions.slot_named_for(item)]
    if named or not bones:
        return bool(bones) and rig in named

    def fit(item: Rig) -> tuple[int, bool]:
        return sum(bone in item.pose.bones for bone in bones), item.name in action.name

    own = fit(rig)
    return own[0] > 0 and all(fit(twin) <= own for twin in twins)


def _partner(item: Object, own: _Actions, rig: Rig, played: ActionInSlot, places: _Strips) -> ActionInSlot | None:
    """What the object plays with this action of the armature: of the same track, else slot, else name."""
    action, starts = played[0], dict(places)
    on_same_track = [
        (abs(start - starts[track]), number)
        for number, strips in enumerate(own.values())
        for track, start in strips
        if track in starts
    ]
    if on_same_track:
        return list(own)[min(on_same_track)[1]]
    named = versions.slot_named_for(item)
    of_action = [each for each in own if each[0] == action]
    of_action += [(action, slot) for slot in versions.slots(action) if slot and slot == named]
    wanted = _stems(action.name, rig)
    of_name = [each for each in own if _stems(each[0].name, item) & wanted]
    return next(iter((*of_action, *of_name, *_lying(item, named, wanted))), None)


def _lying(item: Object, named: str, wanted: Collection[str]) -> Iterator[ActionInSlot]:
    """Actions that nothing plays, whose name is one of these and the object's."""
    for action in bpy.data.actions:
        stem = _stem(action.name, item)
        slots = versions.slots(action)
        if stem != action.name.casefold() and stem in wanted and slots:
            yield action, named if named in slots else slots[0]


def _stems(name: str, owner: Object) -> set[str]:
    """The name of an action, with its owner's and without."""
    return {name.casefold(), _stem(name, owner)}


def _stem(name: str, owner: Object) -> str:
    """The name without its owner's at its beginning or end, and without what joins them."""
    whole, of_owner = name.casefold(), owner.name.casefold()
    return next(
        (cut.strip(_JOINS) for cut in (whole.removeprefix(of_owner), whole.removesuffix(of_owner)) if cut != whole),
        whole,
    )

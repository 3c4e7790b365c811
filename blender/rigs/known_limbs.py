"""Which limbs of an armature are those of a known rig: told by bones, properties and constraints, not by its name."""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any

import numpy as np
from bpy.types import Bone, Constraint, KinematicConstraint, PoseBone
from numpy.typing import NDArray

from ...skeleton.values import ChainPlan, Point
from ...solver.values import Array
from ..armatures import Rig
from ..messages.refused import Refused
from ..messages.translation import known_words, nearest_name, translated
from ..rna_paths import owner_of
from ..scene import dependencies
from ..scene.checks import given_names
from ..session import session
from . import switch_property
from .built_limbs import built_limbs
from .rig_files import KnownLimb, faults, layouts, user_files
from .switch_property import INFLUENCE, drivers_reading, is_at, property_owner, property_path, switch_path, values_on
from .wildcards import filled, wildcard_texts, wildcards_in

_ALMOST = 0.5
"""From this part of a limb's bones on, users would take it for this limb."""


def known_limbs(rig: Rig, names: Sequence[str] | None = None) -> tuple[KnownLimb, ...]:
    """The limbs of these names, or all, of the kind of rig that this one is.

    raises : Refused where it is of none, or where something is missing that a limb of its kind has
    """
    chosen = None if names is None else given_names(rig, names)
    limbs = _found(rig, lambda limb: chosen is None or limb.name in chosen, built_limbs(rig))
    for name in chosen or ():
        if name not in limbs:
            raise Refused("UNKNOWN_LIMB", object=rig, value=name, known=known_words(name, limbs))
    return tuple(limbs[name] for name in (limbs if chosen is None else chosen))


def known_limb_of(rig: Rig, bone: str) -> KnownLimb:
    """The limb that has this bone: a control of FK or IK, or a bone that shows either.

    raises : Refused where no limb has it, or where something is missing that this limb has on other rigs of its kind
    """
    limbs = _found(rig, lambda limb: bone in limb.named, built_limbs(rig))
    for limb in limbs.values():
        if bone in limb.named:
            return limb
    nearest = nearest_name(str(bone), (name for limb in limbs.values() for name in limb.named))
    raise Refused("NO_KNOWN_LIMB", object=rig, bone=bone, known=", ".join(limbs), nearest=nearest)


def _found(rig: Rig, is_needed: Callable[[KnownLimb], bool], built: Iterable[KnownLimb] = ()) -> dict[str, KnownLimb]:
    """By name all limbs of a known kind, and of those that are `built` all others.

    raises : Refused where there is none, or where one that is needed lacks something
    """
    limbs: dict[str, KnownLimb] = {}
    almost: list[tuple[str, KnownLimb]] = []
    for kind, named in _by_names(tuple(rig.data.bones.keys()), user_files()):
        limb = named if named.pole in rig.data.bones or _is_poled(rig, named) else replace(named, pole="")
        absent = _absent(rig, limb)
        if not absent and not any(_untied(rig, limb)):
            limbs.setdefault(limb.name, limb)
        elif len(absent) < _ALMOST * len(limb.bones):
            almost.append((kind, limb))
    taken = {name for limb in limbs.values() for name in limb.bones}
    for limb in built:
        if taken.isdisjoint(limb.fk):
            limbs.setdefault(limb.name, limb)
            taken |= {*limb.fk}
    for kind, limb in sorted(almost, key=lambda entry: len(_absent(rig, entry[1]))):
        if limb.fk[0] not in taken and is_needed(limb):
            _refuse_almost(rig, kind, limb, {*rig.data.bones.keys()} - taken)
    if not limbs:
        for fault in faults():
            raise fault
        raise Refused("UNKNOWN_RIG", object=rig, known=", ".join(dict.fromkeys(kind for kind, _ in layouts())))
    return limbs


@lru_cache(maxsize=16)
def _by_names(bones: tuple[str, ...], _users: Hashable) -> tuple[tuple[str, KnownLimb], ...]:
    """Each limb of a known layout that has bones of these names, with its kind of rig.

    _users : the state of the user's own files of rigs, which decide as well
    """
    ordered = sorted(bones)
    return tuple((kind, limb) for kind, pattern in layouts() for limb in _filled(ordered, pattern))


_seen: dict[int, tuple[Hashable, tuple[KnownLimb, ...]]] = session.of_file({})


def limbs_of(rig: Rig) -> tuple[KnownLimb, ...]:
    """Its limbs that are known and lack nothing, none where it is of no known kind; fast enough to ask often.

    The result is kept until bones are added, removed or renamed, or files of users change.
    """
    names = tuple(rig.data.bones.keys())
    if not (rig.pose and names):
        return ()
    told_by = names, user_files()
    if _seen.get(rig.session_uid, ((),))[0] != told_by:
        try:
            limbs = tuple(_found(rig, lambda _: False).values())
        except Refused:
            limbs = ()
        _seen[rig.session_uid] = told_by, limbs
    return _seen[rig.session_uid][1]


def switchable_limbs(rig: Rig) -> tuple[KnownLimb, ...]:
    """The limbs of `limbs_of`, and those of the armature that were built."""
    limbs = limbs_of(rig)
    names = {name for limb in limbs for name in (limb.name, *limb.fk)}
    return (*limbs, *(limb for limb in built_limbs(rig) if names.isdisjoint((limb.name, *limb.fk))))


def kind_of(rig: Rig) -> str:
    """The kind of rig that its known limbs make it, such as "Rigify"; "" where it is of none."""
    limbs = limbs_of(rig)
    layouts_here = _by_names(tuple(rig.data.bones.keys()), user_files()) if limbs else ()
    return next((kind for kind, named in layouts_here if any(named.fk == limb.fk for limb in limbs)), "")


def limb_having(rig: Rig, bone: str) -> KnownLimb | None:
    """The known limb that has this bone: a control of FK or IK, or a bone that shows either."""
    return next((limb for limb in limbs_of(rig) if bone in limb.named), None)


def _filled(bones: Sequence[str], pattern: KnownLimb) -> Iterator[KnownLimb]:
    """The limb once for each text that its wildcards stand for in a name of these bones, which are sorted."""
    # A bone named without wildcards, such as one that has all switches, tells nothing of what they stand for.
    wild = wildcards_in(pattern.name)
    texts = {text for name in pattern.bones if wildcards_in(name) == wild for text in _texts(name, bones)}
    for text in sorted(texts):
        names: dict[str, Any] = {}
        for key, value in asdict(pattern).items():
            if isinstance(value, str):
                names[key] = filled(value, text)
            elif isinstance(value, tuple):
                names[key] = tuple(filled(name, text) for name in value)
        names["zero"] = tuple(name for name in names["zero"] if name in bones)
        names |= {key: "" for key in ("toe_ik", "toe_target", "toe_control") if names[key] not in bones}
        yield replace(pattern, **names)


def _texts(pattern: str, bones: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What the wildcards stand for in each of these names that fits, which are sorted."""
    parts = re.split("[*?]", pattern)
    start, end = parts[0], parts[-1]
    for bone in takewhile(lambda bone: bone.startswith(start), islice(bones, bisect_left(bones, start), None)):
        if bone.endswith(end) and (texts := wildcard_texts(pattern, bone)) is not None:
            yield tuple(texts)


def _refuse_almost(rig: Rig, kind: str, limb: KnownLimb, free: Set[str]) -> None:
    """free : bones that are part of no other limb"""
    if absent := _absent(rig, limb):
        # A control may well be a bone of a control set itself.
        others = free if absent[0] in (limb.control, limb.swivel) else free - {*limb.bones}
        missing, nearest = ", ".join(f'"{name}"' for name in absent), nearest_name(absent[0], others)
        named: dict[str, Any] = {"kind": kind, "missing": missing, "nearest": nearest}
        raise Refused("ALMOST_KNOWN.bones", object=rig, bone=absent[0], value=limb.name, **named)
    missing = ", ".join(_untied(rig, limb))
    raise Refused("ALMOST_KNOWN.ties", object=rig, value=limb.name, kind=kind, missing=missing)


def _absent(rig: Rig, limb: KnownLimb) -> list[str]:
    return [name for name in limb.bones if name not in rig.data.bones]


def _is_poled(rig: Rig, limb: KnownLimb) -> bool:
    """Whether IK of the limb bends towards some pole control, which then has to be known."""
    bone: PoseBone | None = rig.pose.bones.get(limb.ik[1])
    constraints = bone.constraints if bone else ()
    return any(isinstance(ik, KinematicConstraint) and ik.pole_target for ik in constraints)


def _untied(rig: Rig, limb: KnownLimb) -> Iterator[str]:
    """What this armature, which has all bones of the limb, lacks otherwise for the limb to be a known one; in words."""
    if limb.switch == INFLUENCE:
        if not switch_path(rig, limb):
            yield translated("part.missing_constraint", bone=limb.switch_bone, followed=limb.followed)
    else:
        yield from _missing_properties(rig, limb)
    if limb.control and not _hangs_on(Point(rig, limb.followed), Point(rig, limb.control)):
        yield translated("part.missing_parent", bone=limb.followed, above=limb.control)
    for above, below in zip(limb.fk, limb.fk[1:], strict=False):
        bone: Bone = rig.data.bones[below]
        if rig.data.bones[above] not in bone.parent_recursive:
            yield translated("part.missing_parent", bone=below, above=above)
    for shown, *control_sets in zip(limb.shown, limb.fk, limb.ik, strict=False):
        follower: PoseBone = rig.pose.bones[shown]
        followed = {point.bone for tie in follower.constraints for point in dependencies.targets(tie)}
        for control_set in control_sets:
            if control_set not in followed:
                yield translated("part.missing_constraint", bone=shown, followed=control_set)


def _hangs_on(place: Point, control: Point) -> bool:
    # Mostly its parents tell, which is the faster way.
    return control in dependencies.with_parents(place) or control in dependencies.upstream(place)


def _missing_properties(rig: Rig, limb: KnownLimb) -> Iterator[str]:
    owner = property_owner(rig, limb)
    for name in filter(None, (limb.switch, limb.pole and limb.pole_switch, limb.stretch_switch)):
        path = property_path(rig, limb, name)
        if not path:
            numbers = (other for other in owner.keys() if property_path(rig, limb, other))
            nearest = nearest_name(name, numbers)
            yield translated("part.missing_property", value=name, owner=owner.name, nearest=nearest)
        elif not any(drivers_reading(rig, {path})):  # keys of it would do nothing
            yield translated("part.missing_driver", value=name, owner=owner.name)


_LARGEST = 1e6
"""A property with larger limits counts as unlimited: it is no switch."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Switch:
    """The property of a rig by which a limb does not show.

    path : its RNA path, from the armature object
    value : what it is where the limb shows
    instead : each bone of the limb with the one that shows in its place
    hidden : (n,) on which of n frames
    """

    path: str
    value: float
    instead: tuple[tuple[str, str], ...]
    hidden: NDArray[np.bool_]


Copies = Mapping[str, list[str]]
"""By the name of a bone, the names of the bones that copy it; the last of them deforms the character."""


def copies(rig: Rig, constraints: Iterable[tuple[PoseBone, Constraint]]) -> Copies:
    """constraints : all of the rig, as `constrained` has them"""
    copied_by: dict[str, list[str]] = {}
    for bone, constraint in constraints:
        for place in dependencies.targets(constraint) if constraint.type == "COPY_TRANSFORMS" else ():
            if place.object == rig and place.bone:
                copied_by.setdefault(place.bone, []).append(bone.name)
    return copied_by


def known_by_end(rig: Rig) -> dict[str, KnownLimb]:
    """The limbs of a known rig, by the end bones of chains that pose their FK controls."""
    return {limb.fk[1]: limb for limb in reversed(limbs_of(rig))}


def hiding_switch(
    chain: ChainPlan, limb: KnownLimb | None, copied: Copies, frames: Array | None = None
) -> Switch | None:
    """The switch by which the rig does not show the chain; None where it shows, or no switch is the reason.

    limb : that of a known rig whose FK controls the chain poses
    frames : (n,) those that count; None for the rig as it is
    """
    rig: Rig = chain.rig
    if limb:
        path = switch_property.switch_path(rig, limb)
        hidden = ~is_at(values_on(rig, path, frames), limb.fk_value) if path else np.zeros(1, np.bool_)
        instead = tuple(zip(limb.fk, limb.shown or limb.ik, strict=True))[:3]
        return Switch(path=path, value=limb.fk_value, instead=instead, hidden=hidden) if hidden.any() else None
    posed = [bone.name for bone in (chain.root, chain.end, *chain.third, *chain.below[-1:])]
    # A bone may have been renamed or removed since.
    pairs = [(name, other) for name in posed for other in copied.get(name, ()) if other in rig.pose.bones]
    covered = {pair: _covered(rig, rig.pose.bones[pair[1]], posed, frames) for pair in pairs}
    covered = {pair: rows for pair, rows in covered.items() if rows.any()}
    ties = (tie for _, other in covered for tie in rig.pose.bones[other].constraints)
    for path in filter(None, (switch_property.driving_path(rig, tie) for tie in ties)):
        hidden = np.any([*covered.values()], axis=0)
        if path.endswith('"]') and (value := other_end(rig, path, frames, hidden)) is not None:
            return Switch(path=path, value=value, instead=tuple(covered), hidden=hidden)
    return None


def _covered(rig: Rig, bone: PoseBone, posed: Collection[str], frames: Array | None) -> NDArray[np.bool_]:
    """(n,) whether the bone copies one of those posed, and another on top, on n frames; on None (1,) now."""
    ties = [tie for tie in bone.constraints if tie.type == "COPY_TRANSFORMS" and not tie.mute]
    copying = [any(place.bone in posed for place in dependencies.targets(tie)) for tie in ties]
    # The last of them covers what those before it copy.
    shows = np.zeros(1 if frames is None else len(frames), np.bool_)
    for tie, copies_posed in zip(ties, copying, strict=True) if any(copying) else ():
        influence = values_on(rig, f"{tie.path_from_id()}.{INFLUENCE}", frames)
        shows = np.where(influence >= 1.0, copies_posed, shows)
    return ~shows if any(copying) else shows


def other_end(rig: Rig, path: str, frames: Array | None, rows: NDArray[np.bool_]) -> float | None:
    """The other end of a custom property that is at one of them; None for what is no switch, or is not there.

    frames, rows : (n,) where it counts what it is; None for the rig as it is
    """
    if switch_property.number_at(rig, path) is None:
        return None
    limits = owner_of(rig, path).id_properties_ui(switch_property.property_label(path)).as_dict()
    ends = [float(limits.get("min", 0.0)), float(limits.get("max", 1.0))]
    reached = [value for value in np.unique(values_on(rig, path, frames)[rows]).tolist() if value in ends]
    return ends[1 - ends.index(reached[0])] if reached and max(map(abs, ends)) <= _LARGEST else None

"""Finds the limbs of an armature by the names of its bones or, if the names say nothing, by its structure."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from bpy.types import Bone
from mathutils import Vector

from ....solver.hock import TURNS_WITH
from ...armatures import Rig
from ...options import Word
from ...rigs.known_limbs import limbs_of
from ...rigs.rig_files import KnownLimb
from ...settings.properties import chain_of
from .. import hock_fit
from . import bone_names, by_name, by_structure
from .bone_names import Label, LimbBones, bones_named
from .by_structure import spine


class Kind(Word):
    """Kinds of limbs to look for. Wings are arms, forelegs are legs."""

    ARMS = "ARMS"
    LEGS = "LEGS"
    FINGERS = "FINGERS"
    SPINE = "SPINE"


_DOWN = 0.75
"""Part of the way from hips to feet; hanging arms end higher up."""

_JOINED = 1e-4
"""Part of a bone's length: what is this close to its tail hangs on it, in single precision."""

_LEVEL = 0.4
"""Part of that way too: forelegs begin at most so far above or below the hips, arms farther up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limb:
    """A limb that was found, with the fields of the chain for it; all bones by name.

    name : what an animator calls it, such as "Arm.L" or "Hind Leg.R"
    root_bone : "" if it is the end bone's parent
    tip_bone : hand or foot; "" if the end bone is the last of the limb
    hock_bone : of an animal's leg the third bone, where it is one with a hock; the tip bone is then the toe
    hock : with which bone it turns at rest; "" without a hock bone
    side : "L", "R" or ""
    why : the reason why it was taken for a limb, in one sentence
    chain : name of the existing chain with this end bone, else ""
    subtarget, pole_subtarget : on a known rig the bones of the same armature that its chain gets for target and pole
        target; else ""
    """

    name: str
    kind: Kind
    side: str
    root_bone: str
    end_bone: str
    tip_bone: str
    why: str
    chain: str
    subtarget: str = ""
    pole_subtarget: str = ""
    hock_bone: str = ""
    hock: str = ""

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the chain for this limb."""
        fields = {name: getattr(self, name) for name in ("name", "root_bone", "end_bone", "tip_bone")}
        return fields | ({"hock_bone": self.hock_bone, "hock": self.hock} if self.hock_bone else {})


def limbs(rig: Rig, kinds: Collection[Kind]) -> tuple[Limb, ...]:
    """The limbs of these kinds, in the order of the armature's bones; those of a known rig as it is known."""
    known_limbs = limbs_of(rig)
    owners = {bone: limb.name for limb in known_limbs for bone in limb.bones}
    waiting = {limb.name: _of_known_rig(rig, limb) for limb in known_limbs}
    in_order = []
    for limb in _found(rig):
        owner = owners.get(limb.end_bone)
        if owner is None:
            in_order.append(limb)
        elif owner in waiting:  # otherwise it is found in another set of bones
            in_order.append(waiting.pop(owner))
    return tuple(limb for limb in (*in_order, *waiting.values()) if limb.kind in kinds)


def _of_known_rig(rig: Rig, known: KnownLimb) -> Limb:
    """The known limb with its FK controls for bones, and what IK reaches for as its target."""
    controls = [rig.data.bones[name] for name in known.fk]
    root, end, tip = controls[:3]
    why = f"FK controls of a known rig: {bones_named(*controls)}"
    limb = LimbBones(label=Label(known.name, bone_names.side(known.name)), root=root, end=end, tip=tip, why=why)
    kind = Kind.LEGS if re.search("leg", known.name, re.IGNORECASE) else Kind.ARMS
    toes = (controls[3:] or _toe_at_tail(rig, tip, known)) if known.toe_target else ()
    found = _limb(rig, limb, known.name, kind, toes=toes)
    if not found.hock_bone:
        return replace(found, subtarget=known.followed, pole_subtarget=known.pole)
    # Toes that FK does not move are no tip bone: the leg's tip is where they begin, the tail of its third bone.
    tip_bone = found.tip_bone if controls[3:] else ""
    return replace(found, tip_bone=tip_bone, subtarget=known.toe_target, pole_subtarget=known.pole)


def _toe_at_tail(rig: Rig, third: Bone, known: KnownLimb) -> list[Bone]:
    """What moves the toe in IK, if it begins where the third FK control ends."""
    toe = rig.data.bones[known.toe_target]
    return [toe] if (toe.head_local - third.tail_local).length <= _JOINED * third.length else []


def _found(rig: Rig) -> list[Limb]:
    bones = list(rig.data.bones)
    detected = by_name.limbs(rig)
    detected = _with_forelegs([*detected, *_missing(bones, detected)])
    legs, arms = [limb for limb in detected if _is_hind(limb)], [limb for limb in detected if _is_front(limb)]
    detected = sorted(detected, key=lambda limb: bones.index(limb.root)) + spine(legs, arms)
    # A biped has legs, not hind legs.
    is_quadruped = any(limb.label.front for limb in detected)
    return [
        _limb(rig, limb, _name(limb, is_quadruped), _kind(limb), toes=limb.tip.children if limb.tip else ())
        for limb in detected
    ]


def _missing(bones: list[Bone], named: list[LimbBones]) -> list[LimbBones]:
    """Arms and legs, of a kind that no name says on their side, as the structure shows them."""
    body = [limb for limb in named if _kind(limb) != Kind.FINGERS]
    known = {(_kind(limb), limb.label.side) for limb in body}
    if all((kind, side) in known for kind in (Kind.ARMS, Kind.LEGS) for side in "LR"):
        return []
    taken = {bone for limb in body for bone in (limb.root, limb.end)}
    return [
        limb
        for limb in by_structure.limbs(bones)
        if (_kind(limb), limb.label.side) not in known and taken.isdisjoint((limb.root, limb.end))
    ]


def _limb(rig: Rig, limb: LimbBones, name: str, kind: Kind, toes: Iterable[Bone]) -> Limb:
    chain = chain_of(rig, limb.end.name)
    toe = toe_of(limb.tip, toes) if kind == Kind.LEGS and limb.tip else None
    if toe and limb.tip:
        bones, front = (limb.root, limb.end, limb.tip), limb.label.front
        if hock := hock_fit.at_rest(*bones, toe.head_local, front=front):
            carrier = bones_named(bones[TURNS_WITH[hock]])
            why = f"{limb.why}; {bones_named(limb.tip)} runs along {carrier}, as in a leg with a hock"
            found = _limb(rig, replace(limb, tip=toe, why=why), name, kind, toes=())
            return replace(found, hock_bone=limb.tip.name, hock=hock)
    return Limb(
        name=name,
        kind=kind,
        side=limb.label.side,
        root_bone="" if limb.root == limb.end.parent else limb.root.name,
        end_bone=limb.end.name,
        tip_bone=limb.tip.name if limb.tip else "",
        why=limb.why,
        chain=chain.name if chain else "",
    )


def toe_of(foot: Bone, toes: Iterable[Bone]) -> Bone | None:
    """The one of these bones that carries on from the foot."""
    toes = [toe for toe in toes if "heel" not in toe.name.lower()]
    return min(toes, key=lambda bone: (bone.head_local - foot.tail_local).length, default=None)


def _kind(limb: LimbBones) -> Kind:
    name = limb.label.name
    if name in bone_names.FINGERS:
        return Kind.FINGERS
    return {"Leg": Kind.LEGS, "Spine": Kind.SPINE}.get(name, Kind.ARMS)


def _is_hind(limb: LimbBones) -> bool:
    return limb.label.name == "Leg" and not limb.label.front


def _is_front(limb: LimbBones) -> bool:
    return limb.label.front or _kind(limb) == Kind.ARMS


def _with_forelegs(detected: list[LimbBones]) -> list[LimbBones]:
    """Arms that begin at the height of the legs and reach as far down become forelegs, if both sides do.

    Otherwise the name counts: in the rest pose of a captured human, one arm may hang, or limbs may point anywhere.
    """
    legs = [limb.reach for limb in detected if _is_hind(limb)]
    if not legs:
        return detected
    hips, feet = (sum(points, Vector()) / len(legs) for points in zip(*legs, strict=True))
    down = feet - hips

    def reaches_down(limb: LimbBones) -> bool:
        begin, end = ((point - hips).dot(down) for point in limb.reach)
        return abs(begin) <= _LEVEL * down.length_squared and end > _DOWN * down.length_squared

    arms = [limb for limb in detected if limb.label.name == "Arm"]
    on_sides = {side: [reaches_down(limb) for limb in arms if limb.label.side == side] for side in ("L", "R", "")}
    agreed = all(any(arms_down) for arms_down in on_sides.values() if arms_down)

    def foreleg(limb: LimbBones) -> LimbBones:
        label = Label("Leg", limb.label.side, front=True)
        return replace(limb, label=label, why=f"{limb.why}; it reaches down as far as the legs")

    return [foreleg(limb) if agreed and limb in arms and reaches_down(limb) else limb for limb in detected]


def _name(limb: LimbBones, is_quadruped: bool) -> str:
    label = limb.label
    place = "Front " if label.front else "Hind " if is_quadruped and label.name == "Leg" else ""
    return f"{place}{label.name}{f'.{label.side}' if label.side else ''}"

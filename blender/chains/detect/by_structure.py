"""Finds limbs by the structure of an armature alone, for bones whose names say nothing.

Limbs come in pairs: two branches start at the same bone, with links of equal lengths. In each branch two bones of about
the same length follow each other, perhaps after a collarbone, and the rest of the branch is shorter. An armature that
is one such branch and nothing else is a limb by itself. Only the joints count, because importers make up the tails of
bones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from bpy.types import Bone

from . import bone_names
from .bone_names import Label, LimbBones, bones_named

_EQUAL = 0.05
"""Part of the length by which left and right of a captured actor may differ."""
_RATIO = 3.0
"""Greatest ratio between the lengths of the two bones."""
_SMALLEST = 0.12
"""Least length of a limb, as part of the armature's size; fingers and ears are shorter."""
_NEAR = 0.6
"""Collarbones: greatest distance between their heads, as part of the distance between their ends."""
_SHORTER = 0.8
"""Least length of a limb, as part of the length of its collarbone and upper bone."""
_LONGEST = 4
"""Most bones of an armature that is a limb by itself; with more bones it is a rope."""

Run = list[Bone]
"""Bones from the trunk outwards, each the parent of the next."""


def limbs(bones: Sequence[Bone]) -> list[LimbBones]:
    """Arms and legs in pairs, or the one limb that the armature is. Descendants of a limb are not limbs themselves."""
    lengths = _lengths(bones)
    smallest = _SMALLEST * _extent(bones)
    pairs: list[tuple[int, list[LimbBones]]] = []
    taken: set[Bone] = set()
    for trunk in (None, *bones):
        if trunk in taken:
            taken.update(trunk.children)
            continue
        children = trunk.children if trunk else [bone for bone in bones if bone.parent is None]
        branches = [bone for bone in children if not bone_names.is_no_limb(bone.name)]
        # One branch alone has no like; to follow it from each bone of a long rope would take seconds.
        runs = [_run(bone, lengths) for bone in branches] if len(branches) > 1 else []
        for first, second in _equal(runs):
            start = _start(first, second)
            if _bends(first, start, smallest, lengths):
                taken.update((first[0], second[0]))
                depth = len(trunk.parent_recursive) + 1 if trunk else 0
                pairs.append((depth, _pair(first[start:], second[start:])))
    return _named(pairs) or _only(bones)


def _lengths(bones: Sequence[Bone]) -> dict[Bone, float]:
    """For each bone the length, from joint to joint, of the longest branch that starts at its head."""
    lengths: dict[Bone, float] = {}
    # Parents come before their children.
    for bone in reversed(bones):
        lengths[bone] = max((_link(bone, child) + lengths[child] for child in bone.children), default=bone.length)
    return lengths


def _link(bone: Bone, after: Bone) -> float:
    return (after.head_local - bone.head_local).length


def _extent(bones: Sequence[Bone]) -> float:
    """The longest side of the box around all joints."""
    joints = [point for bone in bones for point in (bone.head_local, bone.tail_local)]
    return max(max(axis) - min(axis) for axis in zip(*joints, strict=True)) if joints else 0.0


def _run(bone: Bone, lengths: dict[Bone, float]) -> Run:
    """The bone and its descendants, always along the longest branch."""
    run = [bone]
    while following := [child for child in run[-1].children if not bone_names.is_no_limb(child.name)]:
        run.append(max(following, key=lambda child: _link(run[-1], child) + lengths[child]))
    return run


def _links(run: Run) -> list[float]:
    return [*(_link(bone, after) for bone, after in pairwise(run)), run[-1].length]


def _equal(runs: list[Run]) -> Iterator[tuple[Run, Run]]:
    """Pairs of runs whose first links have equal lengths; each run is in one pair at most."""
    paired: set[Bone] = set()
    for first, second in combinations(runs, 2):
        links = list(zip(_links(first)[:3], _links(second)[:3], strict=False))
        equal = all(abs(a - b) <= _EQUAL * max(a, b) for a, b in links)
        if len(links) >= 2 and equal and paired.isdisjoint((first[0], second[0])):
            paired.update((first[0], second[0]))
            yield first, second


def _start(first: Run, second: Run) -> int:
    """Index of the limb's first bone in its run: 1 after a collarbone, otherwise 0."""
    if min(len(first), len(second)) < 3:
        return 0
    collar, upper, lower, *_ = _links(first)
    near = _link(first[0], second[0]) < _NEAR * _link(first[1], second[1])
    return int(near and upper + lower >= _SHORTER * (collar + upper) and _alike(upper, lower))


def _alike(upper: float, lower: float) -> bool:
    return 0.0 < max(upper, lower) <= _RATIO * min(upper, lower)


def _bends(run: Run, start: int, smallest: float, lengths: dict[Bone, float]) -> bool:
    """True if the run may be a limb: two bones of about the same length, and a shorter rest."""
    upper, lower, *_ = _links(run[start:])
    rest = lengths[run[start + 2]] if len(run) > start + 2 else 0.0
    return _alike(upper, lower) and upper + lower >= smallest and rest < upper + lower


def _pair(first: Run, second: Run) -> list[LimbBones]:
    """The pair as left and right, as a name of them says; else left is positive x, as in Blender's mirroring."""
    apart = first[1].head_local.x - second[1].head_local.x
    sides = ("L", "R") if apart > 0.0 else ("R", "L")
    if bone_names.side(first[1].name) == sides[1] or bone_names.side(second[1].name) == sides[0]:
        sides = sides[::-1]
    return [_found(first, sides[0], second), _found(second, sides[1], first)]


def _found(run: Run, side: str, other: Run | None) -> LimbBones:
    root, end, tip, *_ = (*run, None)
    upper, lower, *_ = _links(run)
    why = f"Two bones of lengths {upper:.3g} and {lower:.3g}{f', then {bones_named(tip)}' if tip else ''}"
    name = next((part.label.name for bone in (tip, end, root) if bone and (part := bone_names.part(bone.name))), "")
    return LimbBones(
        label=Label(name, bone_names.side(end.name) or side),
        root=root,
        end=end,
        tip=tip,
        why=f"{why}; the like is on the other side: {bones_named(*other[:2])}" if other else why,
    )


def _named(pairs: list[tuple[int, list[LimbBones]]]) -> list[LimbBones]:
    """The limbs with names: the pairs nearest to the armature's first bone are legs, the others arms."""
    depths = [depth for depth, _ in pairs]
    legs = min(depths) if len(set(depths)) > 1 else 2
    return [_called(limb, "Leg" if depth <= legs else "Arm") for depth, pair in pairs for limb in pair]


def _called(limb: LimbBones, name: str) -> LimbBones:
    return replace(limb, label=replace(limb.label, name=limb.label.name or name))


def _only(bones: Sequence[Bone]) -> list[LimbBones]:
    """The one limb that the armature is, ignoring bones whose names say that they are none."""
    run = [bone for bone in bones if not bone_names.is_no_limb(bone.name)]
    if not 2 <= len(run) <= _LONGEST or any(after.parent != bone for bone, after in pairwise(run)):
        return []
    links = list(pairwise(_links(run)))
    start = max(range(len(links)), key=lambda index: sum(links[index]))
    return [_called(_found(run[start:], "", None), "Limb")] if _alike(*links[start]) else []


def spine(legs: Sequence[LimbBones], arms: Sequence[LimbBones]) -> list[LimbBones]:
    """The spine from the bone that carries the legs to the bone that carries the arms, if it has two bones or more."""
    hips, chest = _carrier(legs), _carrier(arms)
    if hips is None or chest is None or hips not in chest.parent_recursive:
        return []
    above = [chest, *chest.parent_recursive]
    bones = above[: above.index(hips)][::-1]
    if len(bones) < 2:
        return []
    # With three or more the chest is the tip, so that it can turn as the target is turned.
    end, tip = (bones[1], None) if len(bones) == 2 else (bones[(len(bones) - 1) // 2], chest)
    why = f"From {bones_named(hips)}, which carries the legs, to {bones_named(chest)}, which carries the arms"
    return [LimbBones(label=Label("Spine"), root=bones[0], end=end, tip=tip, why=why)]


def _carrier(limbs: Sequence[LimbBones]) -> Bone | None:
    """The nearest bone that is an ancestor of all these limbs."""
    if not limbs:
        return None
    first, *others = (limb.root.parent_recursive for limb in limbs)
    return next((bone for bone in first if all(bone in above for above in others)), None)

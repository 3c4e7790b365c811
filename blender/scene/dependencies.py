"""What follows what: which bones a target hangs on, and what drives it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from bpy.types import Bone, Constraint, CopyRotationConstraint, FCurve, KinematicConstraint, Object, PoseBone

from ...skeleton.values import ChainPlan, Point
from .. import versions
from ..armatures import Rig, is_rig
from ..messages.refused import Refused
from ..messages.translation import point_text
from ..rna_paths import bone_and_property
from ..settings.properties import POINTS, root_name

Node = TypeVar("Node", bound=Hashable)

Links = Mapping[Point, tuple[Point, ...]]
"""Places, each with what it follows directly."""

BUILT = "Two-Bone IK"
"""Name of all that Build into Rig makes: the constraints and the bone collection."""

Constraints = Sequence[tuple[PoseBone, Constraint]]
"""All of a rig, as `constrained` finds them."""


def links(chains: Iterable[ChainPlan], *, driven: bool = False) -> Links:
    """All that the chains' places depend on, and what each of these follows itself.

    driven : by drivers as well
    """
    follow = _also_driven() if driven else sources_of
    sources = cache(lambda place: tuple(follow(place)))
    points = [point for chain in chains for point in places_of(chain)]
    return {place: sources(place) for place in upstream(*points, sources=sources)}


def ties(place: Point) -> object:
    """What decides what an object follows, or a bone beside its parent bone; None where there is no such bone."""
    item: Rig = place.object
    if place.bone and place.bone not in item.pose.bones:
        return None
    followed = [tuple(followed_by(constraint)) for constraint in _acting(place)]
    if not is_rig(item) and versions.drivers(item):
        followed.append(tuple(_driving(drivers_of(place))))
    return followed if place.bone or not item.parent else (item.parent, item.parent_type, item.parent_bone, followed)


def constrained(rig: Rig, bones: Iterable[PoseBone] | None = None) -> Constraints:
    """All constraints of these bones of an armature object, or of all: where these are many, that takes long."""
    # Most have none, and to go through none takes twice as long as to see that.
    having = filter(attrgetter("constraints"), rig.pose.bones.values() if bones is None else bones)
    return [(bone, constraint) for bone in having for constraint in bone.constraints]


def constraint_named(rig: Rig, bone: str, name: str) -> Constraint | None:
    """The constraint of this name of the bone of this name, as long as both are there."""
    owner: PoseBone | None = rig.pose.bones.get(bone)
    return owner.constraints.get(name) if owner else None


def built_by(rig: Rig, bone: str) -> CopyRotationConstraint | None:
    """The constraint by which the bone of this name plays a limb that was built into the rig; None for other bones."""
    constraint = constraint_named(rig, bone, BUILT)
    return constraint if isinstance(constraint, CopyRotationConstraint) and constraint.target == rig else None


def has_built(bone: PoseBone) -> bool:
    """Whether a constraint that was built into the rig moves this bone."""
    return any(constraint.name.startswith(BUILT) for constraint in bone.constraints)


def moved_bones(bone: PoseBone, constraint: Constraint) -> list[PoseBone]:
    """The bones that a constraint on `bone` moves, from the end up: with IK as many as its chain is long."""
    count = getattr(constraint, "chain_count", None)
    if count is None:  # neither IK nor Spline IK
        return [bone]
    above = bone.parent_recursive
    bones = above if isinstance(constraint, KinematicConstraint) and not constraint.use_tail else [bone, *above]
    return bones[: count or None]


def moved_by(bone: PoseBone, constraint: Constraint) -> set[str]:
    """Names of the bones that a constraint on `bone` moves."""
    return {moved.name for moved in moved_bones(bone, constraint)}


def constraints_moving(point: Point) -> Sequence[tuple[PoseBone | Object, Constraint]]:
    """All constraints that move an object or a bone, each with the object or the bone that has it."""
    item: Rig = point.object
    if not point.bone:
        return [(item, constraint) for constraint in item.constraints]
    return [(bone, constraint) for bone, constraint in constrained(item) if point.bone in moved_by(bone, constraint)]


def hides(bone: PoseBone, constraint: Constraint, keyed: Collection[str]) -> bool:
    """True where an IK constraint on `bone` moves bones of these names, and so hides what is keyed."""
    return constraint.type == "IK" and not moved_by(bone, constraint).isdisjoint(keyed)


def hiding(constraints: Constraints, keyed: Collection[str]) -> list[tuple[str, str]]:
    """(bone, constraint) for each of a rig's constraints that hides what is keyed of bones of these names."""
    return [(bone.name, constraint.name) for bone, constraint in constraints if hides(bone, constraint, keyed)]


def _parent(place: Point) -> Point | None:
    """What carries this place: a bone's parent bone or armature object; an object's parent, or the bone it hangs on."""
    item: Rig = place.object
    if place.bone:
        bone: Bone | None = item.data.bones.get(place.bone)
        return Point(item, above.name) if bone and (above := bone.parent) else Point(item)
    if not (parent := item.parent):
        return None
    return bone_or_whole(parent, item.parent_bone if item.parent_type == "BONE" else "")


def bone_or_whole(item: Object, bone: str) -> Point:
    """The bone of an armature object; the object itself where it has none of this name, as Blender takes it then."""
    return Point(item, bone if is_rig(item) and bone in item.data.bones else "")


def with_parents(point: Point, parent: Callable[[Point], Point | None] = _parent) -> list[Point]:
    """The point and what carries it, parent after parent.

    parent : tells what carries a place, for many points without looking for the same bones again
    """
    places = [point]
    while above := parent(places[-1]):
        places.append(above)
    return places


def ancestors(points: Iterable[Point]) -> list[Point]:
    """The points and all that carries them, each after what carries it."""
    parent = cache(_parent)
    return list(dict.fromkeys(place for point in points for place in reversed(with_parents(point, parent))))


def by_object(points: Iterable[Point]) -> defaultdict[Any, set[str]]:
    """The names of the bones of each object, "" for itself."""
    names = defaultdict[Any, set[str]](set)
    for item, bone in points:
        names[item].add(bone)
    return names


def followed(chains: Iterable[ChainPlan], rigs: Set[Rig]) -> Iterator[tuple[ChainPlan, Rig]]:
    """Chains that follow a limb of another of these armatures, each with that armature."""
    sources = _also_driven()
    for chain in chains:
        others = rigs - {chain.rig}
        for place in upstream(*places_of(chain), sources=sources) if others else ():
            rig: Rig = place.object
            if place.bone and rig in others and place.bone in _roots(rig):
                yield chain, rig


def _also_driven() -> Callable[[Point], Iterator[Point]]:
    """Gives what a place depends on by parents, constraints and drivers; an armature may have hundreds of these."""

    @cache
    def by_bone(item: Object) -> Mapping[str, list[FCurve]]:
        found = defaultdict[str, list[FCurve]](list)
        for curve in versions.drivers(item):
            found[bone_and_property(curve.data_path)[0]].append(curve)
        return found

    def sources(place: Point) -> Iterator[Point]:
        yield from sources_of(place)
        yield from _driving(by_bone(place.object).get(place.bone, ()))

    return sources


def drivers_of(place: Point) -> list[FCurve]:
    """The drivers of an object's own properties, or of a bone's."""
    return [curve for curve in versions.drivers(place.object) if bone_and_property(curve.data_path)[0] == place.bone]


def _driving(drivers: Iterable[FCurve]) -> Iterator[Point]:
    """What drivers read places or properties of."""
    variables = (variable for curve in drivers for variable in curve.driver.variables)
    for target in (target for variable in variables for target in variable.targets):
        if isinstance(target.id, Object):
            yield bone_or_whole(target.id, target.bone_target or bone_and_property(target.data_path)[0])


def _roots(rig: Rig) -> Iterator[str]:
    return (root_name(rig, chain) for chain in rig.two_bone_ik_chains if not chain.mute)


def own_target_refused(chain: ChainPlan, point: Point) -> Refused:
    """The refusal of a target or pole target that follows the chain itself."""
    named = {"bone": chain.root.name, "value": point_text(point)}
    return Refused("TARGET_FOLLOWS.target" if point is chain.target else "TARGET_FOLLOWS.pole", chain=chain, **named)


def hangs(point: Point, chain: ChainPlan) -> bool:
    """True where parents alone carry the point along with a bone of the chain."""
    for place in with_parents(point):
        if place.object == chain.rig and place.bone in {bone.name for bone in chain.bones}:
            return True
        if _acting(place):
            return False
    return False


def places_of(chain: ChainPlan) -> list[Point]:
    """All whose place a chain has to know."""
    return [point for point in (chain.target, chain.pole, chain.parent) if point]


def root_of(chain: ChainPlan) -> Point:
    """All that a chain moves has its root bone upstream."""
    return Point(chain.rig, chain.root.name)


def sources_of(place: Point) -> Iterator[Point]:
    """What its place depends on directly, by parents and constraints."""
    if parent := _parent(place):
        yield parent
    for constraint in _acting(place):
        yield from followed_by(constraint)


def upstream(*points: Point, sources: Callable[[Point], Iterable[Point]] = sources_of) -> set[Point]:
    """The points and all that their place depends on by parents and constraints; drivers are not followed."""
    return reached(points, sources)


def reached(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """The nodes of a graph to which a way leads from these, and these themselves."""
    nodes, waiting = set[Node](), list(starts)
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes.add(node)
            waiting.extend(following(node))
    return nodes


def _acting(place: Point) -> list[Constraint]:
    """The constraints of an object or a bone that are not muted."""
    item: Rig = place.object
    # An armature that Blender never evaluated has no pose.
    owner: Object | PoseBone | None = item.pose.bones.get(place.bone) if place.bone and item.pose else item
    # To go through none takes twice as long as to count them.
    having = owner.constraints if owner and len(owner.constraints) else ()
    return [constraint for constraint in having if not constraint.mute]


def target_of(chain: Any, field: str) -> Point | None:
    """What a chain of the list has in this field, its target or its pole target.

    A bone is named as long as that is an armature: the name stays in the list where another object takes its place.
    """
    item: Object | None = getattr(chain, field)
    return Point(item, getattr(chain, POINTS[field]) if is_rig(item) else "") if item else None


def targets_of(chain: Any) -> list[Point]:
    """Target and pole target of a chain of the list, as far as it has them."""
    return [point for field in POINTS if (point := target_of(chain, field))]


def targets(constraint: Constraint) -> Iterator[Point]:
    """What a constraint aims at, pole targets included."""
    # The Armature constraint has a collection of targets, Inverse Kinematics two pairs, most have one, some none.
    for owner in getattr(constraint, "targets", None) or (constraint,):
        if target := getattr(owner, "target", None):
            yield Point(target, getattr(owner, "subtarget", "") if target.type == "ARMATURE" else "")
    if isinstance(constraint, KinematicConstraint) and (pole := constraint.pole_target):
        yield Point(pole, constraint.pole_subtarget if pole.type == "ARMATURE" else "")


def followed_by(constraint: Constraint) -> Iterator[Point]:
    """What a constraint takes places from: what it aims at, and what its custom space belongs to."""
    yield from targets(constraint)
    if "CUSTOM" in (constraint.owner_space, constraint.target_space) and (space := constraint.space_object):
        yield bone_or_whole(space, constraint.space_subtarget)

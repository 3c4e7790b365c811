"""What has to be sampled: all that the chains of a plan need to know of the scene."""

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, fields, replace

from bpy.types import Object

from ...skeleton.transform import Basis
from ...skeleton.values import Plan, Point
from . import dependencies
from .pose_before import PoseBefore


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleNeed:
    """What has to be known of the scene.

    objects : those whose place in the world counts
    bones : those whose pose counts
    own : bones and objects whose own location and scale count
    turned : those bones of them whose own rotation counts too
    posed : those of these that the chains pose, each with whether they set its scale too
    numbers : animated options: by end bone or twist bone, then name, with the value that counts while nothing sets it
    """

    objects: frozenset[Object]
    bones: frozenset[Point]
    own: frozenset[Point] = frozenset()
    turned: frozenset[Point] = frozenset()
    posed: Mapping[Point, bool] = field(default_factory=dict)
    numbers: Mapping[Point, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def at(cls, points: Iterable[Point]) -> "SampleNeed":
        """Where these objects and bones are, the bones with their armature objects."""
        points = [*points]
        bones = frozenset(point for point in points if point.bone)
        return cls(objects=frozenset(point.object for point in points), bones=bones)

    @property
    def placed(self) -> frozenset[Point]:
        """All whose place counts."""
        return self.bones | {Point(item) for item in self.objects}

    @property
    def points(self) -> frozenset[Point]:
        """All that has to be evaluated; an armature whose pose counts is named with its bones."""
        return self.placed | self.own | self.numbers.keys()

    def only(self, items: Set[Object]) -> "SampleNeed":
        """The part of it that is about these objects."""
        return self._at(lambda point: point if point.object in items else None)

    def of(self, item: Object, other: Object) -> "SampleNeed":
        """This need with an object in place of `item`: what is sampled of that one is sampled of `other`."""
        return self._at(lambda point: Point(other, point.bone) if point.object == item else point)

    def _at(self, place: Callable[[Point], Point | None]) -> "SampleNeed":
        """This need with each object and bone as what `place` gives for it; without those for which that is None."""

        def points(found: Iterable[Point]) -> frozenset[Point]:
            return frozenset(filter(None, map(place, found)))

        return SampleNeed(
            objects=frozenset(point.object for point in points(map(Point, self.objects))),
            bones=points(self.bones),
            own=points(self.own),
            turned=points(self.turned),
            posed={there: scaled for point, scaled in self.posed.items() if (there := place(point))},
            numbers={there: numbers for point, numbers in self.numbers.items() if (there := place(point))},
        )

    def start(self, point: Point, basis: Basis, before: PoseBefore) -> Basis:
        """What the chains start from, of a bone with this basis: the pose before, in what they set themselves.

        What Live set before an option changed, and sets no more, stays as it is: nothing takes it away.
        """
        if point not in self.posed:
            return basis
        own = before(point, basis)
        return own if self.posed[point] else basis.with_rotation(own.rotation)

    def __or__(self, other: "SampleNeed") -> "SampleNeed":
        return SampleNeed(**{part.name: getattr(self, part.name) | getattr(other, part.name) for part in fields(self)})


def sample_need(plan: Plan) -> SampleNeed:
    """What the chains of the plan need to know of the scene."""
    places = [place for chain in plan.chains for place in dependencies.places_of(chain)]
    branches = [bones for chain in plan.chains for bones in chain.dependents.values()]
    carriers = [Point(plan.rig, bones[0].name) for bones in branches]
    between = {Point(plan.rig, bone.name) for bones in branches for bone in bones[:-1]}
    parts = [part for chain in plan.chains for part in chain.twists]
    own = {Point(plan.rig, bone.name) for chain in plan.chains for bone in chain.carrying}
    turned = {Point(plan.rig, name) for chain in plan.chains for name in chain.needs_rotation}
    posed = {Point(plan.rig, bone.name): bone in chain.scaled for chain in plan.chains for bone in chain.keyed}
    return SampleNeed(
        objects=frozenset({plan.rig, *(place.object for place in places)}),
        bones=frozenset({place for place in (*places, *carriers) if place.bone}),
        own=frozenset(own | between),
        turned=frozenset(turned | between),
        posed={point: scaled for point, scaled in posed.items() if point in turned},
        numbers={
            Point(plan.rig, chain.end.name): {name: chain.number(name) for name in chain.animated}
            for chain in plan.chains
            if chain.animated
        }
        | {Point(plan.rig, part.bone.name): {"twist": part.share} for part in parts if part.animated},
    )


def pose_need(plan: Plan, placed: Collection[Point]) -> SampleNeed:
    """What targets that follow the pose depend on: the pose that shows, and what carries the targets to be `placed`."""
    need = sample_need(plan)
    shown = {Point(plan.rig, bone.name) for chain in plan.chains for bone in (chain.root, chain.end, *chain.third)}
    tips = {Point(plan.rig, chain.tip_place[0]) for chain in plan.chains}
    bones = {point for point in placed if point.bone}
    carriers = {dependencies.with_parents(point)[1] for point in bones}
    return replace(
        need,
        objects=need.objects | {point.object for point in placed},
        bones=need.bones | shown | tips | bones | {point for point in carriers if point.bone},
        own=need.own | frozenset(placed),
        turned=need.turned | bones,
    )

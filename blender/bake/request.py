"""A request in three plain phases: it prepares, which takes long, writes, which changes the file, and measures.

Many requests write and measure side by side: Blender updates a view layer and removes a temporary scene the more slowly
the more characters there are.

One request runs at a time: Blender calls handlers on each frame that a request plays. A handler that begins a request
there would be called by its own request, and neither would ever end.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce, update_wrapper
from operator import or_
from typing import Concatenate, Generic, NamedTuple, ParamSpec, Self

from ...skeleton.steps import run
from ...skeleton.values import Plan, Samples
from ...solver.values import Array
from ..curves import unkeyed_edits
from ..curves.unkeyed_edits import Keeper, KeyedPaths
from ..messages.refused import Refused
from ..scene.need import SampleNeed
from ..scene.sampling import Sampler
from ..session import session
from .report import Report

Arguments = ParamSpec("Arguments")

NotesOf = Callable[[Plan], Iterable[str]]
"""Gives sentences about the chains of a plan."""


class Resources(ExitStack):
    """What a request has opened, to be closed in the end.

    slow : why its first phase takes long, in one sentence each
    more_notes : what other features have to say of the chains of a plan that is baked
    """

    def __init__(self) -> None:
        super().__init__()
        self.slow: list[str] = []
        self.more_notes: NotesOf = lambda _plan: ()

    def telling(self, more_notes: NotesOf) -> Self:
        """The same, with these `more_notes`."""
        self.more_notes = more_notes
        return self


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Need:
    """What to sample after writing, to measure the result.

    keyed : the paths that were keyed
    """

    sampler: Sampler
    points: SampleNeed
    frames: Array
    keyed: KeyedPaths

    @classmethod
    def of(cls, points: SampleNeed | None, frames: Array, sampler: Sampler, keyed: KeyedPaths) -> "Need | None":
        """What a comparison needs on these frames, now that these paths are keyed; None where it needs nothing."""
        return cls(sampler=sampler, points=points, frames=frames, keyed=keyed) if points else None


Answer = Samples | Refused | None
"""To a need: what was sampled, or why that cannot be evaluated; None where there was no need."""


class MeasurePhase(NamedTuple):
    """The third phase: what has to be sampled, and what measures with the answer."""

    need: Need | None
    measure: Callable[[Answer], Report]


WritePhase = Callable[[Keeper], MeasurePhase]
"""The second phase; Refused, before anything changes, where something that is needed was removed meanwhile."""


Preparation = Generator[float, None, WritePhase]
"""The first phase: reads and solves, changes nothing, and yields the part that is done; returns the second."""


class Request:
    """What is to be done over a range of frames; closed before it has written, it leaves the file as it was.

    As an iterator it goes through all phases: it yields the part that is done, between 0 and 1, and ends with the
    report, as a generator does.
    """

    def __init__(self, prepare: Callable[[Resources], Preparation]) -> None:
        self.part = prepare
        """Prepares it as a part of another request, which closes what it has opened."""
        self._resources = Resources()
        self._prepared: list[WritePhase] = []
        # It does not refer to the request: a request that a script drops is closed at once, not when cycles are
        # collected.
        self._preparation = _preparing(prepare, self._resources, self._prepared)

    def prepare(self) -> Iterator[float]:
        """The first phase, or what is left of it: yields the part that is done and changes nothing in the file.

        raises : Refused where the request cannot be carried out, or while another one is
        """
        return self._preparation

    @property
    def slow(self) -> str:
        """Why the first phase takes long, in one sentence; "" while that is not known, or if it does not."""
        return self._resources.slow[-1] if self._resources.slow else ""

    def write(self) -> Report:
        """All that is left: prepares, changes the file, then measures what plays.

        raises : Refused, before anything changes, where something that is needed was removed meanwhile
        """
        [end] = write_together([self])
        if isinstance(end, Refused):
            raise end
        return end

    def _take(self) -> WritePhase:
        run(self._preparation)
        if not self._prepared:
            raise ValueError("a request that was refused, closed or written already cannot be written")
        return self._prepared.pop()

    def close(self) -> None:
        """Give the request up; once it has written, nothing happens."""
        self._preparation.close()
        self._resources.close()
        self._prepared.clear()

    def __iter__(self) -> "Request":
        return self

    def __next__(self) -> float:
        for done in self._preparation:
            return done
        if not self._prepared:
            raise StopIteration
        raise StopIteration(self.write())


class request(Generic[Arguments]):
    """Makes of a function that prepares one that gives the `Request`; what it has opened is closed in the end."""

    def __init__(self, prepare: Callable[Concatenate[Resources, Arguments], Preparation]) -> None:
        self.part = prepare
        """Prepares, with the same arguments, a part of another request, which closes what it has opened."""
        update_wrapper(self, prepare)

    def __call__(self, *args: Arguments.args, **named: Arguments.kwargs) -> Request:
        return Request(lambda resources: self.part(resources, *args, **named))

    def within(self, keep: Keeper, *args: Arguments.args, **named: Arguments.kwargs) -> Report:
        """All phases at one go, while another request writes."""
        with Resources() as resources:
            return finish(run(self.part(resources, *args, **named)), keep)


def finish(write: WritePhase, keep: Keeper) -> Report:
    """Write and measure by itself what is a part of another request that writes."""
    need, measure = write(keep)
    return measure(_sampled_alone(need) if need else None)


def write_together(requests: Sequence[Request]) -> list[Report | Refused]:
    """Let many requests write, then measure, bakes side by side: the report of each, or why it was refused.

    >>> request = api.bake.request(rig, frames=(1, 10))
    >>> print(*api.write_together([request]))
    forearm.L: 10 of 10 frames reached
    """
    ends: dict[Request, Report | Refused] = {}
    prepared: dict[Request, WritePhase] = {}
    with ExitStack() as resources:
        for item in requests:
            resources.enter_context(item._resources)
            try:
                prepared[item] = item._take()
            except Refused as refusal:
                ends[item] = refusal
        try:
            with alone():
                _finish_all(prepared, ends)
        except Refused as refusal:
            ends |= dict.fromkeys(prepared.keys() - ends.keys(), refusal)
    return [ends[item] for item in requests]


def _finish_all(prepared: dict[Request, WritePhase], ends: dict[Request, Report | Refused]) -> None:
    """Write all, then measure all; one that is refused writes nothing and leaves the others alone."""
    written: dict[Request, MeasurePhase] = {}
    with unkeyed_edits.preserved() as keep:
        for item, write in prepared.items():
            try:
                written[item] = write(keep)
            except Refused as refusal:
                ends[item] = refusal
    sampled = _sampled({item: need for item, (need, _) in written.items() if need})
    for item, (_, measure) in written.items():
        try:
            ends[item] = measure(sampled.get(item))
        except Refused as refusal:
            ends[item] = refusal


def _sampled(needs: dict[Request, Need]) -> dict[Request, Answer]:
    """Blender evaluates once for needs of the same stage and frames."""
    alike: dict[tuple[object, bytes], list[Request]] = {}
    for item, need in needs.items():
        alike.setdefault((need.sampler.stage, need.frames.tobytes()), []).append(item)
    samples: dict[Request, Answer] = {}
    for group in alike.values():
        samples |= zip(group, _sampled_at_once([needs[item] for item in group]), strict=True)
    return samples


def _sampled_at_once(needs: Sequence[Need]) -> Sequence[Answer]:
    if len(needs) > 1:
        try:
            with needs[0].sampler.another_on_stage() as sampler:
                points = reduce(or_, (need.points for need in needs))
                keyed = {block: paths for need in needs for block, paths in need.keyed.items()}
                return [sampler.played(points, needs[0].frames, keyed)] * len(needs)
        except (Refused, ReferenceError, KeyError):
            pass  # of one of them: each by itself
    return [_sampled_alone(need) for need in needs]


def _sampled_alone(need: Need) -> Answer:
    try:
        return need.sampler.played(need.points, need.frames, need.keyed)
    except Refused as refusal:
        return refusal


def _preparing(
    prepare: Callable[[Resources], Preparation], resources: Resources, prepared: list[WritePhase]
) -> Generator[float, None, None]:
    with alone(), ExitStack() as unfinished:
        unfinished.push(resources)
        prepared.append((yield from prepare(resources)))
        unfinished.pop_all()


_at_work: list[object] = session.of_file([])
"""The mark of the request that is at work now, if there is one."""


@contextmanager
def alone() -> Iterator[None]:
    """Inside, a request is at work. It may be suspended there: closing it lets others begin.

    raises : Refused if another one is at work
    """
    if _at_work:
        raise Refused("BUSY")
    token = object()
    _at_work.append(token)
    try:
        yield
    finally:
        if token in _at_work:  # otherwise another file was opened meanwhile
            _at_work.remove(token)

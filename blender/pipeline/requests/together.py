"""The second phase of several requests side by side: all write their keys, then Blender evaluates once for all of them.

To update a view layer and to remove a temporary scene takes Blender the longer, the more characters there are.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_

from ....skeleton.values import Samples
from ....solver.values import Array
from ...messages.refused import Refused
from ...messages.report import Report
from .. import unkeyed_edits
from ..sample.request import SampleRequest
from ..sample.sampling import Sampler
from ..unkeyed_edits import Keep, Keyed


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Look:
    """What is needed of what plays on these frames, now that something is keyed."""

    sampler: Sampler
    need: SampleRequest
    frames: Array
    keyed: Keyed


Looking = Generator[Look, Samples, Report]
"""Writes keys, then asks for looks at what plays; returns the report."""


def asking(sampler: Sampler, keyed: Keyed) -> Callable[[SampleRequest, Array], Generator[Look, Samples, Samples]]:
    """Asks for looks, now that something is keyed."""

    def ask(need: SampleRequest, frames: Array) -> Generator[Look, Samples, Samples]:
        return (yield Look(sampler=sampler, need=need, frames=frames, keyed=keyed))

    return ask


@dataclass(frozen=True, slots=True)
class Writing:
    """The second phase of a request that can be carried out beside others."""

    steps: Callable[[Keep], Looking]

    def __call__(self) -> Report:
        """By itself; raises `Refused` where something that is needed was removed meanwhile."""
        [end] = write_all([self])
        if isinstance(end, Refused):
            raise end
        return end


def write_all(writings: Sequence[Writing]) -> list[Report | Refused]:
    """All of them side by side; those that are refused write nothing and leave the others alone."""
    ends: dict[Looking, Report | Refused] = {}
    asked: dict[Looking, Look] = {}

    def go_on(one: Looking, step: Callable[[], Look]) -> None:
        asked.pop(one, None)
        try:
            asked[one] = step()
        except StopIteration as end:
            ends[one] = end.value
        except Refused as refusal:
            ends[one] = refusal

    with unkeyed_edits.preserved() as keep:
        looking = [writing.steps(keep) for writing in writings]
        for one in looking:
            go_on(one, one.__next__)
    while asked:
        first = next(iter(asked.values()))
        alike = {one: look for one, look in asked.items() if _alike(look, first)}
        for one, found in zip(alike, _seen(list(alike.values())), strict=True):
            go_on(one, partial(one.throw, found) if isinstance(found, Refused) else partial(one.send, found))
    return [ends[one] for one in looking]


def _alike(one: Look, other: Look) -> bool:
    return one.sampler.stage == other.sampler.stage and one.frames.tobytes() == other.frames.tobytes()


def _seen(looks: Sequence[Look]) -> list[Samples | Refused]:
    if len(looks) > 1:
        try:
            with looks[0].sampler.beside() as sampler:
                need = reduce(or_, (look.need for look in looks))
                keyed = {block: paths for look in looks for block, paths in look.keyed.items()}
                return [sampler.played(need, looks[0].frames, keyed)] * len(looks)
        except (Refused, ReferenceError, KeyError):
            pass  # of one of them: each by itself
    return [_seen_alone(look) for look in looks]


def _seen_alone(look: Look) -> Samples | Refused:
    try:
        return look.sampler.played(look.need, look.frames, look.keyed)
    except Refused as refusal:
        return refusal

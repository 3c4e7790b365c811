"""Scene after scene, what failed made small, and how often each kind of scene came up."""

from __future__ import annotations

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from time import perf_counter

from . import scenes as drawn
from .acts import again
from .kinds import KINDS
from .shrink import smallest
from .trial import Verdict, trial

ENDS = ("done", "refused", "failed")


def scenes(given: Namespace) -> int:
    """Runs what was asked for and prints what failed; the exit status."""
    ends: Counter[tuple[str, str]] = Counter()
    failed, start = 0, perf_counter()
    for scene in _asked(given):
        if given.trace:
            print(f"seed {scene['seed']}", flush=True)
        verdict = trial(scene)
        outcome = "failed" if verdict.faults else verdict.outcome
        ends.update(
            (kind, end)
            for kind in ("all", *scene["kinds"], *again.pairs(scene))
            for end in (outcome, *set(verdict.told))
        )
        ends.update([("refusals", verdict.words.partition(":")[0])] if verdict.outcome == "refused" else [])
        if verdict.faults:
            failed += 1
            _print(scene, verdict, shrink=not given.keep_size)
        if failed >= given.failures:
            break
    seconds, number = perf_counter() - start, sum(ends["all", end] for end in ENDS)
    print(f"{number} scenes in {seconds:.0f} s, {60 * number / seconds:.0f} a minute: {failed} failed")
    if given.counts:
        print("\n".join(_counts(ends, number)))
    return 1 if failed else 0


def _asked(given: Namespace) -> Iterator[dict]:
    if given.scene:
        yield {"seed": 0, "kinds": [], **json.loads(given.scene)}
        return
    kinds = [kind for kind in KINDS if {*given.only.split(",")} & {*kind.split()}] if given.only else None
    if kinds == [] and given.only != "none":
        raise SystemExit(f'no kind "{given.only}": choose none, or from {", ".join(KINDS)}')
    for seed in range(given.seed, given.seed + given.scenes):
        yield drawn.draw(seed, kinds)


def _print(scene: Mapping, verdict: Verdict, *, shrink: bool) -> None:
    print(f"FAILED seed {scene['seed']}, {', '.join(scene['kinds']) or 'no kind'}")
    for fault in verdict.faults[:3]:
        print(f"  {fault}")
    small = (
        smallest(dict(scene), lambda other: _same(other, verdict)) if shrink and verdict.outcome != "hang" else scene
    )
    if small != scene:
        print(f"  at its smallest: {trial(small).faults[:1]}")
    print(f"  {json.dumps(small)}", flush=True)


def _same(scene: dict, verdict: Verdict) -> bool:
    """True where this smaller scene can be built and has the same kind of fault."""
    try:
        return trial(scene).key == verdict.key
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, ReferenceError):
        return False


def _counts(ends: Counter[tuple[str, str]], number: int) -> Iterator[str]:
    """A line for each kind of scene: how many, their part of all, and how they ended."""
    groups = dict.fromkeys(["all", *KINDS, *sorted({kind for kind, _ in ends if " + " in kind}), "refusals"])
    for group in groups:
        found = {end: count for (kind, end), count in ends.items() if kind == group}
        total = sum(count for end, count in found.items() if end in ENDS)
        part = f"{total:7} {100 * total / number:5.1f} %" if group != "refusals" else ""
        yield f"{group:22}{part}  " + ", ".join(f"{end} {count}" for end, count in sorted(found.items()))

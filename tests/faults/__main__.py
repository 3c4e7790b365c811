"""Plants faults in a copy of the product, one at a time, and says how many of them the tests catch: `make faults`.

For each fault, the tests that reach its line run, cheapest first, until one fails, for 60 s at most. A fault where
Blender's versions differ has to be caught on 4.5, 5.0 or 5.1, by tests that are marked `versions`. What was found of a
commit is kept in `out/faults`: another run goes on where one was ended, and tries the survivors again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from .draw import VERSIONS, Fault, faults
from .suites import MIDDLE, Copy, Test, read, whole

THIS = Path(__file__).parents[2]
SECONDS = 60.0
"""For the tests of one fault, as they take without it."""
FIRST = 4.0
"""Of these, for single cases; whole test functions come afterwards."""


def arguments() -> argparse.Namespace:
    """What the user asked for."""
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("--checkout", type=Path, default=THIS, help="whose product and tests are taken")
    parser.add_argument("--environments", type=Path, default=THIS / ".venv", help="made by make")
    parser.add_argument("--only", default="", help="faults whose room or name contains this text")
    parser.add_argument("--list", action="store_true", help="print the faults and plant none")
    return parser.parse_args()


def main(given: argparse.Namespace) -> None:
    """Prints a line for each fault, and at the end the figures and the survivors."""
    checkout, environments = given.checkout.resolve(), given.environments.absolute()
    drawn = [fault for fault in faults(checkout) if given.only in f"{fault.room} {fault.place.name}"]
    if given.list:
        print(*(f"{_where(fault)}  {fault.said}" for fault in drawn), sep="\n")
        return
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=checkout, text=True).strip()
    out = THIS / "out" / "faults" / commit
    tests = read(checkout, environments, out)
    kept = out / "verdicts.json"
    verdicts = {name: Verdict(*each) for name, each in (json.loads(kept.read_text()) if kept.exists() else {}).items()}
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(checkout, Path(folder), environments)
        for fault in drawn:
            if not (fault.place.name in verdicts and verdicts[fault.place.name].caught):
                copy.write(fault.place.path, fault.new)
                verdicts[fault.place.name] = _verdict(fault, tests, copy)
                copy.write(fault.place.path, fault.old)
                kept.write_text(json.dumps(verdicts, indent=1))
                print(_told(fault, verdicts[fault.place.name]), flush=True)
        _print_figures(drawn, verdicts)
        _print_unsound(drawn, verdicts, tests, copy)


class Verdict(NamedTuple):
    """What became of a fault."""

    caught: str  # what catches it: the name of a test, or words; "" where nothing does
    wheel: str
    tried: str


def _verdict(fault: Fault, tests: list[Test], copy: Copy) -> Verdict:
    reaching, wheels = _reaching(fault, tests), MIDDLE if fault.room == VERSIONS else ("",)
    for batch in _batches(reaching):
        for wheel in wheels:
            if caught := copy.failure(batch, wheel):
                return Verdict(caught, wheel, "")
    tried = f"{len(_cheapest(whole(reaching), SECONDS - FIRST))} of the {len(whole(reaching))} tests that run it pass"
    return Verdict("", "", tried if reaching else "no test runs it")


def _reaching(fault: Fault, tests: list[Test]) -> list[Test]:
    """The tests that run the fault's line, cheapest first.

    A line that runs as its module is imported counts as run by all tests that run one of this file; first come those
    that do hardly anything else. Where versions differ, those that run its function: the newest Blender may run another
    branch of it.
    """
    place = fault.place
    if place.at_import:
        found = [test for test in tests if place.path in test.lines]
        found.sort(key=lambda test: test.seconds / len(test.lines[place.path]))
    elif fault.room == VERSIONS:
        found = [test for test in tests if test.ran(place.path, *place.in_function)]
    else:
        found = [test for test in tests if any(test.ran(place.path, at, at) for at in (place.line, place.statement))]
        # Of tests with more than two cases, another case may run it.
        others = (test for test in tests if test.cases > 2 and test.ran(place.path, *place.in_function))
        found = found or list(others)
    if not place.at_import:
        found.sort(key=lambda test: test.seconds)
    if fault.room == VERSIONS:
        return [test for test in found if test.of_versions and test.suite != "without_bpy"]
    return found


def _batches(tests: list[Test]) -> list[list[Test]]:
    """The cheapest cases, then all cases of the cheapest functions; each batch runs in one process for each suite."""
    return [batch for batch in (_cheapest(tests, FIRST), _cheapest(whole(tests), SECONDS - FIRST)) if batch]


def _cheapest(tests: list[Test], seconds: float) -> list[Test]:
    together = accumulate(test.seconds for test in tests)
    return [test for test, spent in zip(tests, together, strict=True) if spent <= seconds or test is tests[0]]


def _print_figures(drawn: list[Fault], verdicts: dict[str, Verdict]) -> None:
    survivors = [fault for fault in drawn if not verdicts[fault.place.name].caught]
    all_of, survived = Counter(fault.room for fault in drawn), Counter(fault.room for fault in survivors)
    print("", *(f"{room:<20}{all_of[room] - survived[room]:>4} of {all_of[room]:>3}" for room in all_of), sep="\n")
    print(f"{'in sum':<20}{len(drawn) - len(survivors):>4} of {len(drawn):>3}\n")
    print(*(_told(fault, verdicts[fault.place.name]) for fault in survivors), sep="\n")


def _print_unsound(drawn: list[Fault], verdicts: dict[str, Verdict], tests: list[Test], copy: Copy) -> None:
    """Whatever caught a fault has to pass without one."""
    named = {test.name: test for test in (*whole(tests), *tests)}
    for wheel in {verdict.wheel for verdict in verdicts.values()}:
        caught = {verdicts[fault.place.name] for fault in drawn}
        waiting = {verdict.caught for verdict in caught if verdict.wheel == wheel} & named.keys()
        while waiting and (failed := copy.failure(map(named.__getitem__, sorted(waiting)), wheel)):
            print(f"This fails without a fault, too: {failed} {wheel}")
            waiting = waiting - {failed} if failed in waiting else set()


def _told(fault: Fault, verdict: Verdict) -> str:
    said, by = f"{_where(fault)}\n    {fault.said}\n", f"{verdict.caught} {verdict.wheel}".strip()
    return f"caught {said}    by {by}" if verdict.caught else f"SURVIVED {said}    {verdict.tried}"


def _where(fault: Fault) -> str:
    return f"{fault.place.path}:{fault.place.line} {fault.place.function}"


if __name__ == "__main__":
    main(arguments())

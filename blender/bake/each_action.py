"""A request for each action of an armature, carried out while this plays together with those of the targets.

While it is suspended, and when it has ended, all play what they played before: before it writes, nothing has changed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from bpy.types import Object, Scene

from ...skeleton.steps import run
from .. import versions
from ..armatures import Rig
from ..curves import action_pairs, unkeyed_edits
from ..curves.action_pairs import Pair
from ..curves.unkeyed_edits import Edit, Keeper
from ..messages.refused import Refused, unless_gone
from ..messages.translation import translated
from ..rna_paths import value_at
from ..scene import dependencies
from .build_plan import Names, chains_taking_part, scene_of
from .request import MeasurePhase, Preparation, Request, Resources, finish, request

Make = Callable[[tuple[int, int] | None], Request]
"""Gives the request of what plays, over these frames."""


def requests(rig: Rig, pattern: str, scene: Scene | None, make: Make, chains: Names) -> list[Request]:
    """A request for each action whose name fits the pattern; that of the action that plays is the last.

    chains : names of those whose targets need an action that goes with the armature's; None for all that take part
    raises : Refused where no name fits, and where no action has those of the targets beside it
    """
    if not isinstance(pattern, str):
        raise Refused("WRONG_TYPE.text", object=rig, where=f'"{rig.name}"', key="actions", value=pattern)
    targets, others = _moving(rig, chains)
    for item in (rig, *targets, *others):
        if item.animation_data and item.animation_data.use_tweak_mode:
            raise Refused("TWEAK_MODE", object=item)
    pairs, lacking = action_pairs.pairs(rig, pattern, targets, others)
    left_out = ", ".join(f'{action} ("{target}")' for action, target in lacking.items())
    if not pairs:
        raise Refused("NO_PARTNER", object=rig, value=left_out)
    notes = [()] * (len(pairs) - 1) + [(translated("alert.no_partner", actions=left_out),) if lacking else ()]
    return [_on_action(pair, scene_of(rig, scene), make, told) for pair, told in zip(pairs, notes, strict=True)]


def _moving(rig: Rig, names: Names) -> tuple[list[Object], list[Object]]:
    """The targets and pole targets of these chains, and what else moves them, but for the armature itself."""
    chains = chains_taking_part(rig, names).chains if names is None or names else ()
    points = [point for chain in chains for point in dependencies.targets_of(chain)]
    targets = list(dict.fromkeys(point.object for point in points if point.object != rig))
    behind = {point.object for point in dependencies.upstream(*points)} - {rig, *targets}
    return targets, sorted(behind, key=lambda item: item.name)


@request
def _on_action(resources: Resources, pair: Pair, scene: Scene, make: Make, told: Sequence[str]) -> Preparation:
    name = pair.action.name
    try:
        with _playing(pair, scene):
            write = run(make(pair.span).part(resources))
    except Refused as refused:
        refused.args = (translated("part.of_action", action=name, reason=refused),)
        raise
    yield 1.0

    def write_and_measure(_keep: Keeper) -> MeasurePhase:
        with _playing(pair, scene) as remember, _kept_if_new(pair) as made, unkeyed_edits.preserved() as keep:

            def keep_both(item: Object, its_scene: Scene, paths: Collection[str]) -> None:
                remember(item, paths)
                keep(item, its_scene, paths)

            report = finish(write, keep_both)
        others = [f'{action.name} ("{item.name}")' for item, (action, _) in list(pair.played.items())[1:]]
        notes = [translated("note.with_actions", actions=", ".join(others))] if others else []
        notes += [translated("note.new_action", action=each) for each in made]
        report = replace(report, action=name, notes=(*notes, *report.notes, *told))
        return MeasurePhase(None, lambda _: report)

    return write_and_measure


@contextmanager
def _playing(pair: Pair, scene: Scene) -> Iterator[Callable[[Object, Iterable[str]], None]]:
    """While it is open, each object plays its action alone; then all is as before, edits without a key as well.

    It gives what has to be told of properties that are to be keyed.
    """
    before = {item: versions.played(item) for item in pair.played}
    put_back = {item: versions.play_again(item) for item in pair.played}
    kept: dict[tuple[Object, str], Edit] = {}

    def remember(item: Object, paths: Iterable[str]) -> None:
        for path in paths if item in before else ():
            with suppress(KeyError, ValueError):  # a curve may outlive its property
                value: Any = value_at(item, path)
                is_array = hasattr(value, "__len__") and not isinstance(value, str)
                kept.setdefault((item, path), Edit(item, path, None, tuple(value) if is_array else value))

    def remember_all() -> None:
        for item in before:
            played = (versions.curves(item), *(curves for _, curves in versions.strips(item, muted=False)))
            remember(item, dict.fromkeys(curve.data_path for curves in played for curve in curves))

    remember_all()
    swapped = [
        item for item, each in pair.played.items() if each != before[item] or any(versions.strips(item, muted=False))
    ]
    try:
        for item in swapped:
            versions.play(item, *pair.played[item])
            item.animation_data.use_nla = False
        remember_all()
        yield remember
    finally:
        with unless_gone:
            others = [item for item in before if versions.played(item) != before[item]]
            for item in {*others, *swapped}:
                with unless_gone:
                    put_back[item]()
            unkeyed_edits.evaluate(scene)
            # What was keyed in the action that plays shows now.
            unkeyed_edits.restore(edit for (item, _), edit in kept.items() if item in others)


@contextmanager
def _kept_if_new(pair: Pair) -> Iterator[list[str]]:
    """While it is open, a new action may replace that of the pair; the file then keeps it, and this has its name."""
    rig = next(iter(pair.played))
    action, made = pair.action, list[str]()
    is_fake = action.is_editable and action.use_fake_user
    if is_fake:
        action.use_fake_user = False
    try:
        yield made
    finally:
        if is_fake:
            with unless_gone:
                action.use_fake_user = True
        now, _ = versions.played(rig)
        if now and now != action:
            now.use_fake_user = True
            made.append(now.name)

"""What is of the wrong type is refused before anything changes, in one sentence that says what was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product, starmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.file_data import changed, dump
from support.rigs import animate, arm

NOT_RIGS: tuple[Callable[[Object], Any], ...] = (
    *(lambda rig: "Rig", lambda rig: 3),
    *(lambda rig: rig.data, lambda rig: rig.pose.bones[0]),
)
OF_A_RIG: tuple[Callable[..., Any], ...] = (
    *(api.bake, api.check, api.solve, api.hold, api.update_holds, api.pin, api.plant, api.contacts, api.known_limbs),
    *(api.create_targets, api.snap_targets, api.bake_targets, api.target_keys),
    *(api.flip_bend, api.decide_side, api.detect, api.remove_markers),
)
OF_CHAINS = [call for call in OF_A_RIG if call not in (api.detect, api.remove_markers, api.plant, api.contacts)]
NOT_NAMES: tuple[Callable[[Object], Any], ...] = (
    *(lambda rig: rig.two_bone_ik_chains[0], lambda rig: [rig.two_bone_ik_chains[0]]),
    *(lambda rig: (chain.name for chain in rig.two_bone_ik_chains), lambda rig: 3, lambda rig: []),
)
EMPTY = (range(5, 5), range(9, 1))
NOT_FRAMES = (5, (1,), (1, 2, 3, 4), (), "1:10", ("1", "10"), (None, None), {1, 10}, {"start": 1})
OTHERS: dict[str, tuple[Callable[[Object], Any], str]] = {
    "scene": (lambda rig: api.bake(rig, scene="Scene"), "'Scene'"),
    "style": (lambda rig: api.change_target_space(rig, space=None, style="REDUCED"), "'REDUCED'"),
    "tolerance": (lambda rig: api.bake(rig, keys="REDUCED", tolerance="small"), "'small'"),
    "interpolation": (lambda rig: api.bake(rig, interpolation=3), '"3"'),
    "space": (lambda rig: api.hold(rig, space="Cup"), "'Cup'"),
    "bone of a space": (lambda rig: api.change_target_space(rig, space=("Rig", "spine")), "('Rig', 'spine')"),
    "at": (lambda rig: api.hold(rig, at="now"), "now"),
    "ease": (lambda rig: api.hold(rig, ease=4), "4"),
    "hold": (lambda rig: api.remove_hold(rig, ["lower"]), "['lower']"),
    "limb": (lambda rig: api.drag(rig, 3), "3"),
    "end bone": (lambda rig: api.add_chain(rig, 3), "has no bone 3:"),
    "tip bone": (lambda rig: api.add_chain(rig, "hand", tip_bone="nose"), '"nose"'),
    "tip bone elsewhere": (lambda rig: api.ensure_chain(rig, "lower", tip_bone="spine"), '"spine"'),
    "target": (lambda rig: api.ensure_chain(rig, "lower", target="Hand"), "'Hand'"),
    "softness": (lambda rig: api.ensure_chain(rig, "lower", softness=2), "2"),
    "softness that is no number": (lambda rig: api.ensure_chain(rig, "lower", softness=float("nan")), "nan"),
    "angle in degrees": (lambda rig: api.ensure_chain(rig, "lower", bend_max=90), "90"),
    "word": (lambda rig: api.ensure_chain(rig, "lower", bend=3), "3"),
    "kinds": (lambda rig: api.detect(rig, 3), "3"),
    "sections": (lambda rig: api.copy_settings(rig, "lower", sections=3), "3"),
    "setup": (lambda rig: api.apply_setup(rig, "hero.toml"), "'hero.toml'"),
    "contacts": (lambda rig: api.plant(rig, ["lower"], contacts=3), "3"),
    "contact": (lambda rig: api.plant(rig, ["lower"], contacts=[("lower", 1, 9)]), "('lower', 1, 9)"),
    "floor": (lambda rig: api.plant(rig, ["lower"], contacts=[STANDS], floor="Floor"), "'Floor'"),
    "stillness": (lambda rig: api.contacts(rig, ["lower"], stillness=0.2), "0.2"),
    "speed below 0": (lambda rig: still(rig, speed=-1), "Stillness has speed = -1, but it takes a number above 0"),
    "noise that is no number": (lambda rig: still(rig, noise=float("nan")), "Stillness has noise = nan"),
    "gap in words": (lambda rig: still(rig, gap="short"), "Stillness has gap = 'short'"),
    "window without end": (lambda rig: still(rig, window=float("inf")), "Stillness has window = inf"),
    "tolerance below 0": (lambda _: api.KeyStyle(tolerance=-1), "tolerance = -1"),
    "new action": (lambda _: api.KeyStyle(new_action="no"), "new_action = 'no'"),
    "keys": (lambda _: api.KeyStyle(keys="REDUCD"), 'the nearest is "REDUCED"'),
    "wrong name": (lambda rig: api.bake(rig, "leg.L"), '"leg.L"'),
    **{
        f"flag {value!r}": (lambda rig, value=value: api.ensure_chain(rig, "lower", mute=value), "takes true or false")
        for value in (0, 1, 1.0, "true", None)
    },
    "chains of a setup": (lambda rig: setup(rig, 3), "is none"),
    "chain of a setup": (lambda rig: setup(rig, [3]), "is none"),
    "chain without a bone": (lambda rig: setup(rig, [{}]), "end_bone"),
    "bone of a setup": (lambda rig: setup(rig, [{"end_bone": 3}]), "end_bone = 3"),
    "softness of a setup": (
        lambda rig: setup(rig, [{"end_bone": "lower", "softness": float("nan")}]),
        "softness = nan",
    ),
    "field of a setup": (lambda rig: setup(rig, [{"end_bone": "lower", "soft": 1}]), '"soft"'),
    "plant of a setup": (lambda rig: setup(rig, [], plant=3), "plant=3"),
    "path of a setup": (lambda rig: setup(rig, [], path=3), "path=3"),
    "point of a contact": (lambda rig: stand(rig, offset=("a", "b", "c")), "('a', 'b', 'c')"),
    "bone of a contact": (lambda rig: stand(rig, bone=3), "bone=3"),
    "end of a contact": (lambda rig: stand(rig, end=float("inf")), "end=inf"),
}


def still(rig: Object, **values: Any) -> object:
    return api.contacts(rig, ["lower"], stillness=api.Stillness(**values))


def setup(rig: Object, chains: Any, **values: Any) -> object:
    return api.apply_setup(rig, api.Setup(**{"path": Path("hero.toml"), "chains": chains, **values}))


def stand(rig: Object, **values: Any) -> object:
    return api.plant(rig, ["lower"], contacts=[STANDS._replace(**values)])


STANDS = api.Contact("lower", 1, 10, "lower", (0.0, 1.0, 0.0))


@pytest.fixture
def rig(empty_file: None) -> Object:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    animate(chain.id_data.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 10: (1, 0.1, 0, 0)})
    return chain.id_data


def each_refused(calls: Iterable[Callable[[], Any]]) -> Iterator[api.Refused]:
    """The refusals of these calls; after all of them the file is as it was."""
    before = dump()
    for call in calls:
        with pytest.raises(api.Refused) as found:
            call()
        assert "\n" not in str(found.value)
        yield found.value
    assert not changed(before)


def test_what_is_no_armature_object_is_named(rig: Object) -> None:
    given = [*product(OF_A_RIG, [made(rig) for made in NOT_RIGS])]
    for (call, value), found in zip(given, each_refused(starmap(partial, given)), strict=True):
        assert found.kind == "NO_ARMATURE", (call, value)
        assert repr(value) in str(found), call


def test_what_is_no_name_of_a_chain_is_refused(rig: Object) -> None:
    given = [*product(OF_CHAINS, NOT_NAMES)]
    kinds = {call: set() for call in OF_CHAINS}
    for (call, _), found in zip(
        given, each_refused(partial(call, rig, made(rig)) for call, made in given), strict=True
    ):
        kinds[call].add(found.kind)
    assert [call for call in kinds if kinds[call] != {"NOT_A_NAME", "NO_NAMES"}] == []


def test_what_is_no_range_of_frames_is_refused(rig: Object) -> None:
    given = [*product((api.bake, api.check, api.bake_targets, api.hold), NOT_FRAMES)]
    refusals = each_refused(partial(call, rig, frames=frames) for call, frames in given)
    for (call, frames), found in zip(given, refusals, strict=True):
        assert found.kind == "NOT_FRAMES", (call, frames)
        assert repr(frames) in str(found), call


def test_a_range_without_frames_is_not_all_frames(rig: Object) -> None:
    calls = (api.bake, api.check, api.bake_targets, api.hold, partial(api.plant, contacts=[STANDS]))
    given = [*product(calls, EMPTY)]
    for found in each_refused(partial(call, rig, ["lower"], frames=frames) for call, frames in given):
        assert found.kind == "EMPTY_RANGE"


def test_a_value_of_the_wrong_type_is_named(rig: Object) -> None:
    found = each_refused(partial(act, rig) for act, _ in OTHERS.values())
    for (case, (_, named)), each in zip(OTHERS.items(), found, strict=True):
        assert named in str(each), case


def test_names_may_be_any_collection(rig: Object) -> None:
    for names in ({"lower"}, {"lower": 1}.keys(), np.array(["lower", "lower"])):
        assert [chain.name for chain in api.check(rig, names).chains] == ["lower"]


def test_one_limb_and_one_word_go_without_a_list(rig: Object) -> None:
    assert api.contacts(rig, "lower", (1, 10)) == api.contacts(rig, ["lower"], (1, 10))
    assert api.detect(rig, "ARMS") == api.detect(rig, ["ARMS"])
    assert api.copy_settings(rig, "lower", sections="BEND") == api.copy_settings(rig, "lower", sections=["BEND"])

"""A word that there is not is refused in one way everywhere: with all that there are, and the nearest of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Literal, get_args, get_origin, get_type_hints

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.extension import VERSION
from bl_ext.user_default.two_bone_ik.blender.settings.properties import chain_fields
from bpy.types import Object

from support import rigify
from support.file_data import changed, dump
from support.rigs import animate, arm

pytestmark = pytest.mark.once

CALLS: dict[str, tuple[Callable[[Object], Any], str, str]] = {
    "keys": (lambda rig: api.bake(rig, keys="REDUCD"), "TARGET_KEYS", "REDUCED"),
    "interpolation": (lambda rig: api.bake(rig, interpolation="BEZIRE"), "LINEAR", "BEZIER"),
    "key type": (lambda rig: api.bake(rig, key_type="BREAKDWN"), "JITTER", "BREAKDOWN"),
    "sampling": (lambda rig: api.check(rig, sampling="CURVE"), "ISOLATED", "CURVES"),
    "measure": (lambda rig: api.bake_targets(rig, measure="AL"), "NONE", "ALL"),
    "kinds": (lambda rig: api.detect(rig, ["LEG"]), "FINGERS", "LEGS"),
    "layer": (lambda rig: api.switch(rig, "IKK"), "FK", "IK"),
    "targets": (lambda rig: api.create_targets(rig, kind="EMPTY"), "BONES", "EMPTIES"),
    "axis": (lambda rig: api.decide_side(rig, axis="NEGX"), "KEYS", "NEG_X"),
    "sections": (lambda rig: api.copy_settings(rig, "lower", sections=["BENT"]), "REACH", "BEND"),
    "chain": (lambda rig: api.solve(rig, "lowr"), "lower", "lower"),
    "word of an option": (lambda rig: api.ensure_chain(rig, "lower", bend="NEARST"), "LIMITS", "NEAREST"),
}


@pytest.fixture
def rig(empty_file: None) -> Object:
    return arm().id_data


def test_a_wrong_word_is_refused_with_the_right_ones(rig: Object) -> None:
    before = dump()
    for call, (act, other, nearest) in CALLS.items():
        with pytest.raises(api.Refused) as refused:
            act(rig)
        told = str(refused.value)
        assert other in told, call
        assert told.endswith(f'the nearest is "{nearest}"'), call
    assert not changed(before)


def test_what_is_no_word_is_refused_with_the_right_ones_alone(rig: Object) -> None:
    calls: dict[str, Callable[[Any], object]] = {
        "TARGET_KEYS": lambda value: api.bake(rig, keys=value),
        "LINEAR": lambda value: api.bake(rig, interpolation=value),
        "ISOLATED": lambda value: api.check(rig, sampling=value),
        "BONES": lambda value: api.create_targets(rig, kind=value),
        "NEG_Z": lambda value: api.decide_side(rig, axis=value),
        "NEAREST": lambda value: api.ensure_chain(rig, "lower", bend=value),
    }
    for (other, act), value in product(calls.items(), (None, 3, ["REDUCED"], True, "")):
        with pytest.raises(api.Refused) as refused:
            act(value)
        assert other in str(refused.value), value
        assert "the nearest" not in str(refused.value), value


NAMES: dict[str, tuple[Callable[[Object], Any], str]] = {
    "end bone": (lambda rig: api.add_chain(rig, "hnd"), "hand"),
    "end bone that has a chain": (lambda rig: api.ensure_chain(rig, "lowr"), "lower"),
    "root bone": (lambda rig: api.add_chain(rig, "hand", root_bone="uper"), "upper"),
    "root bone elsewhere": (lambda rig: api.add_chain(rig, "upper", root_bone="hand"), "spine"),
    "tip bone": (lambda rig: api.ensure_chain(rig, "lower", tip_bone="hnd"), "hand"),
    "tip bone elsewhere": (lambda rig: api.ensure_chain(rig, "lower", tip_bone="upper"), "hand"),
    "subtarget": (lambda rig: aimed_at(rig, "spin"), "spine"),
    "bone of a contact": (lambda rig: api.plant(captured(rig), "lower", contacts=[stands("lowr")]), "lower"),
}


def aimed_at(rig: Object, bone: str) -> None:
    chain = rig.two_bone_ik_chains[0]
    chain.target, chain.subtarget = rig, bone
    try:
        api.solve(rig)
    finally:
        chain.target, chain.subtarget = bpy.data.objects["Target"], ""


def captured(rig: Object) -> Object:
    animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 10: (1, 0.1, 0, 0)})
    return rig


def stands(bone: str) -> api.Contact:
    return api.Contact("lower", 1, 10, bone, (0.0, 1.0, 0.0))


def test_a_wrong_bone_is_refused_with_the_nearest(rig: Object) -> None:
    for name, (act, nearest) in NAMES.items():
        with pytest.raises(api.Refused) as refused:
            act(rig)
        assert str(refused.value).endswith(f'the nearest is "{nearest}"'), name


def test_a_bone_of_no_limb_is_refused_with_the_nearest(empty_file: None) -> None:
    rig = rigify.generated("human")
    with pytest.raises(api.Refused, match=r'the nearest is "forearm_fk\.L"') as refused:
        api.known_limb_of(rig, "forarm_fk.L")
    assert refused.value.kind == "NO_KNOWN_LIMB"


def test_a_wrong_option_is_refused_with_the_nearest(rig: Object) -> None:
    with pytest.raises(api.Refused, match=r'chain "lower" of "Rig" has "softnes".* the nearest is "softness"'):
        api.ensure_chain(rig, "lower", softnes=0.5)


def test_the_typed_options_are_those_of_a_chain() -> None:
    fields = chain_fields()
    kinds = {"STRING": str, "BOOLEAN": bool, "FLOAT": float, "POINTER": Object | None}
    hints = get_type_hints(api.ChainOptions)
    assert hints.keys() == fields.keys() - {"end_bone"}
    for name, hint in hints.items():
        if fields[name].type == "ENUM":
            assert (get_origin(hint), list(get_args(hint))) == (Literal, fields[name].enum_items.keys())
        else:
            assert hint == kinds[fields[name].type]


def test_a_removed_chain_leaves_the_active_one_active(rig: Object) -> None:
    for name in "abc":
        rig.two_bone_ik_chains.add().name = name
    rig.two_bone_ik_active = 2
    api.remove_chain(rig, "a")
    assert rig.two_bone_ik_chains[rig.two_bone_ik_active].name == "b"
    api.remove_chain(rig, "c")
    assert rig.two_bone_ik_chains[rig.two_bone_ik_active].name == "b"
    with pytest.raises(api.Refused, match='has no chain "a": it has lower, b;'):
        api.remove_chain(rig, "a")


def test_a_script_can_ask_which_version_it_is() -> None:
    assert api.__version__ == VERSION

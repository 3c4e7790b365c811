"""Setup files: chains go out and come back equal, one file serves both sides, and what does not fit is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.rigs.wildcards import wildcard_texts
from bl_ext.user_default.two_bone_ik.blender.settings.properties import chain_fields
from bpy.types import Object, Property
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.library import linked, overridden
from support.refused import refused
from support.rigs import Bone, armature, empty
from support.truth import save_and_load

TWO_ARMS = (
    Bone("chest", (0, 0, 0), (0, 0, 1)),
    *(
        Bone(f"{name}.{side}", (sign * start, 0, 1), (sign * end, bend, 1), parent and f"{parent}.{side}")
        for side, sign in (("L", 1), ("R", -1))
        for name, start, end, bend, parent in (
            ("upper", 0, 1, 0.2, ""),
            ("fore", 1, 2, 0.0, "upper"),
            ("hand", 2, 2.3, 0.0, "fore"),
        )
    ),
)
NAMES = ("Rig", 'a "b" \\c', "été 手", "* ?", "line\nbreak", "\x7f\x1f")
"""Of bones and objects; Blender lets them hold anything."""


def values(field: Property) -> st.SearchStrategy:
    """What a field of a chain can be set to; an object is its name."""
    if field.type == "BOOLEAN":
        return st.booleans()
    if field.type == "FLOAT":
        return st.floats(field.hard_min, field.hard_max, width=32)
    if field.type == "ENUM":
        return st.sampled_from(field.enum_items.keys())
    if field.identifier == "name":
        return st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
    return st.sampled_from(["", *NAMES])


BONES = st.sampled_from(
    [{"end_bone": f"end {name}", "root_bone": root} for name in NAMES for root in ("", f"root {name}")]
)
CHAIN = st.builds(
    dict.__or__, st.fixed_dictionaries({key: values(field) for key, field in chain_fields().items()}), BONES
)


def fields(rig: Object) -> list[dict[str, object]]:
    return [{key: getattr(chain, key) for key in chain_fields()} for chain in rig.two_bone_ik_chains]


@pytest.fixture
def oddly_named(empty_file: None) -> Object:
    """A limb for each name, and empties of these names."""
    for name in NAMES[1:]:
        empty(name)
    rows = [(f"root {name}", f"end {name}", name) for name in NAMES]
    ends = [((0, 0, z), (0, 0, z + 1)) for z in range(3)]
    return armature([Bone(row[z], *ends[z], row[z - 1] if z else "") for row in rows for z in range(3)])


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(chains=st.lists(CHAIN, min_size=1, max_size=3))
def test_chains_come_back_equal_whatever_they_hold(
    oddly_named: Object, tmp_path: Path, chains: list[dict[str, object]]
) -> None:
    rig = oddly_named
    rig.two_bone_ik_chains.clear()
    for chain in chains:
        new = rig.two_bone_ik_chains.add()
        for key, value in chain.items():
            setattr(new, key, bpy.data.objects.get(value) if chain_fields()[key].type == "POINTER" else value)
    saved = fields(rig)
    api.save_setup(rig, tmp_path / "setup.toml")
    rig.two_bone_ik_chains.clear()
    names = api.apply_setup(rig, api.load_setup(tmp_path / "setup.toml"))
    assert names == [chain["name"] for chain in saved]
    assert fields(rig) == saved


@pytest.fixture
def rig(empty_file: None) -> Object:
    """Two arms, and a target and a pole for each."""
    for name in ("IK.L", "IK.R", "Pole.L", "Pole.R"):
        empty(name)
    return armature(TWO_ARMS)


@pytest.fixture
def apply(rig: Object, tmp_path: Path) -> Callable[[str], list[str]]:
    def apply(text: str) -> list[str]:
        (tmp_path / "rig.toml").write_text(text, "utf-8")
        return api.apply_setup(rig, api.load_setup(tmp_path / "rig.toml"))

    return apply


Apply = Callable[[str], list[str]]


def test_one_chain_in_the_file_serves_both_sides(rig: Object, apply: Apply) -> None:
    names = apply(
        """
        [[chain]]
        name = "arm.?"
        end_bone = "fore.?"
        tip_bone = "hand.?"
        target = "IK.?"
        pole_target = "Pole.?"
        use_rotation = true
        """
    )
    assert names == ["arm.L", "arm.R"]
    for side, chain in zip("LR", rig.two_bone_ik_chains, strict=True):
        assert (chain.name, chain.end_bone, chain.tip_bone) == (f"arm.{side}", f"fore.{side}", f"hand.{side}")
        assert (chain.target.name, chain.pole_target.name, chain.use_rotation) == (f"IK.{side}", f"Pole.{side}", True)
    assert api.check(rig, frames=(1, 2)).rig == "Rig"


def test_each_wildcard_stands_for_what_it_found(rig: Object, apply: Apply) -> None:
    assert apply('chain = [{end_bone = "f*e.?", name = "*-?"}]') == ["or-L", "or-R"]


def test_a_subtarget_alone_is_a_bone_of_the_armature_itself(rig: Object, apply: Apply) -> None:
    apply('chain = [{end_bone = "fore.L", subtarget = "hand.R", pole_subtarget = "chest"}]')
    (chain,) = rig.two_bone_ik_chains
    assert (chain.target, chain.subtarget) == (rig, "hand.R")
    assert (chain.pole_target, chain.pole_subtarget) == (rig, "chest")


def test_a_bone_that_is_called_like_the_pattern_comes_first(apply: Apply) -> None:
    other = armature([Bone("a*", (0, 0, 0), (0, 0, 1)), Bone("ab?", (0, 0, 1), (0, 0, 2), "a*")], "Other")
    chains = api.Setup(path=Path("rig.toml"), chains=({"end_bone": "ab?", "root_bone": "a*"},))
    assert api.apply_setup(other, chains) == ["ab?"]


def test_only_chains_of_the_same_name_change(rig: Object, apply: Apply) -> None:
    api.add_chain(rig, "fore.L", name="mine", unreachable="HOLD")
    api.add_chain(rig, "fore.R", unreachable="HOLD")
    apply('chain = [{end_bone = "fore.?", bend = "NEAREST"}]')
    assert [(chain.name, chain.bend, chain.unreachable) for chain in rig.two_bone_ik_chains] == [
        ("mine", "REST", "HOLD"),
        ("fore.R", "NEAREST", "CLAMP"),
        ("fore.L", "NEAREST", "CLAMP"),
    ]


def test_an_overridden_rig_keeps_its_setup(tmp_path: Path) -> None:
    rig = armature(TWO_ARMS)
    api.add_chain(rig, "fore.L", softness=0.5)
    rig = overridden(linked(tmp_path))
    empty("IK.L")
    api.apply_setup(rig, api.Setup(path=Path("rig.toml"), chains=({"end_bone": "fore.?", "target": "IK.L"},)))
    save_and_load()
    rig = next(item for item in bpy.data.objects if item.name == "Rig" and not item.library)
    assert [(chain.name, chain.softness, chain.target.name) for chain in rig.two_bone_ik_chains] == [
        ("fore.L", 0.0, "IK.L"),
        ("fore.R", 0.0, "IK.L"),
    ]


def test_targets_are_created_where_the_file_asks_for_them(rig: Object, apply: Apply) -> None:
    apply('chain = [{end_bone = "fore.?", create_targets = true}, {name = "bare", end_bone = "fore.L"}]')
    left, right, bare = rig.two_bone_ik_chains
    for chain in (left, right):
        assert tuple(chain.target.location) == pytest.approx(tuple(rig.data.bones[chain.end_bone].tail_local))
        assert chain.pole_target
    assert bare.target is None


WRONG = [
    ("chain = 3", "WRONG_TYPE", "[[chain]]"),
    ("[[chain]", "NOT_TOML", "line 1"),
    ("", "EMPTY_FILE", "[[chain]]"),
    ("[[chains]]", "UNKNOWN_KEY", 'nearest is "chain"'),
    ("[[chain]]", "NO_BONE", "end_bone"),
    ('chain = [{end_bone = "fore.L", bend_mx = 1}]', "UNKNOWN_KEY", 'nearest is "bend_max"'),
    ('chain = [{end_bone = "fore.L", target = 3}]', "WRONG_TYPE", "target = 3"),
    ('chain = [{end_bone = "fore.L", softness = true}]', "WRONG_TYPE", "a number"),
    ('chain = [{end_bone = "fore.L", mute = 1}]', "WRONG_TYPE", "true or false"),
    ('chain = [{end_bone = "fore.L", bend = "Nearest"}]', "UNKNOWN_WORD", "NEAREST"),
    ('chain = [{end_bone = "fore.L", bend_max = 150}]', "OUT_OF_RANGE", "radians"),
    ('chain = [{end_bone = "fore.L", softness = nan}]', "OUT_OF_RANGE", "0 to 1"),
    ('chain = [{end_bone = "frearm.L"}]', "NO_BONE", 'nearest is "fore.L"'),
    ('chain = [{end_bone = "fore_?"}]', "NO_BONE", 'nearest is "fore.L"'),
    ('chain = [{end_bone = "fore.L", root_bone = "uper.L"}]', "NO_BONE", 'nearest is "upper.L"'),
    ('chain = [{end_bone = "fore.L", root_bone = "hand.L"}]', "NOT_A_CHAIN", "hand.L"),
    ('chain = [{end_bone = "chest"}]', "NO_PARENT", "chest"),
    ('chain = [{end_bone = "fore.L", tip_bone = "hnd.L"}]', "NO_BONE", 'nearest is "hand.L"'),
    ('chain = [{end_bone = "fore.L", subtarget = "chst"}]', "NO_BONE", 'nearest is "chest"'),
    ('chain = [{end_bone = "fore.L", target = "ik.l"}]', "NO_OBJECT", 'nearest is "IK.L"'),
    ('chain = [{end_bone = "fore.L", target = "IK.?"}]', "NO_OBJECT", 'nearest is "IK.'),
    ('chain = [{end_bone = "fore.?", target = "IK.? ?"}]', "WILDCARDS", "end_bone"),
    ('chain = [{end_bone = "fore.?", name = "arm"}]', "SAME_NAME", "name"),
    ('chain = [{end_bone = "fore.L", create_targets = 1}]', "WRONG_TYPE", "true or false"),
    (
        'chain = [{end_bone = "fore.?", create_targets = true, use_bend_limits = true, bend_min = 1, bend_max = 0}]',
        "CROSSED_LIMITS",
        "minimum",
    ),
    ('chain = [{end_bone = "fore.L"}, {end_bone = "fore.R", target = "IK"}]', "NO_OBJECT", "Chain 2"),
]


@pytest.mark.parametrize(("text", "kind", "words"), WRONG, ids=[text for text, _, _ in WRONG])
def test_a_setup_that_does_not_fit_changes_nothing(rig: Object, apply: Apply, text: str, kind: str, words: str) -> None:
    api.add_chain(rig, "fore.L", softness=0.5)
    with refused(kind) as found:
        apply(text)
    sentence = str(found.value)
    assert "rig.toml" in sentence or kind in {"NOT_A_CHAIN", "NO_PARENT", "CROSSED_LIMITS"}
    assert words in sentence
    assert "\n" not in sentence


def test_no_missing_file_is_read_and_none_saved_without_bones(tmp_path: Path, rig: Object) -> None:
    with pytest.raises(api.Refused, match=r"missing\.toml"):
        api.load_setup(tmp_path / "missing.toml")
    rig.two_bone_ik_chains.add()
    with pytest.raises(api.Refused, match="end bone"):
        api.save_setup(rig, tmp_path / "rig.toml")
    assert not list(tmp_path.iterdir())


PATTERN = st.text("ab*?\n", max_size=7)
"""Short enough for the regular expression to try all its ways."""


@given(PATTERN, st.text("ab\n*", max_size=9))
@pytest.mark.once
def test_wildcards_stand_for_what_a_regular_expression_finds(pattern: str, name: str) -> None:
    parts = ({"*": "(.*)", "?": "(.)"}.get(char, re.escape(char)) for char in pattern)
    found = re.fullmatch("".join(parts), name, re.DOTALL)
    assert wildcard_texts(pattern, name) == (list(found.groups()) if found else None)


@pytest.mark.once
def test_many_wildcards_take_no_time() -> None:
    name = "a" * 60
    rig = armature([Bone("root", (0, 0, 0), (0, 0, 1)), Bone(name, (0, 0, 1), (0, 0, 2), "root")])
    fitting = api.Setup(path=Path("rig.toml"), chains=({"end_bone": "*a" * 20 + "*", "name": "limb"},))
    assert api.apply_setup(rig, fitting) == ["limb"]
    with pytest.raises(api.Refused, match="no such bone"):
        api.apply_setup(rig, api.Setup(path=Path("rig.toml"), chains=({"end_bone": "*a" * 20 + "*b"},)))

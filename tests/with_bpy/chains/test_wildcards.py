"""Wildcards in a setup file: they fit as they always did, and however many there are, it takes no time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.rigs.wildcards import wildcard_texts
from hypothesis import given
from hypothesis import strategies as st

from support.rigs import Bone, armature

pytestmark = pytest.mark.once

PATTERN = st.text("ab*?\n", max_size=7)
"""Short enough for the regular expression to try all its ways."""


@given(PATTERN, st.text("ab\n*", max_size=9))
def test_wildcards_stand_for_what_a_regular_expression_finds(pattern: str, name: str) -> None:
    parts = ({"*": "(.*)", "?": "(.)"}.get(char, re.escape(char)) for char in pattern)
    found = re.fullmatch("".join(parts), name, re.DOTALL)
    assert wildcard_texts(pattern, name) == (list(found.groups()) if found else None)


def test_many_wildcards_take_no_time() -> None:
    name = "a" * 60
    rig = armature([Bone("root", (0, 0, 0), (0, 0, 1)), Bone(name, (0, 0, 1), (0, 0, 2), "root")])
    fitting = api.Setup(path=Path("rig.toml"), chains=({"end_bone": "*a" * 20 + "*", "name": "limb"},))
    assert api.apply_setup(rig, fitting) == ["limb"]
    with pytest.raises(api.Refused, match="no such bone"):
        api.apply_setup(rig, api.Setup(path=Path("rig.toml"), chains=({"end_bone": "*a" * 20 + "*b"},)))

"""The examples in the docstrings of `api` do what they say, each in a file of its own."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.rigs import Bone, animate, armature, empty

ARMS = (
    Bone("chest", (0, 0, 0), (0, 0, 1)),
    Bone("upper_arm.L", (0, 0, 1), (1, 0.2, 1), "chest"),
    Bone("forearm.L", (1, 0.2, 1), (1.8, 0, 1), "upper_arm.L"),
    Bone("upper_arm.R", (0, 0, 1), (-1, 0.2, 1), "chest"),
    Bone("forearm.R", (-1, 0.2, 1), (-1.8, 0, 1), "upper_arm.R"),
)
FUNCTIONS = {f"api.{name}": function for name, function in vars(api).items() if inspect.isfunction(function)}
EXAMPLES = [
    found
    for name, owner in {"api": api, **FUNCTIONS}.items()
    for found in doctest.DocTestFinder(exclude_empty=True).find(owner, name)
    if found.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda found: found.name)
def test_an_example_does_what_it_says(example: doctest.DocTest, tmp_path: Path) -> None:
    rig, hand = armature(ARMS, "Hero"), empty("Hand")
    animate(hand, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    api.add_chain(rig, "forearm.L", target=hand)
    example.globs = {"api": api, "rig": rig, "hand": hand, "scene": bpy.context.scene, "path": tmp_path / "hero.toml"}
    said: list[str] = []
    # Unless told, it is verbose where pytest is.
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)


def test_every_function_has_an_example() -> None:
    assert set(FUNCTIONS) <= {example.name for example in EXAMPLES}

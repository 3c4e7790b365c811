"""Random scenes: each kind comes up, a seed gives the same one again, and what fails is made small."""

from __future__ import annotations

from collections import Counter

import pytest
from fuzz.kinds import RARITY
from fuzz.scenes import draw
from fuzz.shrink import smallest


@pytest.fixture(scope="module")
def scenes() -> list[dict]:
    return [draw(seed) for seed in range(4000)]


def test_every_kind_of_scene_comes_up(scenes: list[dict]) -> None:
    drawn = Counter(kind for scene in scenes for kind in scene["kinds"])
    # Kinds that ask for something of their own leave each other out; those that take long come up rarely.
    wanted = {kind: min(0.01, rarity / 2.0) * len(scenes) for kind, rarity in RARITY.items()}
    assert {kind: drawn[kind] for kind in wanted if drawn[kind] < wanted[kind]} == {}


def test_a_scene_poses_only_bones_that_it_has(scenes: list[dict]) -> None:
    for scene in scenes:
        ropes = {f"rope {index}" for index in range(scene.get("rope", 0))}
        assert scene["poses"].keys() <= scene["bones"].keys() | ropes, scene["seed"]


def test_bones_come_after_their_parents(scenes: list[dict]) -> None:
    for scene in scenes:
        names = list(scene["bones"])
        parents = {name: bone["parent"] for name, bone in scene["bones"].items() if "parent" in bone}
        assert all(names.index(parent) < names.index(name) for name, parent in parents.items()), scene["seed"]


def test_a_seed_gives_the_same_scene_again() -> None:
    assert [draw(seed) for seed in range(50)] == [draw(seed) for seed in range(50)]


def test_a_failing_scene_shrinks_to_what_makes_it_fail() -> None:
    scene = next(scene for scene in map(draw, range(1000)) if fails(scene) and len(scene["bones"]) > 4)
    small = smallest(scene, fails)
    assert list(small["bones"]) == ["lower"]
    softness = round(scene["chains"][0]["fields"]["softness"], 1)
    assert small["chains"] == [{"target": "Target", "fields": {"softness": softness}}]
    assert not small["poses"]


def fails(scene: dict) -> bool:
    """A fault that hangs on one bone and on one option."""
    return "lower" in scene["bones"] and any("softness" in chain.get("fields", {}) for chain in scene["chains"])

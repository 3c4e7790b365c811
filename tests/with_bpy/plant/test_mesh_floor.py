"""A mesh to stand on: its height counts where a foot lands, and feet beside it are free, or refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.footsteps import CLEARANCE, Capture
from support.refused import refused
from support.takes import disturbed, walk
from support.walker import captured, ground, shown, strip, walker

TAKE, COUNT = captured("walk", 2.0), 61
WIDE, DEEP = 0.1, 0.06


def test_the_height_counts_where_the_foot_lands() -> None:
    """Steps of 60 mm, so near each other that captured feet slide over their edges while they stand."""
    take = disturbed(walk(30.0, seconds=2.0), 0.0005, seed=4, skate=0.03)
    rig = walker(take)
    floor = ground(*(strip(WIDE * row, WIDE * (row + 1), (-DEEP * (row % 2),) * 2) for row in range(-20, 60)))
    api.plant(rig, floor=floor, contacts=known_contacts(rig, take))
    points = shown(rig, COUNT).points
    row = points[..., 1] / WIDE
    heights = points[..., 2] - CLEARANCE + DEEP * (np.floor(row) % 2)
    heights = np.where(take.touches & (np.abs(row - np.round(row)) > 0.02), heights, np.inf).min(axis=-1)
    heights = heights[np.isfinite(heights)]
    assert np.mean((heights > -0.001) & (heights < 0.002)) > 0.97


def known_contacts(rig: Object, take: Capture) -> tuple[api.Contact, ...]:
    found = []
    for foot, side in enumerate("LR"):
        middle = (0.0, rig.data.bones[f"heel.{side}"].length / 2, 0.0)
        for point, place in enumerate(((f"toe.{side}", (0.0, 0.0, 0.0)), (f"heel.{side}", middle))):
            edges = np.diff(np.concatenate(([False], take.touches[:, foot, point], [False])).astype(int))
            spans = zip(np.flatnonzero(edges == 1) + 1.0, np.flatnonzero(edges == -1), strict=True)
            found += [api.Contact(f"Leg.{side}", start, float(end), *place) for start, end in spans]
    return tuple(found)


@pytest.mark.parametrize("until", [0.9, 1.6])
def test_feet_beside_the_mesh_are_free_and_told(until: float) -> None:
    rig = walker(TAKE)
    before = shown(rig, COUNT)
    report = api.plant(rig, floor=ground(strip(-5.0, until)))
    after = shown(rig, COUNT)
    outside = (before.points[..., 1] > until + 0.05).all(axis=-1)
    moved = np.abs((after.ankles - before.ankles)[..., 2])
    assert outside.any()
    assert moved[outside].max() < 0.03
    assert any('"Ground" is not below' in alert for alert in report.as_dict()["alerts"])
    on_mesh = TAKE.touches[:COUNT] & (before.points[..., 1] < until - 0.05)
    heights = np.where(on_mesh, after.points[..., 2] - CLEARANCE, np.inf).min(axis=-1)
    heights = heights[np.isfinite(heights)]
    assert np.mean((heights > -0.001) & (heights < 0.002)) > 0.9


def test_feet_that_are_to_stand_beside_the_mesh_are_refused() -> None:
    rig = walker(TAKE)
    contacts = api.contacts(rig)
    floor = ground(strip(-5.0, 0.9))
    with refused("FLOOR_PARTLY", '"Ground"'):
        api.plant(rig, floor=floor, contacts=contacts)


def test_ground_that_moves_is_an_alert() -> None:
    report = api.plant(walker(captured("treadmill")))
    assert any("treadmill" in alert for alert in report.as_dict()["alerts"])


def test_who_walks_on_something_that_carries_him_is_told() -> None:
    take = disturbed(walk(30.0, seconds=4.0), 0.001, seed=1)
    way = np.arange(len(take.hips))[:, None, None] / take.rate * np.array((1.2, 0.0, 0.0))
    report = api.plant(
        walker(replace(take, **{name: getattr(take, name) + way for name in ("hips", "knees", "ankles")}))
    )
    assert any("something carried them" in alert for alert in report.as_dict()["alerts"])
    assert not any("hips go down" in note for note in report.notes)

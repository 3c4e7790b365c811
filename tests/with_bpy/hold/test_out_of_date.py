"""Holds whose thing has moved since: each way to bake says so, in the words of Check."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake import report
from bl_ext.user_default.two_bone_ik.blender.hold import leaders
from bpy.types import Object

from support import file_data
from support.command import run
from support.held import DRIFT, drift, raise_keys, scene, world
from support.refused import refused
from support.rigs import animate

RANGE = (1, 60)
HELD = range(20, 41)


def grips() -> np.ndarray:
    """(n, 3) where the target is on each frame of the hold, as seen from the cup."""
    return np.array([(np.linalg.inv(world("Cup", frame)) @ world("Target", frame))[:3, 3] for frame in HELD])


def stale() -> tuple[Object, str]:
    """A rig whose target is held to a cup that has moved since, and what has to be said of it."""
    rig, _, cup = scene()
    api.hold(rig, frames=(HELD[0], HELD[-1]), space=cup)
    before = grips()
    raise_keys(cup, 0.1)
    off = np.linalg.norm(grips() - before, axis=-1).max()
    return rig, f'Chain "lower": hold 20-40 Cup is out of date, by up to {off * 1000:.0f} mm: press Update Holds'


def by_api(rig: Object) -> tuple[str, ...]:
    return api.bake(rig, frames=RANGE).notes


def by_api_for_many(rig: Object) -> tuple[str, ...]:
    [one] = api.bake([rig], frames=RANGE)
    return one.notes


def by_playing(rig: Object) -> tuple[str, ...]:
    return api.bake(rig, frames=RANGE, sampling="SCENE").notes


def by_operator(rig: Object) -> tuple[str, ...]:
    assert bpy.ops.two_bone_ik.bake(frame_start=RANGE[0], frame_end=RANGE[1]) == {"FINISHED"}
    assert report.last(rig).to_know == 1
    return tuple(report.last(rig).notes)


def of_built(rig: Object) -> tuple[str, ...]:
    api.build(rig)
    return api.bake(rig, frames=RANGE).notes


def with_few_keys(rig: Object) -> tuple[str, ...]:
    return api.bake(rig, frames=RANGE, keys="REDUCED").notes


def by_command_line(rig: Object) -> tuple[str, ...]:
    folder = Path(bpy.app.tempdir)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "held.blend"))
    to = "--output", folder / "baked.blend", "--report", folder / "report.json"
    assert run("bake", folder / "held.blend", "--frames", "1:60", *to) == 0
    [one] = json.loads((folder / "report.json").read_text())["reports"]
    return tuple(one["notes"])


WAYS = [by_api, by_api_for_many, by_playing, by_operator, of_built, with_few_keys, by_command_line]


@pytest.mark.parametrize("bake", WAYS, ids=lambda way: way.__name__)
def test_each_way_to_bake_tells_a_hold_out_of_date(bake: Callable[[Object], tuple[str, ...]]) -> None:
    rig, wanted = stale()
    assert api.check(rig, frames=RANGE).notes == (wanted,)
    assert bake(rig) == (wanted,)


def test_a_bake_with_holds_that_is_given_up_leaves_no_trace() -> None:
    rig, _ = stale()
    before = file_data.dump()
    with closing(api.bake.request(rig, frames=RANGE, sampling="ISOLATED")) as request:
        assert [*request.prepare()]
    assert not file_data.changed(before)


def test_a_hold_that_is_updated_is_told_no_more() -> None:
    rig, _ = stale()
    api.update_holds(rig)
    assert drift(HELD[0], HELD[-1], "Cup") < DRIFT
    assert not api.bake(rig, frames=RANGE).notes


def test_a_lost_hold_is_told_by_a_bake() -> None:
    rig, _ = stale()
    bpy.data.objects.remove(bpy.data.objects["Cup"])
    assert api.bake(rig, frames=RANGE).notes == api.check(rig, frames=RANGE).notes
    assert "20-40 Cup" in api.bake(rig, frames=RANGE).notes[0]


def test_a_hold_is_not_out_of_date_between_its_keys() -> None:
    """The cup is shaken: from key to key the target follows it to some 2 mm, and on its keys exactly."""
    rig, _, cup = scene()
    for frame in range(1, 61):
        shake = 0.2 * (-1) ** frame
        animate(cup, location={frame: np.array((1.1, 0.5, 1.2)) + shake}, rotation_euler={frame: (shake, 0, 0)})
    api.hold(rig, frames=(HELD[0], HELD[-1]), space=cup)
    for options in ({"frames": (1, 60, 0.25), "measure": "ALL"}, {"frames": RANGE, "keys": "REDUCED"}):
        assert not api.bake(rig, **options).notes
    assert not api.check(rig, frames=(1, 60, 0.25)).notes


def test_a_cup_that_is_nowhere_refuses_no_bake() -> None:
    """The target has keys of its own; only Check needs the cup."""
    rig, _ = stale()
    cup = bpy.data.objects["Cup"]
    cup.animation_data_clear()
    cup.location.x = float("nan")
    with refused(match='"Cup" is nowhere'):
        api.check(rig, frames=RANGE)
    assert not api.bake(rig, frames=RANGE).notes


def test_a_bake_of_another_action_does_not_count_a_hold() -> None:
    rig, wanted = stale()
    api.bake(rig, frames=RANGE)
    for item, name in ((rig, ""), (bpy.data.objects["Target"], "_Target")):
        other = item.animation_data.action.copy()
        item.animation_data.action.name, other.name, other.use_fake_user = f"Walk{name}", f"Run{name}", True
        other.pop("two_bone_ik_held", None)
    reports = api.bake(rig, frames=RANGE, actions="*")
    assert {one.action: wanted in one.notes for one in reports} == {"Walk": True, "Run": False}


def test_a_bake_without_holds_samples_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there for holds reads all limbs of the scene, and samples."""
    monkeypatch.setattr(leaders, "limbs", lambda _scene: pytest.fail("looked for limbs"))
    rig, _, _ = scene()
    assert not api.bake(rig, frames=RANGE).notes

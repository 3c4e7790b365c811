"""What Check says of limbs that are built into the rig: what they show, by their properties."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support import file_data, rigs
from support.built import CLOSE, FRAMES, carried, scatter
from support.truth import Limb, on_frame

WAYS = ["AUTO", "ISOLATED", "SCENE"]


def _built(reach: float = 1.75, **options: object) -> Object:
    rigs.arm(pole=(0.3, 3.0, 1.4), **options)
    rig = bpy.data.objects["Rig"]
    scatter(bpy.data.objects["Target"], seed=1, reach=reach)
    carried(rig, 0.6)
    api.build(rig)
    return rig


@pytest.mark.parametrize("sampling", WAYS)
def test_check_says_of_a_built_limb_what_shows(sampling: str) -> None:
    rig = _built(tip_bone="hand", use_rotation=True)
    on_frame(1)
    before = file_data.dump()
    report = api.check(rig, sampling=sampling)
    assert file_data.changed(before) <= {"objects[Rig].report"}
    assert report.notes == ()
    assert report.posed
    assert report.chains[0].measured.all()
    assert Limb(pole="Pole").misses(FRAMES).max() < CLOSE


def test_check_names_others_on_top_of_a_built_limb() -> None:
    rig = _built()
    rig.pose.bones["lower"].constraints.new("COPY_SCALE").target = bpy.data.objects["Pole"]
    assert api.check(rig).notes == ('Constraint "Copy Scale" of bone "lower" acts on top of the keys',)


def _wrong_path(rig: Object) -> None:
    driver = rig.animation_data.drivers.find('pose.bones["IK-upper-upper"].rotation_axis_angle', index=0).driver
    driver.variables["t"].targets[0].data_path = 'pose.bones["gone"]["Hinge"]'


def _lost_switch(rig: Object) -> None:
    del rig.pose.bones["lower"]["IK"]
    rig.update_tag()
    on_frame(1)
    for name in ("upper", "lower"):
        rig.pose.bones[name].constraints[0].influence = 0.0


@pytest.mark.parametrize(
    ("broken", "sampling"), [*((_wrong_path, sampling) for sampling in WAYS), (_lost_switch, "AUTO")]
)
def test_check_measures_how_far_a_broken_limb_is_off(broken: Callable[[Object], None], sampling: str) -> None:
    rig = _built()
    right = Limb().played(FRAMES)
    broken(rig)
    off = np.linalg.norm(Limb().played(FRAMES) - right, axis=-1)
    report = api.check(rig, sampling=sampling)
    assert not report.posed
    assert off.max() > 0.1
    np.testing.assert_allclose(report.chains[0].off, off.max(axis=-1), atol=CLOSE)
    assert "not posed so" in report.lines()[0]


KEYED = [
    ("IK", {1: 1.0, 20: 1.0, 30: 0.3, 40: 0.0}, {}),
    ("IK", {1: 0.0, 40: 0.0}, {}),
    ("IK", {1: -0.4, 20: 1.3, 40: 0.5}, {}),
    ("Softness", {1: 0.0, 40: 0.4}, {"softness": 0.2}),
    ("Stretch", {1: 1.0, 40: 1.6}, {"unreachable": "STRETCH", "max_stretch": 1.2}),
    ("Pole Angle", {1: -2.0, 40: 2.0}, {"pole_angle": 0.3}),
]


@pytest.mark.parametrize(("name", "values", "options"), KEYED, ids=str)
def test_check_goes_by_the_properties_of_a_built_limb(name: str, values: dict, options: dict) -> None:
    rigs.arm(pole=(0.3, 3.0, 1.4), **options)
    rig = bpy.data.objects["Rig"]
    rig.data.bones["lower"].inherit_scale = "ALIGNED"
    scatter(bpy.data.objects["Target"], seed=1, reach=2.5 if "Stretch" in name else 1.75)
    carried(rig, 0.6)
    api.build(rig)
    bone = rig.pose.bones["lower"]
    for frame, value in values.items():
        bone[name] = value
        bone.keyframe_insert(f'["{name}"]', frame=frame)
    report = api.check(rig)
    assert report.posed, report.lines()
    np.testing.assert_allclose(report.chains[0].miss, Limb().offs(FRAMES), atol=CLOSE)


def test_check_tells_nothing_of_properties_that_a_driver_sets() -> None:
    rig = _built()
    curve = rig.pose.bones["lower"].driver_add('["IK"]')
    curve.driver.expression = "frame / 40"
    report = api.check(rig)
    assert report.posed
    assert not report.chains[0].measured.any()

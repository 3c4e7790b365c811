"""Options that look at all frames of a range: a bake of a part of a keyed motion tells that it may jump there."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import PropertyGroup

from support.rigs import animate, arm
from support.truth import Limb

ALL = range(1, 31)
PART = (15, 24)


def passing_arm(middle: float = 1.2, **fields: object) -> PropertyGroup:
    """Its hand swings overhead past the pole, six degrees a frame; `middle`, how far the target is off there."""
    chain = arm(pole=(0.0, 0.02, 3.0), **fields)
    angles = {frame: radians(6.0 * (frame - 15.5)) for frame in ALL}
    far = {frame: middle if frame in range(10, 21) else 1.2 for frame in ALL}
    way = {frame: (far[frame] * sin(a), 0.02 * sin(2 * a), 1 + far[frame] * cos(a)) for frame, a in angles.items()}
    animate(chain.target, location=way)
    return chain


def told(report: api.Report) -> bool:
    return any("keys outside" in note for note in report.notes)


@pytest.mark.parametrize("fields", [{"pole_smoothing": 1.0}, {"unreachable": "HOLD", "middle": 3.0}], ids=str)
def test_a_part_that_jumps_at_its_border_is_told(fields: dict[str, object]) -> None:
    rig = passing_arm(**fields).id_data
    whole = api.bake(rig, frames=(ALL[0], ALL[-1]))
    assert not told(whole)
    before = Limb().played(ALL)[:, 1]
    for request in (api.check, api.bake):
        assert told(request(rig, frames=PART))
    # What goes on outside as before jumps by as much as the elbow is elsewhere on the first frame inside.
    off = np.linalg.norm(Limb().played(ALL)[:, 1] - before, axis=-1)
    assert off[PART[0] - 2] < 1e-5
    assert off[PART[0] - 1] > 0.1


@pytest.mark.parametrize("fields", [{}, {"pole_smoothing": 1.0, "pole_target": None}], ids=str)
def test_a_part_is_as_in_the_whole_without_these_options(fields: dict[str, object]) -> None:
    chain = passing_arm()
    for name, value in fields.items():
        setattr(chain, name, value)
    api.bake(chain.id_data, frames=(ALL[0], ALL[-1]))
    before = Limb().played(ALL)
    assert not told(api.bake(chain.id_data, frames=PART))
    np.testing.assert_allclose(Limb().played(ALL), before, atol=1e-5)  # single precision, of a limb of 2 m


def test_a_part_alone_is_not_told() -> None:
    chain = passing_arm(unreachable="HOLD", pole_smoothing=1.0)
    for _ in range(2):
        assert not told(api.bake(chain.id_data, frames=(*PART, 1 / 3)))

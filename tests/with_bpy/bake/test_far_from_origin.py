"""A target at exactly full reach counts as reached, however far from the origin the character stands."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.rigs import arm

COUNT = 300


def report_at(place: tuple[float, float, float], scale: float, beyond: float) -> api.ChainReport:
    """Of targets in random directions, `beyond` farther than full reach of an arm that stands at `place`."""
    chain = arm()
    rig, target = chain.id_data, chain.target
    rig.location, rig.scale = place, (scale,) * 3
    bpy.context.view_layer.update()
    bones = rig.data.bones
    root = np.array(rig.matrix_world @ bones["upper"].head_local)
    length = scale * sum(float((bones[n].tail_local - bones[n].head_local).length) for n in ("upper", "lower"))
    directions = np.random.default_rng(14).normal(size=(COUNT, 3))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    places = root + directions * (length + beyond)
    for frame, location in enumerate(places, 1):
        target.location = location
        target.keyframe_insert("location", frame=frame)
    (found,) = api.check(rig, frames=(1, COUNT)).chains
    return found


@pytest.mark.parametrize("scale", [1.0, 0.02])
@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (1000.0, 0.0, 0.0), (-700.0, 800.0, 300.0)])
def test_full_reach_is_reached_wherever_the_rig_stands(place: tuple[float, float, float], scale: float) -> None:
    found = report_at(place, scale, 0.0)
    assert np.count_nonzero(found.status) == 0
    assert found.miss.max() <= 4 * np.spacing(np.float32(max(1.0, *map(abs, place))))  # as exact as places are held


# At the origin a hundred thousandth of a reach of 2 m; 1 km away single precision has steps of 0.06 mm.
@pytest.mark.parametrize(("place", "beyond"), [((0.0, 0.0, 0.0), 2e-5), ((1000.0, 0.0, 0.0), 1e-3)])
def test_what_rounding_does_not_explain_is_out_of_reach(place: tuple[float, float, float], beyond: float) -> None:
    found = report_at(place, 1.0, beyond)
    assert (found.status == 1).all()
    np.testing.assert_allclose(found.miss, beyond, atol=0.3 * beyond)

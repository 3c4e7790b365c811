"""What a bake of a long range holds in memory while keys are reduced, by NumPy's own account of its arrays."""

from __future__ import annotations

import tracemalloc

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object

from support.rigs import animate, arm

NUMBER = 8
"""Bytes."""


@pytest.fixture
def rig() -> Object:
    chain = arm(pole=(0.5, 2.0, 1.0))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 2000: (0.5, -0.8, 1.5)})
    animate(bpy.data.objects["Pole"], location={1: (0.5, 2.0, 1.0), 2000: (0.8, 2.0, 1.0)})
    return chain.id_data


def held(rig: Object, last: int) -> int:
    """Bytes once the search for keys begins."""
    request = api.bake.request(rig, frames=(1, last), keys="REDUCED")
    tracemalloc.start()
    try:
        next(done for done in request.prepare() if done >= 0.5)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        request.close()


def test_while_keys_are_reduced_it_holds_values_and_little_else(rig: Object) -> None:
    """Of a frame that is asked for, it solves four: with places of target and pole that would be over 350 numbers."""
    held(rig, 10)  # what is read once for all bakes
    of_a_frame = (held(rig, 2000) - held(rig, 1000)) / 1000
    # On four frames their time and place, and two quaternions, once more for the search; on one the solution.
    assert of_a_frame < NUMBER * (4 * (2 + 2 * 8) + 70)

"""Ropes: what carries a chain may be as deep as Blender lets it."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.rigs import Bone, animate, armature, chain, empty
from support.truth import Limb

DEEP = 1500
"""More than Python would let a function call itself."""


@pytest.mark.parametrize("way", ["CURVES", "ISOLATED"])
def test_a_chain_at_the_end_of_a_rope_reaches(way: str) -> None:
    rope = [
        Bone(f"rope {index}", (0, 0, index / DEEP), (0, 0, (index + 1) / DEEP), f"rope {index - 1}")
        for index in range(DEEP)
    ]
    limb = (
        Bone("upper", (0, 0, 1), (1, 0.2, 1), rope[-1].name),
        Bone("lower", (1, 0.2, 1), (1.8, 0, 1.1), "upper"),
    )
    link = chain(armature((*rope, *limb)), "lower", target=(1.2, 0.6, 1.3), pole=(1, 3, 1))
    animate(link.id_data.pose.bones["rope 0"], rotation_quaternion={1: (1, 0, 0, 0), 4: (1, 0.1, 0, 0.1)})
    api.bake(link.id_data, frames=(1, 4), sampling=way)
    # The products of so many float32 matrices add up.
    assert Limb(pole="Pole").misses(range(1, 5)).max() < 1e-3


def test_a_target_at_the_end_of_a_rope_of_objects_is_followed() -> None:
    link = chain(armature(), "lower", target=(1.2, 0.6, 1.3), pole=(1, 3, 1))
    above = None
    for index in range(DEEP):
        item = empty(f"Link {index}")
        item.parent, above = above, item
    link.target.parent = above
    animate(bpy.data.objects["Link 0"], location={1: (0, 0, 0), 4: (-0.3, 0.1, 0.2)})
    api.bake(link.id_data, frames=(1, 4), sampling="CURVES")
    assert Limb(pole="Pole").misses(range(1, 5)).max() < 1e-5

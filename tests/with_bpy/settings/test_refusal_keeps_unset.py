"""A refusal leaves a chain's settings as they were, also that nobody has chosen them."""

from __future__ import annotations

import pytest
from bl_ext.user_default.two_bone_ik import api

from support import rigs

pytestmark = pytest.mark.versions


def test_settings_still_fit_the_work_after_a_refusal() -> None:
    rig = rigs.armature()
    rigs.animate(rig.pose.bones["upper"], rotation_quaternion={1: (1, 0, 0, 0), 8: (0.9, 0.1, 0.3, 0.2)})
    chain = api.add_chain(rig, "lower", tip_bone="hand", softness=0.25)
    chosen = {name for name in chain.bl_rna.properties.keys() if chain.is_property_set(name)}
    with pytest.raises(api.Refused):
        api.ensure_chain(rig, "lower", softness=0.5, bend_max=1.0, bend="SIDEWAYS")
    assert {name for name in chain.bl_rna.properties.keys() if chain.is_property_set(name)} == chosen
    assert chain.softness == 0.25
    api.create_targets(rig)
    assert (chain.use_rotation, chain.reference) == (True, "POSE")

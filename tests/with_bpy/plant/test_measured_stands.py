"""Which frames of many are measured after planting: those on which feet stand, since nothing else can slide."""

from __future__ import annotations

import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.walker import captured, walker


def test_few_frames_on_which_feet_stand_are_all_measured() -> None:
    rig = walker(captured("walk", 20.0))
    found = [[each for each in api.contacts(rig) if each.chain == name][6:10] for name in ("Leg.L", "Leg.R")]
    standing = np.unique([frame for both in found for each in both for frame in np.arange(each.start, each.end + 1)])
    measured, every = (
        api.plant(rig, contacts=[each for both in found for each in both], measure=measure).feet
        for measure in ("AUTO", "ALL")
    )
    for some, all_of_them in zip(measured, every, strict=True):
        print(some.text(), all_of_them.text(), len(standing), sep="\n")
        assert len(standing) <= some.measured < some.total
        assert some.after == pytest.approx(all_of_them.after, abs=1e-9)

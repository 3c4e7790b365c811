"""What the user is told of the ground on which feet were planted."""

from __future__ import annotations

from bl_ext.user_default.two_bone_ik import api

from support.walker import captured, walker


def test_ground_that_moves_is_an_alert() -> None:
    report = api.plant(walker(captured("treadmill")))
    assert any("treadmill" in alert for alert in report.as_dict()["alerts"])

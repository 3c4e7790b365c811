"""Keys pressed while a limb is pulled, and what they leave when they are refused."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik.operators.live import TWO_BONE_IK_OT_drag, keys_drawn

from support import file_data, live
from support.rigs import arm, armature


def pressed(
    monkeypatch: pytest.MonkeyPatch, *keys: str, pulled: float = 0.0, **arguments: object
) -> tuple[object, bool]:
    """How a drag that the mouse has pulled so far along x ended with the last key, and whether F9 would flip."""
    ended: list[tuple[object, bool]] = []

    def run(self: bpy.types.Operator, context: bpy.types.Context, rig: bpy.types.Object) -> None:
        self._begin(context, rig)
        self._typed, self._axis, self._free = "", None, (pulled, 0.0, 0.0)
        for key in keys:
            event = SimpleNamespace(type=key, value="PRESS", ctrl=False, shift=False)
            ended[:] = [(self.modal(context, event), self.flip)]

    monkeypatch.setattr(TWO_BONE_IK_OT_drag, "run", run)
    bpy.ops.two_bone_ik.drag(**arguments)
    return ended[0]


@pytest.mark.parametrize("key", ["F", "WHEELUPMOUSE", "WHEELDOWNMOUSE"])
def test_nothing_flips_a_limb_pulled_by_its_elbow(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    arm()
    assert pressed(monkeypatch, key, "RET", pull="POLE") == ({"FINISHED"}, False)
    assert pressed(monkeypatch, key, "RET", pull="TIP") == ({"FINISHED"}, True)


@pytest.mark.parametrize(("pull", "offered"), [("TIP", True), ("POLE", False)])
def test_the_status_bar_offers_flip_where_it_flips(pull: str, offered: bool) -> None:
    words: list[str] = []
    row = SimpleNamespace(label=lambda icon="", text="": words.append(text))
    header = SimpleNamespace(layout=SimpleNamespace(row=lambda align: row))
    keys_drawn(pull)(header, bpy.context)
    assert ("Flip Bend" in words) is offered


def test_a_drag_that_is_refused_ends_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    live.live_arm()
    before = file_data.dump()
    with pytest.raises(RuntimeError, match="cannot be pulled to") as refused:
        pressed(monkeypatch, "W", pulled=float("nan"))
    assert "Traceback" not in str(refused.value)
    assert not file_data.changed(before)
    live.move_target((1.1, 0.4, 1.4))
    assert np.abs(live.tip() - (1.1, 0.4, 1.4)).max() < live.CLOSE


def test_an_armature_that_the_scene_lacks_is_not_pulled() -> None:
    arm()
    bpy.context.scene.collection.objects.unlink(armature(name="Elsewhere"))
    bpy.context.view_layer.objects.active = bpy.data.objects["Rig"]
    before = file_data.dump()
    for name in ("Elsewhere", "Nobody"):
        with pytest.raises(RuntimeError, match=f'"{name}"'):
            bpy.ops.two_bone_ik.drag(armature=name, offset=(-0.1, 0.05, 0.1))
    assert not file_data.changed(before)

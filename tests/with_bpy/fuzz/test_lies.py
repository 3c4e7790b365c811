"""What random acts are judged by sees an act that did something else than it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import Object
from fuzz import state
from fuzz.scenes import draw
from fuzz.trial import trial


def shift(item: Object, part: str, by: float = 0.3) -> None:
    """Move the keys of all curves whose path has this part."""
    for curve in state.curves(item.animation_data.action) if item.animation_data else ():
        for key in curve.keyframe_points if part in curve.data_path else ():
            key.co_ui[1] += by * (1 + curve.array_index)
        curve.update()


def target_shifted(rig: Object) -> None:
    shift(rig.two_bone_ik_chains[0].target, "location")


def target_moved(rig: Object) -> None:
    rig.two_bone_ik_chains[0].target.location.x += 0.3


def bones_shifted(rig: Object) -> None:
    for item in rig if isinstance(rig, list) else [rig]:
        shift(item, '"lower"].rotation')


def key_moved_outside(rig: Object) -> None:
    target = rig.two_bone_ik_chains[0].target
    for curve in state.curves(target.animation_data.action):
        curve.keyframe_points[-1].co_ui[1] += 0.1


def live_off(rig: Object) -> None:
    rig.two_bone_ik_live = False


def bent_otherwise(rig: Object) -> None:
    rig.two_bone_ik_chains[1].pole_angle += 1.0


def controls_shifted(rig: Object) -> None:
    shift(rig, "_fk.L")
    shift(rig, "_ik.L")


def pole_moved(_rig: Object) -> None:
    bpy.data.objects["Pole"].delta_location.x += 0.3


def hips_shifted(rig: Object) -> None:
    for curve in state.curves(rig.animation_data.action):
        for number, key in enumerate(curve.keyframe_points if '"hips"].location' in curve.data_path else ()):
            key.co_ui[1] += 0.01 * (number % 2)


def hand_turned(rig: Object) -> None:
    for curve in state.curves(rig.animation_data.action):
        for key in curve.keyframe_points if '"hand"].rotation' in curve.data_path else ():
            key.co_ui[1] += 0.1


def twist_lost(rig: Object) -> None:
    for curve in state.curves(rig.animation_data.action):
        for key in curve.keyframe_points if " turn " in curve.data_path else ():
            key.co_ui[1] *= 0.5


LIES: list[tuple[str, str, Callable[..., None], str]] = [
    ("23 keyed_options", "bake", bones_shifted, "silent miss"),
    ("24 degenerate_scales", "bake", bones_shifted, "silent miss"),
    ("25 reduced", "bake", bones_shifted, "silent miss"),
    ("26 hold", "hold", target_shifted, "hold changes frames outside"),
    ("26 hold", "hold", key_moved_outside, "hold"),
    ("26 hold", "remove_hold", target_shifted, "remove changes frames outside"),
    ("27 create", "create_targets", target_moved, "creat"),
    ("28 pin", "pin", live_off, "pin without Live"),
    ("28 pin", "pin", target_moved, "pin moves the pose"),
    ("30 crowd", "bake", bones_shifted, "silent miss"),
    ("31 mirror", "mirror_settings", bent_otherwise, "no mirror image"),
    ("32 switch", "switch", controls_shifted, "switch to"),
    ("33 plant", "plant", hips_shifted, "silent slide"),
    ("36 pole_pin", "bake", pole_moved, "silent distance from the pole"),
    ("37 hock", "bake", hand_turned, "third bone turned"),
    ("38 twist", "bake", twist_lost, "twist not spread"),
]


@pytest.mark.parametrize(("kind", "function", "lie", "fault"), LIES)
def test_an_act_that_does_something_else_is_found(
    kind: str, function: str, lie: Callable[..., None], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = getattr(api, function)

    def lying(rig: Object, *args: object, **named: object) -> object:
        report = true(rig, *args, **named)
        lie(rig)
        return report

    monkeypatch.setattr(api, function, lying)
    assert_found(fault, kind, seeds=range(1, 4 if "switch" in kind else 13))


def assert_found(fault: str, kind: str, seeds: Iterable[int]) -> None:
    """In one of these scenes; those after it are not played."""
    found: list[str] = []
    for seed in seeds:
        found += trial(draw(seed, [kind])).faults
        if any(each.startswith(fault) for each in found):
            return
    pytest.fail(f"{fault} is not found, but {found}")


def test_a_limb_that_live_does_not_pose_is_found() -> None:
    lists = [getattr(bpy.app.handlers, name) for name in ("depsgraph_update_post", "frame_change_post")]
    kept = [list(handlers) for handlers in lists]
    try:
        for handlers in lists:
            handlers.clear()
        assert_found("live falls short", "29 live", seeds=range(1, 13))
    finally:
        for handlers, before in zip(lists, kept, strict=True):
            handlers[:] = before

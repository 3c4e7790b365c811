"""Scripts that act on frame changes, some of which remove in mid-bake what is baked; and scenes that stretch time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.session import session
from bpy.types import PropertyGroup

from support import file_data
from support.refused import refused
from support.rigs import animate, arm, editing, keys
from support.truth import Limb, on_frame

CHANGES = ["frame_change_pre", "frame_change_post"]


@pytest.fixture
def chain(empty_file: None) -> Iterator[PropertyGroup]:
    chain = arm(pole=(1, 3, 1))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 10: (0.5, -0.8, 1.5)})
    chain.id_data.pose.bones["lower"].constraints.new("IK").chain_count = 2
    bpy.context.scene.frame_set(2)
    lists = [getattr(bpy.app.handlers, name) for name in CHANGES]
    before = [list(handlers) for handlers in lists]
    yield chain
    for handlers, ours in zip(lists, before, strict=True):
        handlers[:] = ours


def remove_object(name: str) -> None:
    bpy.data.objects.remove(bpy.data.objects[name])


def remove_bone(name: str) -> None:
    with editing(bpy.data.objects["Rig"]) as bones:
        bones.remove(bones[name])


REMOVALS = {
    **{name: lambda name=name: remove_object(name) for name in ("Target", "Pole", "Rig")},
    **{name: lambda name=name: remove_bone(name) for name in ("lower", "spine")},
}


OTHERS = (api.check, api.bake_targets)


def once(frame: int, act: Callable[[], None]) -> Callable[..., None]:
    done = []

    def handler(scene: bpy.types.Scene, *_: object) -> None:
        if scene.frame_current == frame and not done:
            done.append(True)
            act()

    return handler


@pytest.mark.parametrize(
    ("request_made", "name", "way", "change"),
    [
        *((api.bake, name, ("ISOLATED", "SCENE", "AUTO")[row % 3], CHANGES[0]) for row, name in enumerate(REMOVALS)),
        *((api.bake, name, ("SCENE", "AUTO", "ISOLATED")[row % 3], CHANGES[1]) for row, name in enumerate(REMOVALS)),
        *((api.bake, "Rig", "ISOLATED", CHANGES[0]), (api.bake, "spine", "ISOLATED", CHANGES[1])),
        *((other, name, "AUTO", CHANGES[1]) for other in OTHERS for name in ("Target", "Rig", "lower")),
    ],
    ids=lambda found: getattr(found, "__name__", None),
)
def test_what_a_handler_removes_in_mid_request_is_named(
    chain: PropertyGroup, request_made: Callable, name: str, way: str, change: str
) -> None:
    rig = chain.id_data
    getattr(bpy.app.handlers, change).append(once(5, REMOVALS[name]))
    before = file_data.dump()
    with pytest.raises(api.Refused, match=f'"{name}"') as removed:
        request_made(rig, frames=(1, 10), sampling=way)
    assert removed.value.kind == "REMOVED"
    assert not [action for action in bpy.data.actions if action.name == "RigAction"]
    assert_tidy(before)


def test_what_is_removed_as_the_frame_is_put_back_is_named_too(chain: PropertyGroup) -> None:
    rig = chain.id_data
    bpy.app.handlers.frame_change_post.append(once(2, REMOVALS["Rig"]))
    with pytest.raises(api.Refused, match='"Rig"'):
        api.bake(rig, frames=(3, 10), sampling="SCENE")


def test_what_is_removed_once_a_bake_is_ready_is_named_too(chain: PropertyGroup) -> None:
    baking = api.bake.request(chain.id_data, frames=(1, 10))
    assert all(done < 1.0 for done in baking.prepare())
    remove_object("Rig")
    with pytest.raises(api.Refused, match='"Rig"'):
        baking.write()


def test_a_bake_whose_rig_goes_while_it_is_measured_is_told(chain: PropertyGroup) -> None:
    baking = api.bake.request(chain.id_data, frames=(3, 10), sampling="ISOLATED")
    assert all(done < 1.0 for done in baking.prepare())
    bpy.app.handlers.frame_change_post.append(once(5, REMOVALS["Rig"]))
    report = baking.write()
    assert report.rig == "Rig"
    assert any("could not be measured" in note and '"Rig" was removed' in note for note in report.notes)


def assert_tidy(before: dict[str, object]) -> None:
    """Nothing came; what is not there any more, the handler has removed."""
    assert not session.samplings
    names = {path.partition(".")[0] for path in file_data.dump()}
    assert names <= {path.partition(".")[0] for path in before}
    assert bpy.context.scene.frame_current == 2


def made_by_exec() -> Callable:
    space: dict = {}
    exec("def act(*_): pass", space)
    return space["act"]


@pytest.mark.parametrize("handler", [[].append, made_by_exec()], ids=["append", "exec"])
def test_a_handler_without_a_module_is_no_reason_to_fail(chain: PropertyGroup, handler: Callable) -> None:
    for name in CHANGES:
        getattr(bpy.app.handlers, name).append(handler)
    assert api.bake(chain.id_data, frames=(1, 10)).reached


FRAMES = np.arange(1, 21)


@pytest.fixture
def slow(empty_file: None) -> PropertyGroup:
    """An arm whose target goes out of reach; time runs half as fast as keys have it."""
    slow = arm()
    animate(slow.target, location={1: (1.2, 0.6, 1.3), 10: (3.0, 0.6, 1.3)})
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = 100, 200
    return slow


def reached(frame: int) -> bool:
    """True where the target is nearer than the arm is long, as Blender evaluates both."""
    depsgraph = on_frame(frame)
    joints = Limb().joints(depsgraph)
    return np.linalg.norm(Limb().goal(depsgraph) - joints[0]) < np.linalg.norm(np.diff(joints, axis=0), axis=1).sum()


@pytest.mark.parametrize("bake", [api.bake, api.bake_targets], ids=lambda act: act.__name__)
def test_a_bake_is_refused_with_what_to_do(slow: PropertyGroup, bake: Callable) -> None:
    with refused("TIME_STRETCHING", "Rig", "Scene", match=r"from 100 to 200.*set both to the same") as found:
        bake(slow.id_data, frames=(1, 20))
    assert found.value.object == "Rig"


@pytest.mark.parametrize("sampling", ["CURVES", "ISOLATED", "SCENE"])
def test_a_check_tells_of_the_frames_that_show(slow: PropertyGroup, sampling: str) -> None:
    report = api.check(slow.id_data, frames=(1, 20), sampling=sampling)
    expected = [reached(frame) for frame in FRAMES.tolist()]
    assert 0 < sum(expected) < len(FRAMES)
    assert (report.chains[0].status == 0).tolist() == expected


def test_under_stretched_time_a_solves_key_plays_on_its_frame(slow: PropertyGroup) -> None:
    on_frame(4)
    api.solve(slow.id_data, insert_keys=True)
    assert list(keys(slow.id_data.pose.bones["upper"])) == [2.0]
    on_frame(1)
    on_frame(4)
    assert Limb().off() < 1e-5


def test_targets_snap_limbs_follow_and_are_pulled(slow: PropertyGroup) -> None:
    slow.id_data.two_bone_ik_live = True
    for frame in (2, 6):
        on_frame(frame)
        assert Limb().off() < 1e-5
    slow.id_data.two_bone_ik_live = False
    slow.target.animation_data_clear()
    api.snap_targets(slow.id_data)
    on_frame(4)
    assert Limb().off() < 1e-5
    tip = Limb().joints(on_frame(4))[2]
    assert bpy.ops.two_bone_ik.drag(offset=(-0.1, 0.05, 0.1)) == {"FINISHED"}
    after = Limb().joints()[2]
    np.testing.assert_allclose(after, np.add(tip, (-0.1, 0.05, 0.1)), atol=1e-5)

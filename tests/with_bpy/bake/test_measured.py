"""A bake looks at what it has keyed: whatever poses a limb otherwise is told with frame, bone and distance.

Solve and the way back look as well, and users get to the frame that is worst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake.report import last as last_report
from bpy.types import Object, PropertyGroup

from support.rigs import animate, arm, empty
from support.truth import Limb, law_of_cosines, on_frame

WAYS = ["CURVES", "ISOLATED", "SCENE"]
FRAMES = range(1, 13)


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    """An arm with a pole, its target animated and within reach, on a spine that moves."""
    chain = arm(pole=(1, 3, 1))
    animate(chain.target, location={1: (1.2, 0.6, 1.3), 12: (0.9, -0.3, 1.5)})
    animate(chain.id_data.pose.bones["spine"], rotation_quaternion={1: (1, 0, 0, 0), 12: (1, 0.02, 0.02, 0.05)})
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 12
    return chain


def bake(rig: Object, frames: Iterable[float] = FRAMES, **options: object) -> api.ChainReport:
    frames = list(frames)
    report = api.bake(rig, frames=(frames[0], frames[-1]), mute_constraints=False, **options)
    assert report.posed is report.chains[0].posed
    return report.chains[0]


def apart(frames: Iterable[float]) -> np.ndarray:
    """(n,) how far mid or tip is from where the law of cosines has it, whichever is farther, as Blender shows them."""
    found = []
    for frame in frames:
        depsgraph, limb = on_frame(frame), Limb(pole="Pole")
        root, mid, tip = limb.joints(depsgraph)
        lengths = [bpy.data.objects["Rig"].data.bones[name].length for name in ("upper", "lower")]
        pole = np.array(bpy.data.objects["Pole"].matrix_world.translation)
        wanted = law_of_cosines(limb.goal(depsgraph) - root, pole - root, *lengths)
        found.append(max(np.linalg.norm(mid - root - wanted[0]), np.linalg.norm(tip - root - wanted[1])))
    return np.array(found)


def ik_constraint(rig: Object) -> None:
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Elsewhere", (0.2, -1.5, 0.4)), 2


def damped_track(rig: Object) -> None:
    rig.pose.bones["lower"].constraints.new("DAMPED_TRACK").target = empty("Elsewhere", (0.2, -1.5, 0.4))


def limited_rotation(rig: Object) -> None:
    constraint = rig.pose.bones["upper"].constraints.new("LIMIT_ROTATION")
    constraint.use_limit_x = constraint.use_limit_y = constraint.use_limit_z = True
    constraint.owner_space = "LOCAL"


def constraint_from_below(rig: Object) -> None:
    """It stands on a bone of which the chain knows nothing."""
    constraint = rig.pose.bones["hand"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Elsewhere", (0.2, -1.5, 0.4)), 3


def additive_action(rig: Object) -> None:
    """What was keyed is added to what a strip plays."""
    bone = rig.pose.bones["upper"]
    action = bpy.data.actions.new("Strip")
    kept, rig.animation_data.action = rig.animation_data.action, action
    animate(bone, rotation_quaternion={1: (1, 0, 0, 0.3), 12: (1, 0.3, 0, 0)})
    rig.animation_data.action = kept
    rig.animation_data.nla_tracks.new().strips.new("Strip", 1, action)
    rig.animation_data.action_blend_type = "COMBINE"
    bone.rotation_quaternion = (1, 0, 0, 0)


DISTURBANCES = [ik_constraint, damped_track, limited_rotation, constraint_from_below, additive_action]


@pytest.mark.parametrize(
    ("disturb", "way"),
    [
        *((disturb, "AUTO") for disturb in DISTURBANCES),
        *((disturb, way) for disturb in (damped_track, constraint_from_below) for way in WAYS),
    ],
    ids=lambda found: getattr(found, "__name__", None),
)
def test_what_poses_a_limb_otherwise_is_told(chain: PropertyGroup, disturb: Callable[[Object], None], way: str) -> None:
    disturb(chain.id_data)
    found = bake(chain.id_data, sampling=way)
    truth = apart(FRAMES)
    assert truth.max() > 0.05
    assert found.measured.all()
    np.testing.assert_allclose(found.off, truth, atol=1e-5)
    np.testing.assert_array_equal(found.misposed, truth > 1e-3)
    frame, distance = found.worst
    assert distance == pytest.approx(truth.max(), abs=1e-5)
    assert truth[int(frame) - 1] == pytest.approx(truth.max(), abs=1e-5)
    assert not found.posed
    assert not found.reached
    assert f'{distance:.3g} at "{found.off_bone}" on frame {frame:g}' in found.lines()[0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("measure", ["AUTO", "ALL"])
def test_a_bake_that_plays_is_found_to_be_posed_so(chain: PropertyGroup, way: str, measure: str) -> None:
    found = bake(chain.id_data, sampling=way, measure=measure)
    assert apart(FRAMES).max() < 1e-5
    assert found.measured.all()
    assert found.off.max() < 1e-5
    assert found.posed
    assert found.reached
    assert found.worst is None


def test_a_bone_below_the_limb_does_not_count(chain: PropertyGroup) -> None:
    chain.id_data.pose.bones["hand"].constraints.new("DAMPED_TRACK").target = empty("Elsewhere")
    assert bake(chain.id_data).posed


@pytest.mark.parametrize(("option", "value"), [("influence", 0.5), ("softness", 0.5), ("target", (9, 0, 1))])
def test_what_stays_off_the_target_is_posed_as_solved(chain: PropertyGroup, option: str, value: object) -> None:
    if option == "target":
        animate(chain.target, location=dict.fromkeys((1, 12), value))
    else:
        setattr(chain, option, value)
    found = bake(chain.id_data)
    assert found.miss.max() > 0.01
    assert found.posed
    assert found.off.max() < 1e-5
    assert found.reached == (option != "target")


def test_reduced_keys_may_be_off_by_their_tolerance(chain: PropertyGroup) -> None:
    found = bake(chain.id_data, keys="REDUCED", tolerance=0.01)
    assert 1e-3 < found.off.max() <= 0.01 + 1e-3
    assert found.measured.all()
    assert found.posed


def test_far_from_the_origin_single_precision_is_no_fault(chain: PropertyGroup) -> None:
    """The limb itself is where it was, and Blender has it far off in the space of its armature."""
    chain.id_data.location = (-1e5, 0, 0)
    chain.id_data.pose.bones["spine"].location = (1e5, 0, 0)
    bpy.context.view_layer.update()
    found = bake(chain.id_data)
    assert found.off.max() > 1e-3
    assert found.posed


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_measured_where_nobody_wants_it(chain: PropertyGroup, way: str) -> None:
    damped_track(chain.id_data)
    check = api.check(chain.id_data, frames=(1, 12), sampling=way)
    report = api.bake(chain.id_data, frames=(1, 12), sampling=way, measure="NONE")
    for found in (check, report):
        assert not found.chains[0].measured.any()
        assert found.posed
    assert "What plays now was not measured" in report.notes


@pytest.mark.parametrize("way", WAYS)
def test_a_limb_that_plays_nowhere_is_not_posed_so(chain: PropertyGroup, way: str) -> None:
    constraint = chain.id_data.pose.bones["lower"].constraints.new("COPY_LOCATION")
    constraint.target = empty("Nowhere", (np.nan, 0, 0))
    found = bake(chain.id_data, sampling=way)
    assert found.misposed.all()
    assert found.off_bone == "lower"
    chain.id_data.animation_data_clear()
    assert not api.solve(chain.id_data).posed


@pytest.mark.parametrize("insert_keys", [False, True])
def test_a_solve_tells_how_far_off_the_pose_shows(chain: PropertyGroup, insert_keys: bool) -> None:
    bpy.context.scene.frame_set(5, subframe=0.5)
    report = api.solve(chain.id_data, insert_keys=insert_keys)
    assert report.chains[0].measured.tolist() == [True]
    assert report.chains[0].off.max() < 1e-5
    assert report.posed
    damped_track(chain.id_data)
    report = api.solve(chain.id_data, insert_keys=insert_keys)
    truth = Limb().off()
    assert truth > 0.1
    assert report.worst == pytest.approx((5.5, truth), abs=1e-5)
    assert not report.reached
    assert report.chains[0].off_bone == "lower"


def test_a_solve_skipped_out_of_reach_tells_what_shows(chain: PropertyGroup) -> None:
    chain.target.animation_data_clear()
    chain.target.location, chain.unreachable = (9, 0, 1), "SKIP"
    found = api.solve(chain.id_data)
    assert found.posed
    assert found.chains[0].miss[0] == pytest.approx(Limb().off(), abs=1e-5)


@pytest.mark.parametrize("way", WAYS)
def test_targets_that_are_where_the_pose_is_are_found_so(chain: PropertyGroup, way: str) -> None:
    api.bake(chain.id_data, frames=(1, 12))
    report = api.bake_targets(chain.id_data, frames=(1, 12), sampling=way)
    assert report.chains[0].measured.all()
    assert report.chains[0].off.max() < 1e-5
    assert report.posed


def test_targets_that_play_elsewhere_are_told(chain: PropertyGroup) -> None:
    """Their action is added to what a strip plays."""
    api.bake(chain.id_data, frames=(1, 12))
    animation = chain.target.animation_data
    action = bpy.data.actions.new("Strip")
    kept, animation.action = animation.action, action
    animate(chain.target, location={1: (0, 0, 0.3), 12: (0, 0, 0.4)})
    animation.action = kept
    animation.nla_tracks.new().strips.new("Strip", 1, action)
    animation.action_blend_type = "ADD"
    before = Limb().played(FRAMES)
    report = api.bake_targets(chain.id_data, frames=(1, 12))
    truth = Limb().offs(FRAMES)
    np.testing.assert_array_equal(Limb().played(FRAMES), before)
    assert truth.max() > 0.2
    np.testing.assert_allclose(report.chains[0].off, truth, atol=1e-5)
    assert report.worst == pytest.approx((1.0 + np.argmax(truth), truth.max()), abs=1e-5)
    assert report.chains[0].off_bone == "Target"


def test_operators_tell_first_that_it_is_not_posed_so(chain: PropertyGroup, capfd: pytest.CaptureFixture[str]) -> None:
    """And its line in the report names the worst frame, to which a click on it goes."""
    bpy.context.view_layer.objects.active = chain.id_data
    damped_track(chain.id_data)
    bpy.ops.two_bone_ik.bake(frame_start=1, frame_end=12, frame_step=0.5, measure="ALL")
    last = capfd.readouterr().out.splitlines()[-1]
    assert last.startswith("Warning: Done, but not posed so: lower.")
    worst = Limb().offs(np.arange(1, 12.5, 0.5)).max()
    told = last_report(chain.id_data).findings()[0]
    bpy.context.scene.frame_set(1)
    bpy.ops.two_bone_ik.go_to_frame(frame=told.frame)
    assert Limb().off() == pytest.approx(worst, abs=1e-5)


def test_live_limbs_do_not_measure(chain: PropertyGroup) -> None:
    """A frame more or less of an evaluation: the probe of a measurement would be in the file meanwhile."""
    chain.id_data.two_bone_ik_live = True
    seen: list[int] = []

    def count(*_: object) -> None:
        seen.append(len(bpy.data.objects))

    bpy.app.handlers.depsgraph_update_post.append(count)
    try:
        before = len(bpy.data.objects)
        chain.pole_target.location.x += 0.1
        bpy.context.view_layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(count)
    assert seen
    assert set(seen) == {before}

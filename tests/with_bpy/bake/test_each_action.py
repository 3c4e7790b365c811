"""All actions of an armature are baked, each as if it and those of its targets had been made active by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender import versions
from bl_ext.user_default.two_bone_ik.blender.bake import bake as steps
from bpy.types import Object

from support import file_data
from support.empty_file import open_empty_file
from support.refused import refused
from support.rigs import armature, chain, empty
from support.shelf import LAST, NAMES, Keys, acting, keys, play, pushed_down, shelf

pytestmark = pytest.mark.versions

HAS_SLOTS = hasattr(bpy.types, "ActionSlot")

Made = Callable[[], tuple[Object, Object]]


def by_hand(make: Made, of_rig: str = "{}", of_target: str = "{}_Target", **options: object) -> dict[str, Keys]:
    """The keys of the armature's actions after a plain bake of each with the target's, in a file of its own."""
    open_empty_file()
    rig, target = make()
    for name in NAMES:
        play(rig, of_rig.format(name))
        play(target, (of_target or of_rig).format(name))
        api.bake(rig, frames=(1, LAST[name]), **options)
    return {name: found for name, found in keys().items() if name in {of_rig.format(each) for each in NAMES}}


def baked(make: Made, **options: object) -> dict[str, Keys]:
    """The keys of all actions after one bake of all; nothing else has changed."""
    open_empty_file()
    rig, _ = make()
    before = file_data.dump()
    reports = api.bake(rig, actions="*", **options)
    assert [report.action for report in reports] == sorted(report.action for report in reports)
    assert all(report.reached for report in reports)
    assert [path for path in file_data.changed(before) if not path.startswith("actions[")] == []
    return keys()


def is_part(part: Mapping[str, Keys], whole: Mapping[str, Keys]) -> bool:
    return all(whole[name] == found for name, found in part.items()) and len(part) == len(NAMES)


def on_tracks() -> tuple[Object, Object]:
    """Names tell nothing, or something else; the target's tracks are in another order."""
    rig, target = shelf("{}", "of {}")
    for name in NAMES:
        pushed_down(rig, name, name)
    for name in reversed(NAMES):
        pushed_down(target, f"of {name}", name)
    return rig, target


def unmuted() -> tuple[Object, Object]:
    """The strips play: they do not act on the bake."""
    rig, target = on_tracks()
    for item in (rig, target):
        for track in item.animation_data.nla_tracks:
            track.mute = False
    return rig, target


def named(of_rig: str, of_target: str) -> tuple[Made, str, str]:
    return lambda: shelf(of_rig, of_target), of_rig, of_target


@pytest.mark.parametrize(
    ("make", "of_rig", "of_target"),
    [
        *(
            named("{}", "{}_Target"),
            named("Rig|{}", "Target|{}"),
            named("{}Rig", "target.{}"),
            named("{}", "Target {}"),
        ),
        pytest.param(
            *named("{}", ""), marks=pytest.mark.skipif(not HAS_SLOTS, reason="actions have slots from 4.4 on")
        ),
        *((on_tracks, "{}", "of {}"), (unmuted, "{}", "of {}")),
    ],
    ids=["name", "name before", "name behind", "name with a blank", "slots", "muted tracks", "tracks that play"],
)
def test_actions_go_together(make: Made, of_rig: str, of_target: str) -> None:
    assert is_part(by_hand(make, of_rig, of_target), baked(make))


def behind_a_constraint() -> tuple[Object, Object]:
    """The target copies the place of an empty that has the actions."""
    rig, prop = shelf()
    prop.name, target = "Prop", empty("Target")
    for name in NAMES:
        bpy.data.actions[f"{name}_Target"].name = f"{name}_Prop"
    target.constraints.new("COPY_LOCATION").target = prop
    rig.two_bone_ik_chains[0].target = target
    return rig, prop


@pytest.mark.parametrize("sampling", ["AUTO", "SCENE"])
def test_what_moves_a_target_plays_its_own(sampling: str) -> None:
    options = {"sampling": sampling}
    hand = by_hand(behind_a_constraint, "{}", "{}_Prop", **options)
    assert is_part(hand, baked(behind_a_constraint, **options))
    assert hand["Idle"] != hand["Walk"]


def test_a_target_in_the_rig_needs_no_other_action() -> None:
    rig = shelf()[0]
    rig.two_bone_ik_chains[0].target, rig.two_bone_ik_chains[0].subtarget = rig, "spine"
    assert [report.action for report in api.bake(rig, actions="*", frames=(1, 3))] == list(NAMES)


def test_what_plays_comes_last_and_shows() -> None:
    rig, target = shelf()
    play(rig, "Run")
    play(target, "Walk_Target")
    bpy.context.scene.frame_set(5)
    reports = api.bake(rig, actions="*")
    assert [report.action for report in reports] == ["Idle", "Walk", "Run"]
    assert (rig.animation_data.action.name, target.animation_data.action.name) == ("Run", "Walk_Target")
    bpy.context.view_layer.update()
    found = tuple(rig.pose.bones["lower"].rotation_quaternion)
    bpy.context.scene.frame_set(5)
    assert found == tuple(rig.pose.bones["lower"].rotation_quaternion) != (1, 0, 0, 0)


def test_edits_without_a_key_stay() -> None:
    rig, target = shelf()
    play(rig, "Run")
    bpy.context.scene.frame_set(3)
    rig.pose.bones["spine"].rotation_quaternion = (0.5, 0.5, 0.5, 0.5)
    rig.pose.bones["hand"].location = target.location = (1, 2, 3)
    api.bake(rig, actions="*")
    assert tuple(rig.pose.bones["spine"].rotation_quaternion) == (0.5, 0.5, 0.5, 0.5)
    assert tuple(rig.pose.bones["hand"].location) == tuple(target.location) == (1, 2, 3)


def test_two_armatures_have_targets_of_their_own() -> None:
    rigs = [shelf()[0], armature(name="Other")]
    chain(rigs[1], "lower", target=(0.9, 0.5, 1.2)).target.name = "Mark"
    acting(rigs[1].pose.bones["spine"], "Other_Jump", rotation_quaternion={1: (1, 0, 0, 0), 4: (0.9, 0.1, 0, 0)})
    acting(bpy.data.objects["Mark"], "Mark_Jump", location={1: (0.9, 0.5, 1.2), 4: (0.5, 1, 1)})
    if not HAS_SLOTS:
        for name in NAMES:  # which of two alike has them, only a name or a slot tells
            bpy.data.actions[name].name = f"Rig_{name}"
    names = [f"{report.rig}: {report.action.removeprefix('Rig_')}" for report in api.bake(rigs, actions="*")]
    assert names == ["Rig: Idle", "Rig: Run", "Rig: Walk", "Other: Other_Jump"]


def test_actions_without_a_partner_are_named() -> None:
    rig, _ = shelf()
    bpy.data.actions.remove(bpy.data.actions["Run_Target"])
    before = keys()["Run"]
    reports = api.bake(rig, actions="*")
    assert [report.action for report in reports] == ["Idle", "Walk"]
    assert 'Run ("Target")' in reports[-1].notes[-1]
    assert keys()["Run"] == before


def test_a_pattern_chooses() -> None:
    rig, _ = shelf()
    assert [report.action for report in api.bake(rig, actions="*l*")] == ["Idle", "Walk"]
    assert [report.action for report in api.bake(rig, actions="Run")] == ["Run"]


@pytest.mark.parametrize(
    ("pattern", "kind", "said"),
    [
        ("Wlk*", "NO_ACTION", '"Rig" has no action "Wlk*": the nearest is "Walk"'),
        ("Run", "NO_PARTNER", 'Run ("Target")'),
        *((wrong, "WRONG_TYPE", "actions") for wrong in (True, 5, ["Walk"], b"Walk")),
    ],
)
def test_a_pattern_that_fits_nothing_is_refused(pattern: object, kind: str, said: str) -> None:
    rig, _ = shelf()
    bpy.data.actions.remove(bpy.data.actions["Run_Target"])
    with refused(kind, said):
        api.bake(rig, actions=pattern)


def test_what_is_refused_in_one_action_changes_none() -> None:
    rig, _ = shelf()
    api.bake(rig, actions="Run")
    play(rig, "Walk")
    play(rig, "Run")
    for curve in versions.curves(rig):
        curve.lock = True
    rig.animation_data.action = None
    with refused("CURVE_LOCKED", 'Action "Run": ', " is locked"):
        api.bake(rig, actions="*")


def test_between_two_actions_nothing_has_changed() -> None:
    rig, target = shelf()
    play(rig, "Run")
    play(target, "Walk_Target")
    bpy.context.view_layer.update()
    before = file_data.dump()
    requests = api.bake.request(rig, actions="*")
    for request in requests:
        for _ in request.prepare():
            assert file_data.changed(before) == set()
    for request in requests:
        request.close()
    assert file_data.changed(before) == set()


def test_an_error_puts_back_what_played(monkeypatch: pytest.MonkeyPatch) -> None:
    rig, target = shelf()
    play(rig, "Run")
    play(target, "Walk_Target")
    before = {path: value for path, value in file_data.dump().items() if not path.startswith("actions[")}
    write, seen = steps.write_keys, list[str]()

    def failing(plan: object, *args: object) -> object:
        seen.append(rig.animation_data.action.name)
        if len(seen) == 2:
            raise ValueError("in the middle")
        return write(plan, *args)

    monkeypatch.setattr(steps, "write_keys", failing)
    with pytest.raises(ValueError, match="in the middle"):
        api.bake(rig, actions="*")
    assert seen == ["Idle", "Walk"]
    assert {path for path in file_data.changed(before) if not path.startswith("actions[")} == set()


def test_new_actions_stay_in_the_file() -> None:
    rig, _ = shelf()
    before = keys()
    reports = api.bake(rig, actions="*", new_action=True)
    assert {name: keys()[name] for name in before} == before
    made = {action.name for action in bpy.data.actions} - before.keys()
    assert len(made) == 3
    assert all(bpy.data.actions[name].use_fake_user for name in made)
    assert all(any(name in note for report in reports for note in report.notes) for name in made)
    assert rig.animation_data.action is None


def test_a_bake_of_other_tracks_says_what_it_took() -> None:
    rig, target = on_tracks()
    play(rig, "Walk")
    play(target, "of Walk")
    assert not [note for note in api.bake(rig).notes if "track" in note]
    play(target, "of Run")
    [note] = [note for note in api.bake(rig).notes if "track" in note]
    assert note == 'Action "Walk" of NLA track Walk was taken with "of Run" of track Run, which "Target" plays'
    assert note in api.check(rig).notes


def test_the_operator_bakes_all_actions() -> None:
    hand = by_hand(shelf)
    open_empty_file()
    rig, _ = shelf()
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.two_bone_ik.bake(all_actions=True) == {"FINISHED"}
    assert is_part(hand, keys())
    assert rig.animation_data.action is None


def test_a_name_that_is_left_of_a_bone_as_target_counts_no_more() -> None:
    hand = by_hand(shelf)
    open_empty_file()
    rig, target = shelf()
    [listed] = rig.two_bone_ik_chains
    listed.target, listed.subtarget = rig, listed.end_bone
    listed.target = target
    api.bake(rig, actions="*")
    assert is_part(hand, keys())


def test_built_limbs_are_switched_in_all_actions() -> None:
    by_hand_too = {}
    for name in (*NAMES, "*"):
        open_empty_file()
        rig, target = shelf()
        api.build(rig)
        if name == "*":
            break
        play(rig, name)
        play(target, f"{name}_Target")
        api.switch(rig, "FK", frames=(1, LAST[name]))
        by_hand_too[name] = keys()[name]
    bpy.context.view_layer.update()
    before = file_data.dump()
    assert [report.action for report in api.switch(rig, "FK", actions="*")] == list(NAMES)
    assert is_part(by_hand_too, keys())
    assert [path for path in file_data.changed(before) if not path.startswith("actions[")] == []

"""A report names operation, range and unit, counts what one must know, and what hides the limb with its remedy."""

from __future__ import annotations

import re
from dataclasses import replace

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.blender.bake import foot_report
from bl_ext.user_default.two_bone_ik.blender.bake import report as reports
from bl_ext.user_default.two_bone_ik.blender.status.limb_state import State, limb_states
from bl_ext.user_default.two_bone_ik.ui import limb_notice
from bpy.types import Constraint, Object, PropertyGroup

from support import rigs
from support.rigify import metarig
from support.rigs import animate, arm, empty
from support.truth import Limb


def act(operator: str, rig: Object, **options: object) -> None:
    bpy.context.view_layer.objects.active = rig
    getattr(bpy.ops.two_bone_ik, operator)(**options)


def ik_constraint(rig: Object, target: Object) -> bpy.types.Constraint:
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = target, 2
    return constraint


def test_the_title_names_what_was_done_and_where() -> None:
    rig = arm().id_data
    assert api.bake(rig, frames=(3, 12)).title == "Bake, frames 3-12"
    assert api.check(rig, frames=(1, 1)).title == "Check, frame 1"


@pytest.mark.parametrize(
    ("system", "scale", "unit", "told"),
    [
        ("METRIC", 1.0, "m", "2.55 m"),
        ("METRIC", 0.01, "cm", "2.55 cm"),
        ("METRIC", 0.02, "2 cm", "5.1 cm"),
        ("METRIC", 0.001, "mm", "2.55 mm"),
        ("METRIC", 1000.0, "km", "2.55 km"),
        ("IMPERIAL", 0.3048, "'", "2.55'"),
        ("IMPERIAL", 0.0254, '"', '2.55"'),
        ("NONE", 1.0, "", "2.55"),
    ],
)
def test_distances_are_told_in_the_units_of_the_scene(system: str, scale: float, unit: str, told: str) -> None:
    settings = bpy.context.scene.unit_settings
    settings.system, settings.scale_length = system, scale
    chain = arm(target=(9.0, 0.0, 1.0))
    report = api.check(chain.id_data, frames=(1, 1))
    assert report.unit == unit
    chain.target.location.x += 2.55 - report.chains[0].miss[0]
    found = api.check(chain.id_data, frames=(1, 1))
    assert found.lines()[1] == f"  too far on 1 frame (1), by up to {told}"
    assert api.Report.from_json(found.to_json()).lines() == found.lines()
    bpy.context.view_layer.update()
    states = limb_states(chain.id_data, bpy.context.scene, bpy.context.view_layer.depsgraph)
    api.solve(chain.id_data)
    assert limb_notice.short(bpy.context, replace(states["lower"], state=State.TOO_FAR, miss=2.55)) == f"{told} too far"


@pytest.mark.parametrize(("off", "told"), [(0.99996, "1 m"), (0.9994, "999 mm")])
def test_a_distance_gets_the_unit_that_suits_it_as_it_is_read(off: float, told: str) -> None:
    chain = arm(target=(9.0, 0.0, 1.0))
    chain.target.location.x += off - api.check(chain.id_data, frames=(1, 1)).chains[0].miss[0]
    assert api.check(chain.id_data, frames=(1, 1)).lines()[1].endswith(f"by up to {told}")


def test_each_line_knows_the_frame_to_which_a_click_goes() -> None:
    chain = arm()
    animate(chain.target, location={1: (1.2, 0, 1), 4: (6, 0, 1), 5: (1.2, 0, 1)})
    found = api.bake(chain.id_data, frames=(1, 5)).findings()
    assert [(line.text.split()[:2], line.frame) for line in found if line.frame] == [(["too", "far"], 4.0)]
    bpy.ops.two_bone_ik.go_to_frame(frame=7.25)
    assert bpy.context.scene.frame_current_final == 7.25


def test_what_one_must_know_comes_first_with_its_count() -> None:
    chain = arm(target=(1.2, 0, 1))
    rig = chain.id_data
    rig.pose.bones["lower"].lock_rotation[0] = True
    assert api.bake(rig, frames=(1, 2)).to_know == 0
    rig.pose.bones["lower"].constraints.new("COPY_LOCATION").target = empty("Other")
    told = api.check(rig, frames=(1, 2))
    assert told.to_know == 1
    assert [("acts on top" in line, "locked" in line) for line in told.lines()[-2:]] == [(True, False), (False, True)]
    assert "acts on top" in told.headline()
    back = api.Report.from_json(told.to_json())
    assert (back.to_know, back.headline(), back.title) == (told.to_know, told.headline(), told.title)
    assert back.to_know == 1
    chain.target.location = (9, 0, 1)
    told = api.check(chain.id_data, frames=(1, 2))
    assert "not always reached" in told.headline()
    assert "acts on top" in told.headline()


def test_a_limb_that_its_extension_limit_holds_is_not_too_far() -> None:
    chain = arm(target=(1.6, 0.0, 1.0), use_extension_limit=True)
    chain.id_data.pose.bones["lower"].rotation_quaternion = (0.8, 0.6, 0, 0)
    api.check(chain.id_data, frames=(1, 2), add_markers=True)
    assert [marker.name for marker in bpy.context.scene.timeline_markers] == ["Held: Rig, lower"]
    told = str(api.check(chain.id_data, frames=(1, 1)))
    assert "held by Limit Extension on 1 frame (1)" in told
    assert "too far" not in told


def offset(chain: PropertyGroup) -> float:
    """World units at most from the tip to the target, as Blender shows both on frames 1 to 5."""
    limb = Limb(rig=chain.id_data.name, end=chain.end_bone, tip=chain.tip_bone, target=chain.target.name)
    return Limb.offs(replace(limb, root=chain.id_data.data.bones[chain.end_bone].parent.name), range(1, 6)).max()


@pytest.mark.parametrize("too_far", [True, False])
def test_each_limb_that_options_hold_off_says_so(empty_file: None, too_far: bool) -> None:
    """Also beside a limb that is out of reach, of which the headline then tells."""
    rig = metarig("human")
    api.add_detected(rig)
    api.create_targets(rig)
    arm, leg, other_leg, free = (rig.two_bone_ik_chains[name] for name in ("Arm.R", "Leg.R", "Leg.L", "Arm.L"))
    arm.influence, leg.softness = 0.5, 0.2
    for chain, way in ((arm, (0.0, -0.2, 0.1)), (leg, (0.0, -0.05, 0.02)), (free, (0.0, -0.1, 0.1))):
        place = chain.target.location
        animate(chain.target, location={1: place, 5: [a + b for a, b in zip(place, way, strict=True)]})
    if too_far:
        other_leg.target.location.z -= 0.5
    told = api.bake(rig, frames=(1, 5))
    assert told.reached != too_far
    lines, held = told.lines(), []
    for chain in (arm, leg):
        option = "Influence" if chain == arm else "Softness"
        line = lines[lines.index(f"{chain.name}: 5 of 5 frames reached") + 1]
        assert line.startswith("  as set on ")
        assert line.endswith(f": {option} holds the tip up to {1e3 * offset(chain):.3g} mm off its target")
        held.append(line)
    assert [line for line in lines if "as set" in line] == held
    assert offset(free) < 1e-4
    assert api.Report.from_json(told.to_json()).lines() == lines
    frames = {line.text: line.frame for line in told.findings()}
    assert all(frames[line] in range(1, 6) for line in held)


def test_the_report_tells_where_a_takeover_differs() -> None:
    chain = arm()
    rig = chain.id_data
    rig.two_bone_ik_chains.clear()
    ik_constraint(rig, empty("Target")).use_stretch = False
    ik_constraint(rig, empty("Three")).chain_count = 1
    act("chains_from_constraints", rig)
    told = reports.last(rig)
    assert told.title == "Take Over IK Constraints"
    assert told.to_know == len(told.lines()) == 2
    assert "moves one bone" in told.lines()[1]


@pytest.mark.parametrize(
    ("slide", "told", "small"),
    [
        (0.42, "420 mm", "less than 0.001 mm"),
        (12.0, "12 m", "less than 0.001 m"),
        (4e7, "40000 km", "less than 0.001 km"),
        (0.0000614, "0.0614 mm", "less than 0.001 mm"),
        (5.2e-8, "less than 0.001 mm", "less than 0.001 mm"),
        (0.0, "0 mm", "less than 0.001 mm"),
    ],
)
def test_numbers_have_three_digits_and_no_exponent(slide: float, told: str, small: str) -> None:
    foot = api.FootReport(
        name="Leg.L",
        contacts=1,
        frames=9,
        before=(slide, slide),
        after=(1e-10, 1e-10),
        moved=slide,
        short=slide,
        millimetres=1e3,
        turn_after=(5.2e-5, 5.2e-5),
    )
    assert foot_report.headline([foot], "m") == f"Feet that stand slide by {small} a frame at worst, before by {told}"
    cells = foot.cells("m")
    assert not re.search(r"\de|\d{4,} |\d\.\d{4}", " ".join(cells).replace(told, ""))
    assert cells[-1] == "less than 0.001°"


@pytest.fixture
def chain(empty_file: None) -> PropertyGroup:
    return arm()


def pull_elsewhere(chain: PropertyGroup) -> Constraint:
    """An IK constraint of the hand that moves forearm and hand."""
    constraint = chain.id_data.pose.bones["hand"].constraints.new("IK")
    constraint.target, constraint.chain_count = empty("Elsewhere", (0.2, -1.5, 0.4)), 2
    return constraint


def given(what: str, chain: PropertyGroup) -> api.Report:
    if what == "pose":
        return api.solve(chain.id_data)
    return api.bake(chain.id_data, frames=(1, 3), mute_constraints=False)


@pytest.mark.parametrize("what", ["pose", "keys"])
def test_a_constraint_that_hides_it_is_named_until_it_is_muted(chain: PropertyGroup, what: str) -> None:
    constraint = pull_elsewhere(chain)
    report = given(what, chain)
    assert Limb().off() > 0.1
    assert report.notes == (f'Constraint "IK" of bone "hand" hides the {what}: mute it',)
    constraint.mute = True
    assert given(what, chain).notes == ()
    assert Limb().off() < 1e-5


def test_a_solve_names_what_acts_on_top_of_it(chain: PropertyGroup) -> None:
    constraint = chain.id_data.pose.bones["lower"].constraints.new("COPY_ROTATION")
    constraint.target = empty("Elsewhere")
    report = api.solve(chain.id_data, insert_keys=True)
    assert Limb().off() > 0.1
    assert report.notes == ('Constraint "Copy Rotation" of bone "lower" acts on top of the pose',)


def test_a_constraint_that_does_nothing_is_not_named(chain: PropertyGroup) -> None:
    pull_elsewhere(chain).influence = 0.0
    pull_elsewhere(chain).target = None
    chain.id_data.pose.bones["lower"].constraints.new("COPY_ROTATION").mute = True
    assert api.solve(chain.id_data).notes == ()
    assert Limb().off() < 1e-5


def test_a_bake_that_mutes_a_constraint_does_not_ask_for_it(chain: PropertyGroup) -> None:
    pull_elsewhere(chain)
    assert api.bake(chain.id_data, frames=(1, 3)).notes == ('Constraint "IK" of bone "hand" is muted',)
    assert Limb().off() < 1e-5


def test_braces_in_names_are_told_as_they_are(chain: PropertyGroup) -> None:
    pull_elsewhere(chain).name = "{bone}"
    assert api.solve(chain.id_data).notes == ('Constraint "{bone}" of bone "hand" hides the pose: mute it',)
    with pytest.raises(api.Refused, match=r'has no chain "\{object\}"'):
        api.solve(chain.id_data, ["{object}"])


def test_the_status_bar_has_it_beside_what_was_reached(chain: PropertyGroup, capfd: pytest.CaptureFixture[str]) -> None:
    pull_elsewhere(chain)
    bpy.context.view_layer.objects.active = chain.id_data
    bpy.ops.two_bone_ik.solve()
    last = capfd.readouterr().out.splitlines()[-1]
    assert last == 'Warning: Done, but not posed so: lower. Constraint "IK" of bone "hand" hides the pose: mute it'


@pytest.fixture
def rig(empty_file: None) -> Object:
    return rigs.arm().id_data


def test_a_check_tells_of_constraints_unless_a_bake_mutes_them(rig: Object) -> None:
    constraint = rig.pose.bones["upper"].constraints.new("COPY_LOCATION")
    constraint.target = bpy.data.objects["Target"]
    note = 'Constraint "Copy Location" of bone "upper" acts on top of the keys'
    assert api.check(rig, frames=(1, 2)).notes == (note,)
    assert note in api.bake(rig, frames=(1, 2)).notes
    rig.pose.bones["upper"].constraints.remove(constraint)
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target = bpy.data.objects["Target"]
    assert api.check(rig, frames=(1, 2)).notes == ()

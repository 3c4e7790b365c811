"""An elbow control, an IK constraint on the root bone alone, is taken over as the chain's pole target."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api
from bpy.types import KinematicConstraint, Object
from mathutils import Euler, Matrix, Vector

from support import fk, ik_constraint, rigs
from support.live import CLOSE
from support.rigs import ARM, empty
from support.told import told_length
from support.truth import Limb, on_frame

FRAMES = range(1, 31)

EXACT = 1e-5
"""Of the limb: keys and poses are float32."""

ROUNDED = 5e-3
"""Part of what is told, which has three digits."""

IN_LINE = (
    ARM[0],
    rigs.Bone("upper", (0, 0, 1), (1, 0, 1), "spine"),
    rigs.Bone("lower", (1, 0, 1), (2, 0, 1), "upper"),
)


def pulled(bones: tuple[rigs.Bone, ...] = ARM, suffix: str = "") -> tuple[KinematicConstraint, KinematicConstraint]:
    """An arm with IK to a hand target and with an elbow control; both targets move."""
    main = ik_constraint.limb(bones, f"lower{suffix}", pole=None, use_tail=True)
    elbow = main.id_data.pose.bones[f"upper{suffix}"].constraints.new("IK")
    elbow.name, elbow.target, elbow.chain_count = "Elbow", empty("Control"), 1
    side = -1.0 if suffix else 1.0
    near = {1: (1.2 * side, 0.6, 1.3), 10: (0.9 * side, -0.5, 1.8), 20: (1.8 * side, 0.9, 0.5), 30: (side, 0.2, 0.4)}
    rigs.animate(main.target, location=near)
    rigs.animate(elbow.target, location={1: (0.6 * side, 0.9, 1.8), 15: (1.2 * side, 1.5, 0.9), 30: (side, 0.3, 2)})
    on_frame(1)
    return main, elbow


def plain() -> tuple[Object, Limb]:
    return pulled()[0].id_data, Limb(pole="Control")


def to_a_bone_of_the_rig() -> tuple[Object, Limb]:
    main, elbow = pulled((*ARM, rigs.Bone("control", (0.6, 0.9, 1.8), (0.6, 0.9, 2), "spine")))
    rig, mark = main.id_data, empty("Mark").constraints.new("COPY_LOCATION")
    mark.target = elbow.target = rig
    mark.subtarget = elbow.subtarget = "control"
    rigs.animate(rig.pose.bones["control"], location={1: (0, 0, 0), 30: (0.4, -0.3, -0.5)})
    return rig, Limb(pole="Mark")


def straight() -> tuple[Object, Limb]:
    return pulled(IN_LINE)[0].id_data, Limb(pole="Control")


def on_the_other_side() -> tuple[Object, Limb]:
    rig = pulled((ARM[0], *rigs.LEFT), ".L")[0].id_data
    return rig, Limb(root="upper.L", end="lower.L", pole="Control")


def turned_and_scaled() -> tuple[Object, Limb]:
    rig, arm = plain()
    rig.matrix_world = Matrix.LocRotScale(Vector((1, 0.2, 0.3)), Euler((0.4, -0.3, 2)), Vector([1.7] * 3))
    return rig, arm


def mirrored() -> tuple[Object, Limb]:
    rig, arm = plain()
    rig.scale = -1, 1, 1
    return rig, arm


def with_keys_beneath() -> tuple[Object, Limb]:
    rig, arm = plain()
    fk.swing(rig)
    fk.carry(rig)
    return rig, arm


SCENES = [plain, to_a_bone_of_the_rig, straight, on_the_other_side, turned_and_scaled, mirrored, with_keys_beneath]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_the_chain_bends_towards_the_elbow_control(scene: Callable[[], tuple[Object, Limb]]) -> None:
    rig, arm = scene()
    (takeover,) = api.chains_from_constraints(rig)
    assert takeover.constraint == "IK"
    assert api.chains_from_constraints(rig) == ()
    report = api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    assert [note.split('"')[1] for note in report.notes] == ["Elbow", "IK"], "both are muted"
    assert api.chains_from_constraints(rig) == ()
    assert arm.misses(FRAMES).max() < EXACT


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_how_far_the_elbow_moves_is_told_once(scene: Callable[[], tuple[Object, Limb]]) -> None:
    rig, arm = scene()
    on_frame(7)
    before = arm.joints()
    ((sentence,),) = (takeover.differs for takeover in api.chains_from_constraints(rig))
    goal = "Rig, control" if arm.pole == "Mark" else "Control"
    assert sentence.startswith(
        f'Constraint "Elbow" turns bone "{arm.root}" to "{goal}", and this one bends the limb on'
    )
    api.bake(rig, frames=(7, 7))
    off = np.linalg.norm(arm.joints(on_frame(7)) - before, axis=-1).max()
    assert told_length(sentence, "up to") == pytest.approx(off, rel=ROUNDED, abs=1e-5)


def test_blender_itself_bends_a_straight_limb_like_the_chain() -> None:
    """So a straight limb is taken over exactly; without an elbow control, it would bend anywhere."""
    rig, arm = straight()
    before = arm.played(FRAMES)
    api.chains_from_constraints(rig)
    api.bake(rig, frames=(FRAMES[0], FRAMES[-1]))
    off = np.linalg.norm(arm.played(FRAMES) - before, axis=-1)
    # On frames 19 to 21 the target is out of reach, and the constraint stops before the limb is straight.
    assert np.delete(off, slice(18, 21), axis=0).max() < ik_constraint.JOINTS


def test_live_bends_towards_the_elbow_control() -> None:
    rig, arm = plain()
    api.chains_from_constraints(rig)
    for bone in ik_constraint.BONES:
        rig.pose.bones[bone].constraints[0].mute = True
    rig.two_bone_ik_live = True
    for frame in (1, 8, 20):
        on_frame(frame)
        joints = arm.joints()
        root, side = joints[0], np.array(bpy.data.objects["Control"].matrix_world.translation)
        line = arm.goal() - root
        across = [v - (v @ line) / (line @ line) * line for v in (joints[1] - root, side - root)]
        assert across[0] @ across[1] == pytest.approx(np.linalg.norm(across[0]) * np.linalg.norm(across[1]), abs=CLOSE)


def test_shear_beside_an_elbow_control_is_not_told_twice() -> None:
    rig, arm = plain()
    rig.pose.bones["spine"].scale = 0.7, 1.4, 1.1
    bpy.context.view_layer.update()
    before = arm.joints()
    ((sentence,),) = (takeover.differs for takeover in api.chains_from_constraints(rig))
    api.bake(rig, frames=(1, 1))
    off = np.linalg.norm(arm.joints(on_frame(1)) - before, axis=-1).max()
    assert told_length(sentence, "up to") == pytest.approx(off, rel=ROUNDED, abs=EXACT)


def test_what_cannot_be_measured_is_told_without_a_length() -> None:
    """A control that follows the limb: a bake refuses that, too."""
    main, elbow = pulled()
    elbow.target, elbow.subtarget = main.id_data, "hand"
    ((sentence,),) = (takeover.differs for takeover in api.chains_from_constraints(main.id_data))
    assert sentence.endswith("neither holds the mid joint there")
    with pytest.raises(api.Refused, match="hand"):
        api.bake(main.id_data, frames=(1, 1))


Change = Callable[[KinematicConstraint, KinematicConstraint], object]


def keyed(name: str, *values: float) -> Change:
    keys = dict(zip((1, 9), values, strict=True))
    return lambda _, elbow: rigs.animate(elbow, **{name: keys})


def on_the_end_bone(main: KinematicConstraint, elbow: KinematicConstraint) -> None:
    """Of several IK constraints of a bone Blender heeds one, whatever they pull."""
    moved = main.id_data.pose.bones["lower"].constraints.copy(elbow)
    moved.use_tail, elbow.mute = False, True


def beside_another(_main: KinematicConstraint, elbow: KinematicConstraint) -> None:
    elbow.id_data.pose.bones["upper"].constraints.copy(elbow)


def to_a_vertex_group(_main: KinematicConstraint, elbow: KinematicConstraint) -> None:
    elbow.target = bpy.data.objects.new("Control", bpy.data.meshes.new("Prop"))
    elbow.target.vertex_groups.new(name="grip")
    elbow.subtarget = "grip"


NO_POLE: dict[str, Change] = {
    "half": lambda _, elbow: setattr(elbow, "influence", 0.5),
    "fading": keyed("influence", 1.0, 0.0),
    "muted for a while": keyed("mute", False, True),
    "turning": lambda _, elbow: setattr(elbow, "use_rotation", True),
    "not pulling": lambda _, elbow: setattr(elbow, "use_location", False),
    "a pole of its own": lambda _, elbow: setattr(elbow, "pole_target", empty("Pole", (1, 3, 1))),
    "beside a pole": lambda main, _: setattr(main, "pole_target", empty("Pole", (1, 3, 1))),
    "beside half of the other": lambda main, _: setattr(main, "influence", 0.5),
    "on the end bone": on_the_end_bone,
    "beside another": beside_another,
    "to a vertex group": to_a_vertex_group,
}


@pytest.mark.parametrize("change", NO_POLE.values(), ids=NO_POLE)
def test_a_control_that_no_pole_stands_for_is_refused(change: Change) -> None:
    main, elbow = pulled()
    rig = main.id_data
    change(main, elbow)
    found = {takeover.constraint: takeover for takeover in api.chains_from_constraints(rig)}
    assert not rig.two_bone_ik_chains
    assert "as an elbow control does" in found["IK"].differs[0]
    assert len(found) > 1, "the control is listed, too"


def test_an_elbow_control_serves_as_pole_by_hand() -> None:
    main, elbow = pulled()
    main.pole_target, elbow.mute = elbow.target, True
    ((differs, end),) = (
        (taken.differs, taken.fields["end_bone"]) for taken in api.chains_from_constraints(main.id_data)
    )
    assert (differs, end) == ((), "lower")


def test_the_knee_control_of_a_leg_of_three_bones_is_refused() -> None:
    main = ik_constraint.limb(ARM, "hand", pole=None, use_tail=True, chain_count=3)
    knee = main.id_data.pose.bones["upper"].constraints.new("IK")
    knee.target, knee.chain_count = empty("Control", (0.6, 0.9, 1.8)), 1
    found = {takeover.bone: takeover for takeover in api.chains_from_constraints(main.id_data)}
    assert [takeover.chain for takeover in found.values()] == ["", ""]
    assert "as an elbow control does" in found["hand"].differs[0]

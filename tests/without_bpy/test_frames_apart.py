"""Frames solved apart: each as if it were the only one, whatever the frames beside it hold, in any order."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from two_bone_ik.skeleton.frames_apart import posed_bones, solve_apart
from two_bone_ik.skeleton.solve import solve_groups
from two_bone_ik.skeleton.values import Plan, Point, Samples
from two_bone_ik.solver.values import Bend, Options, Plane, Reference, Solution, Unreachable

from support.plain_rig import RIG, PlainRig, about, basis, matrix, path_of, plan

COUNT = 12
TURN = np.linspace(0.0, 2.0 * np.pi, COUNT)
PATH = np.column_stack((np.cos(TURN), np.sin(TURN), 1.5 * np.sin(3.0 * TURN)))
"""About the root of an arm, within its reach and beyond."""

OPTIONS = {
    "plain": Options(),
    "nearest": Options(bend=Bend.NEAREST),
    "limits": Options(bend=Bend.LIMITS, bend_min=-1.0, bend_max=2.0),
    "hold": Options(unreachable=Unreachable.HOLD),
    "stretch": Options(unreachable=Unreachable.STRETCH, softness=0.2),
    "pinned": Options(plane=Plane.POLE, pole_pin=0.7, max_stretch=1.2),
    "pole": Options(plane=Plane.POLE, pole_angle=0.3, pole_influence=0.7),
    "smooth": Options(plane=Plane.POLE, pole_smoothing=0.5),
    "pose": Options(reference=Reference.POSE, influence=0.6, use_extension_limit=True),
}


def moving(options: Options, spine: tuple[float, ...], **fields: object) -> tuple[PlainRig, Plan]:
    """An arm with a hand on a spine that turns and is scaled so; target and pole move."""
    rig = PlainRig()
    rig.add("spine", head=(0.1, 0.0, 0.2))
    turned = np.array([about("X", angle) for angle in 0.2 * TURN])
    rig.basis["spine"] = replace(basis(scale=spine), rotation=turned)
    for name, parent, angle, length in (("upper", "spine", 0.2, 1.0), ("lower", "upper", -0.5, 0.8)):
        rig.add(name, parent, rotation=about("X", angle), length=length)
    rig.add("hand", "lower", rotation=about("Z", 0.3), length=0.3)
    rig.objects[RIG] = matrix((0.3, -0.2, 0.1), about("Z", 0.4))[None]
    rig.objects["Target"] = path_of(PATH + np.array([0.4, 0.1, 1.0]))
    rig.objects["Pole"] = path_of(3.0 * PATH[::-1])
    pole = Point("Pole") if options.plane == Plane.POLE else None
    chain = rig.chain("upper", "lower", target=Point("Target"), pole=pole, options=options, **fields)
    return rig, plan((chain,), count=COUNT)


def of_frame(samples: Samples, row: int) -> Samples:
    return samples.each(lambda values: values[row : row + 1] if len(values) > 1 else values)


@pytest.mark.parametrize("spine", [(1, 1, 1), (1, 1.3, 0.8)])
@pytest.mark.parametrize("name", OPTIONS)
def test_each_frame_is_solved_as_if_it_were_alone(name: str, spine: tuple[float, ...]) -> None:
    rig, whole = moving(OPTIONS[name], spine, below=("hand",), use_rotation=True)
    samples = rig.samples(COUNT)
    [beside] = solve_apart(whole, samples)
    for row in range(COUNT):
        [alone] = solve_groups(replace(whole, frames=whole.frames[row : row + 1]), of_frame(samples, row))
        for field in (each.name for each in fields(Solution)):
            one, other = (getattr(each.solution, field) for each in (alone, beside))
            # The fit of bones that change length ends within 1e-7.
            np.testing.assert_allclose(other[row : row + 1], one, atol=1e-12 if spine == (1, 1, 1) else 1e-6)


def test_a_pose_is_what_the_bones_show_once_they_have_it() -> None:
    rig, whole = moving(Options(), (1, 1, 1), below=("hand",), use_rotation=True)
    [solved] = solve_apart(whole, rig.samples(COUNT))
    posed = posed_bones(solved)
    for point, bone in posed.items():
        rig.basis[point.bone] = bone.basis
    for row in range(COUNT):
        for point, bone in posed.items():
            shown = rig.to_world(point.bone, row)
            np.testing.assert_allclose(rig.objects[RIG][0] @ bone.pose[row], shown, atol=1e-12)

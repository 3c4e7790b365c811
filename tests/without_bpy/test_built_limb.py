"""The expressions of a built limb, as Python reads them, against the law of cosines; no Blender."""

from __future__ import annotations

import math

import numpy as np
import pytest
from two_bone_ik.skeleton.built_limb import BuiltLimb, built_limb
from two_bone_ik.solver.values import Bend, Options, Plane

from support.limbs import lengths, random_limb
from support.oracles import rotation_about

NAMES = {name: getattr(math, name) for name in ("acos", "atan2", "sin", "cos", "sqrt", "exp", "fabs")}
NAMES |= {"max": max, "min": min, "pow": pow}


def value(expression: str, **values: float) -> float:
    """What a driver makes of it; Blender takes at most 255 characters."""
    assert len(expression) <= 255
    return float(eval(expression, {"__builtins__": {}}, NAMES | values))


def posed(limb: BuiltLimb, chain: object, **values: float) -> np.ndarray:
    """(2, 3) mid and tip in the space of aim, at rest, as the bones upper and lower carry them."""
    first, second = limb.bones["upper"], limb.bones["lower"]
    bend = value(limb.bend, **values)
    upper = first.orientation @ rotation_about(first.axis, value(first.angle, t=bend, **values))
    # Lower is a child of upper.
    lower = upper @ first.orientation.T @ second.orientation @ rotation_about(second.axis, bend)
    links = np.diff(chain.joints, axis=0)
    mid = upper @ links[0]
    return np.array((mid, mid + lower @ END.T @ links[1])) @ limb.bones["aim"].orientation


END = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
END = END * np.sign(np.linalg.det(END))


@pytest.mark.parametrize("bend", [Bend.REST, Bend.NEGATIVE])
@pytest.mark.parametrize("seed", range(20))
def test_expressions_put_mid_and_tip_where_geometry_says(seed: int, bend: Bend) -> None:
    random = np.random.default_rng(seed)
    chain = random_limb(random)
    limb = built_limb(chain, END[None], Options(bend=bend, plane=Plane.AIM), has_pole=False, soft=False, turned=False)
    first, second = lengths(chain)
    for distance in random.uniform(0.1, 1.2, 10) * (first + second):
        scale = random.uniform(0.3, 5.0)
        mid, tip = posed(limb, chain, d=distance * scale, s=scale)
        reach = min(max(distance, abs(first - second)), first + second)
        along = (reach**2 + first**2 - second**2) / (2.0 * reach)
        across = math.sqrt(max(first**2 - along**2, 0.0))
        np.testing.assert_allclose(tip, (0.0, reach, 0.0), atol=1e-6 * (first + second))
        side = 1.0 if bend == Bend.NEGATIVE else -1.0
        np.testing.assert_allclose(mid, (0.0, along, side * across), atol=1e-6 * (first + second))


@pytest.mark.parametrize("seed", range(20))
def test_the_rest_pose_is_a_fixed_point(seed: int) -> None:
    chain = random_limb(np.random.default_rng(seed))
    limb = built_limb(chain, END[None], Options(), has_pole=True, soft=False, turned=False)
    bend = value(limb.bend, d=float(np.linalg.norm(chain.joints[2])), s=1.0)
    assert bend == pytest.approx(2.0 * math.pi, abs=1e-7)
    assert value(limb.bones["upper"].angle, t=bend) == pytest.approx(2.0 * math.pi, abs=1e-7)
    mid = chain.joints[1] @ limb.bones["aim"].orientation
    assert abs(mid[0]) < 1e-9
    assert mid[2] * limb.side > 0.0


def test_scale_zero_and_a_target_on_the_root_divide_by_nothing() -> None:
    chain = random_limb(np.random.default_rng(1))
    options = Options(softness=0.2, plane=Plane.AIM)
    limb = built_limb(chain, END[None], options, has_pole=False, soft=True, turned=False)
    for distance, scale, soft in ((0.0, 0.0, 0.0), (0.0, 1.0, 0.2), (1.0, 0.0, 0.0), (1.0, 0.0, 1.0)):
        values = {"d": distance, "s": scale, "q": soft}
        assert math.isfinite(value(limb.bones["upper"].angle, t=value(limb.bend, **values), **values))
        assert value(limb.stretch, m=2.0, **values) in (1.0, 2.0)

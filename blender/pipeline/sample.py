"""Plan into samples: the only step that evaluates Blender. Whichever way is taken, nothing of it stays in the file."""

from __future__ import annotations

from . import sample_isolated, sample_scene
from .plan import Plan
from .samples import Samples, wanted


def samples(plan: Plan, way: str) -> Samples:
    """What the plan's chains depend on, over its frames.

    way : AUTO, CURVES, ISOLATED or SCENE
    raises : Refused where something that is needed cannot be evaluated
    """
    if way == "SCENE":
        return sample_scene.samples(plan.scene, wanted(plan), plan.frames)
    return sample_isolated.samples(plan.scene, wanted(plan), plan.frames)


def current(plan: Plan) -> Samples:
    """The same for the scene just as it stands now, with edits that have no key."""
    return sample_scene.current(plan.scene, wanted(plan))

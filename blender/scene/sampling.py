"""Plan into samples: the only step that evaluates Blender, by the first way that is right for what is needed.

Whichever way is taken, nothing of it stays in the file.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Depsgraph, Object, RenderSettings, Scene

from ...skeleton.steps import run
from ...skeleton.transform import Basis
from ...skeleton.values import Plan, Point, Samples
from ...solver.values import Array
from .. import versions
from ..armatures import Rig
from ..curves.unkeyed_edits import KeyedPaths
from ..messages.refused import Refused, unless_gone
from ..messages.translation import translated
from ..settings.key_settings import Sampling
from . import curves, dependencies, probe
from .checks import Removal, refuse_not_finite, refuse_unfit_numbers
from .dependencies import Constraints
from .need import SampleNeed, sample_need
from .pose_before import PoseBefore, pose_before

Steps = Generator[float, None, Samples]
"""Sampling bit by bit: yields the part that is done."""

_OURS = __package__.partition(".blender")[0]
_SIMULATIONS = {"CLOTH", "SOFT_BODY", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM"}


def as_sampled(_bone: Point, basis: Basis) -> Basis:
    """Where nothing is live: a bone starts from the pose that was sampled."""
    return basis


class Sampler(ExitStack):
    """Evaluates Blender for one plan, as often as it is asked to; once it is closed, nothing of it is in the file.

    way : AUTO becomes the first of the others that is right for what the plan's chains depend on
    slow : is told in a sentence why sampling takes long, if it does
    removal : tells what of the plan has been removed since
    """

    def __init__(self, plan: Plan, way: Sampling, slow: Callable[[str], object] = lambda _reason: None) -> None:
        super().__init__()
        self._plan, self.way, self._slow = plan, way, slow
        self.removal = Removal(plan)
        self._mixed = way == Sampling.AUTO
        self._isolated: tuple[Scene, frozenset[Point]] | None = None

    def over_range(self, need: SampleNeed | None = None, known: Constraints | None = None) -> Steps:
        """What the plan's chains depend on, or what is needed, over its frames; yields the part that is done.

        Bones that Live has posed are as they were before.

        known : all constraints of the plan's armature, where they were looked for before
        raises : Refused where something that is needed cannot be evaluated
        """
        keyed = {Point(chain.rig, bone.name) for chain in self._plan.chains for bone in chain.keyed}
        need = need or sample_need(self._plan)
        samples = yield from self._whole(self._evaluated(need, keyed, known), self._plan.frames)
        return _with_poses_before(need, samples)

    def of(self, need: SampleNeed, keyed: Collection[Point] = ()) -> Steps:
        """Just what is needed, over the plan's frames.

        keyed : bones that move as after a bake, whatever IK constraints make of them now
        """
        return (yield from self._whole(self._evaluated(need, keyed), self._plan.frames))

    def between(self, need: SampleNeed, frames: Array) -> Steps:
        """Just what is needed, on other frames, once those of the plan were sampled."""
        return (yield from self._whole(self._on_frames(need, frames), frames))

    def played(self, need: SampleNeed, frames: Array, keyed: KeyedPaths) -> Samples:
        """The animation that results after keying, on these frames."""
        # At one go: a bake given up in time leaves no keys, and one with keys tells how they play.
        return run(self._whole(self._stepped(need, frames, keyed)))

    def renew(self) -> None:
        """Let Blender build its graph again: in an older one, drivers may run before the keys that they read."""
        if self._isolated:
            probe.renew(self._isolated[0])

    @property
    def stage(self) -> tuple[Scene, bool]:
        """The scene that it plays, and whether in the user's own: others with the same can be played at one go."""
        return self._plan.scene, self.way == Sampling.SCENE

    def another_on_stage(self) -> "Sampler":
        """Another sampler for the same stage, to be asked at one go for what several requests need."""
        return Sampler(self._plan, self.way)

    def _whole(self, steps: Steps, frames: Array | None = None) -> Steps:
        """The samples of these steps; Refused where handlers removed what they need.

        frames : (n,) those on which all has to be fit to be posed; None where it is only measured
        """
        try:
            samples = yield from steps
        except (ReferenceError, KeyError):
            self.removal.refuse()
            raise
        self.removal.refuse()
        if frames is not None:
            _refuse_unfit(samples, frames)
        return samples

    def _evaluated(self, need: SampleNeed, keyed: Collection[Point], known: Constraints | None = None) -> Steps:
        plan = self._plan
        obstacle = ""
        if self.way == Sampling.AUTO and (obstacle := needs_playing(need)):
            self.way = Sampling.SCENE
        elif self.way in (Sampling.AUTO, Sampling.CURVES):
            obstacle = curves.obstacle(need, keyed, {plan.rig: known})
            if obstacle and self.way == Sampling.CURVES:
                raise Refused("NOT_ONLY_CURVES", object=plan.rig, value=obstacle)
            self.way = Sampling.ISOLATED if obstacle else Sampling.CURVES
        elif self.way == Sampling.ISOLATED and _driven_by_scene(_upstream(need)):
            raise Refused("NOT_ISOLATED", object=plan.rig)
        if self.way == Sampling.CURVES:
            return (yield from self._on_frames(need, plan.frames))
        if self.way == Sampling.SCENE:
            self._slow(translated("slow.scene", reason=obstacle) if obstacle else translated("slow.scene_asked"))
        else:
            self._slow(translated("slow.isolated", reason=obstacle) if obstacle else translated("slow.isolated_asked"))
        with _without_constraints(plan.rig, {place.bone for place in keyed if place.object == plan.rig}):
            return (yield from self._on_frames(need, plan.frames, keyed))

    def _on_frames(self, need: SampleNeed, frames: Array, keyed: Collection[Point] = ()) -> Steps:
        """By F-curves for objects that these fully describe, otherwise step by step."""
        if self.way == Sampling.CURVES:
            return (yield from self._by_curves(need, frames))
        plain = curves.plain_objects(need, keyed) if self._mixed and self.way == Sampling.ISOLATED else frozenset()
        if not plain:
            return (yield from self._stepped(need, frames))
        samples = yield from self._stepped(need.only({point.object for point in need.points} - plain), frames)
        return samples | run(self._by_curves(need.only(plain), frames))

    def _by_curves(self, need: SampleNeed, frames: Array) -> Steps:
        render: RenderSettings = self._plan.scene.render
        return (yield from curves.samples(need, frames * (render.frame_map_old / render.frame_map_new)))

    def _stepped(self, need: SampleNeed, frames: Array, keyed: KeyedPaths = MappingProxyType({})) -> Steps:
        if self.way == Sampling.SCENE:
            with probe.played_scene(self._plan.scene, need, keyed) as scene:
                return (yield from probe.step(scene, need, frames))
        if self._isolated is None or not need.points <= self._isolated[1]:
            self._isolated = self.enter_context(probe.isolated_scene(self._plan.scene, need)), need.points
        return (yield from probe.step(self._isolated[0], need, frames))


def stage_for(scene: Scene, need: SampleNeed) -> AbstractContextManager[Scene]:
    """The scene itself where only that tells what is needed, otherwise an isolated one; both to be stepped."""
    return probe.played_scene(scene, need, {}) if needs_playing(need) else probe.isolated_scene(scene, need)


def played_on(scene: Scene, need: SampleNeed, frames: Array) -> Samples:
    """Just what is needed on these frames (n,), as the scene plays."""
    with stage_for(scene, need) as stage:
        return run(probe.step(stage, need, frames))


def needs_playing(need: SampleNeed) -> str:
    """Why only playing the scene tells what is needed, in words; "" where there is no need to."""
    items = _upstream(need)
    if handled("frame_change_pre", "frame_change_post") or any(map(_simulated, items)):
        return translated("obstacle.simulation")
    return translated("obstacle.scene") if _driven_by_scene(items) else ""


def handled(*events: str) -> bool:
    """True if at these events others than we change the scene, or may."""
    handlers = (handler for event in events for handler in getattr(bpy.app.handlers, event))
    # What is no function, such as a list's own append, may have no module, or None for one.
    return any(not str(getattr(handler, "__module__", "")).startswith(_OURS) for handler in handlers)


def _upstream(need: SampleNeed) -> set[Object]:
    """What is needed, and all objects that it depends on."""
    return {place.object for place in dependencies.upstream(*need.placed)}


def _simulated(item: Object) -> bool:
    return bool(item.rigid_body) or any(modifier.type in _SIMULATIONS for modifier in item.modifiers)


def _driven_by_scene(items: Iterable[Object]) -> bool:
    """True if drivers of these read animated properties of a scene, themselves or by way of others.

    In an isolated scene these do not move.
    """
    seen: set[ID] = set()
    waiting: list[Any] = list(items)
    while waiting:
        block = waiting.pop()
        if block is None or block in seen:
            continue
        seen.add(block)
        if isinstance(block, Scene) and block.animation_data:
            return True
        variables = [item for driver in versions.drivers(block) for item in driver.driver.variables]
        if any(variable.type == "CONTEXT_PROP" for variable in variables):
            return True
        waiting += [getattr(block, "data", None), *(target.id for item in variables for target in item.targets)]
    return False


def settle(plan: Plan) -> None:
    """Let Blender evaluate edits, and limbs that follow these be posed: while something is sampled, they are not."""
    plan.scene.view_layers[0].update()


@contextmanager
def sampled_current_frame(
    plan: Plan, need: SampleNeed, before: PoseBefore = as_sampled
) -> Iterator[tuple[Samples, Callable[[SampleNeed], Samples]]]:
    """What `sample_current_frame` gives, and while it is open what tells of the current frame how it then plays."""
    with probe.probing_now(plan.scene, need):
        samples = probe.probed(plan.scene, need)
        _refuse_unfit(samples, plan.frames)
        yield _with_poses_before(need, samples, before), lambda need: probe.probed(plan.scene, need)


def sample_current_frame(plan: Plan, need: SampleNeed, before: PoseBefore = as_sampled) -> Samples:
    """The scene just as it is now, with edits that have no key."""
    with sampled_current_frame(plan, need, before) as (samples, _):
        return samples


def samples_from_depsgraph(need: SampleNeed, depsgraph: Depsgraph) -> Samples:
    """The scene as a dependency graph has it, once `refuse_disabled` has found that it leaves out nothing."""
    recorder = probe.Recorder(need)
    recorder.record(depsgraph)
    samples = recorder.samples()
    _refuse_unfit(samples, np.array([depsgraph.scene.frame_current_final]))
    return _with_poses_before(need, samples)


def _refuse_unfit(samples: Samples, frames: Array) -> None:
    refuse_not_finite(samples, frames)
    refuse_unfit_numbers(samples, frames)


def _with_poses_before(need: SampleNeed, samples: Samples, before: PoseBefore = pose_before) -> Samples:
    """Bones that are posed as a live limb was posed are as they were before."""
    bases = {point: need.start(point, samples.basis[point], before) for point in need.posed}
    return replace(samples, basis=samples.basis | bases) if bases else samples


@contextmanager
def _without_constraints(rig: Rig, keyed: Collection[str]) -> Iterator[None]:
    """While it is open, IK constraints do not move the bones `keyed`, nor what follows them."""
    places = dependencies.hiding(dependencies.constrained(rig), keyed)
    active = [place for place in places if not dependencies.constraint_named(rig, *place).mute]
    try:
        for place in active:
            dependencies.constraint_named(rig, *place).mute = True
        yield
    finally:
        for place in active:
            with unless_gone:
                if constraint := dependencies.constraint_named(rig, *place):
                    constraint.mute = False

"""A temporary empty that makes Blender evaluate what is needed: hidden, excluded, or in no scene at all.

It is in a temporary scene that has nothing else, or in the user's own. A constraint pulls its target into the
dependency graph even when it is muted, and a bone named as its subtarget pulls in the armature's pose.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from math import floor
from typing import Any, cast

import bpy
import numpy as np
from bpy.types import ID, CopyTransformsConstraint, Depsgraph, Object, PoseBone, Scene

from ...skeleton.transform import Basis, each_array
from ...skeleton.values import Point, Samples
from ...solver.values import Array
from ..curves import unkeyed_edits
from ..curves.unkeyed_edits import KeyedPaths
from ..messages.refused import Refused, unless_gone
from ..messages.translation import point_text
from ..session import session
from ..settings.keyed_options import bone_field
from ..versions import matrix_rows
from .bone import current_rows
from .need import SampleNeed

_EACH = 32
"""Constraints for each probe. To name a new one, Blender goes through all the others."""


@contextmanager
def probing(scene: Scene, need: SampleNeed) -> Iterator[None]:
    """While it is open, `scene` evaluates all that is needed."""
    probes: list[Object] = []
    with marked():
        try:
            link(scene, need, probes)
            yield
        finally:
            # Not by name: a file that was saved meanwhile has the probe too.
            for probe in probes:
                with unless_gone:
                    bpy.data.objects.remove(probe)


def link(scene: Scene, need: SampleNeed, probes: list[Object]) -> None:
    """Link to `scene` what makes it evaluate all that is needed, and add it to `probes`, to be removed in the end."""
    points = sorted(need.points, key=point_text)
    for start in range(0, len(points), _EACH):
        probes.append(_probe())
        scene.collection.objects.link(probes[-1])
        for point in points[start : start + _EACH]:
            constraint = cast(CopyTransformsConstraint, probes[-1].constraints.new("COPY_TRANSFORMS"))
            constraint.target, constraint.subtarget = point.object, point.bone
            constraint.mute = True


def renew(scene: Scene) -> None:
    """Let Blender build the dependency graph of a scene that has nothing but probes again."""
    for probe in (*scene.collection.objects,):
        scene.collection.objects.unlink(probe)
        scene.collection.objects.link(probe)


@contextmanager
def probing_now(scene: Scene, need: SampleNeed) -> Iterator[None]:
    """While it is open, `scene` evaluates all that is needed, on the current frame alone.

    What the view layer shows anyway needs no probe. Blender builds its dependency graph again for objects that come or
    go; the more there are, the longer that takes.
    """
    layer = scene.view_layers[0]
    with marked():
        layer.update()
        shown = all(point.object.visible_get(view_layer=layer) for point in need.points)
        with nullcontext() if shown else probing(scene, need):
            yield


@contextmanager
def marked() -> Iterator[None]:
    """While it is open, the session knows that something is being sampled."""
    session.samplings += 1
    try:
        yield
    finally:
        session.samplings -= 1
        for listener in () if session.samplings else session.sampled:
            listener()


def _probe() -> Object:
    probe = bpy.data.objects.new("Two-Bone IK probe", None)
    # An empty of this kind is evaluated as any, and drawn in no view.
    probe.empty_display_type = "IMAGE"
    probe.show_empty_image_orthographic = probe.show_empty_image_perspective = False
    return probe


class Recorder:
    """Collects matrices from as many evaluations as there are frames, one after another."""

    def __init__(self, need: SampleNeed, count: int = 1) -> None:
        self._need, self._row = need, 0
        self._sources = {point.object for point in need.points}

        def empty(*shape: int) -> Array:
            return np.empty((count, *shape), order="F")

        # Making arrays of 20,000 matrices in the end would take seconds, in which Esc is not heard.
        self._objects = {item: empty(4, 4) for item in need.objects}
        self._bones, self._poses = [*need.bones], empty(len(need.bones), 4, 4)
        self._own = {point: empty(4, 4) for point in need.own if not point.bone or point in need.turned}
        self._scales = {point: empty(3) for point in self._own}
        # Of most bones nothing else counts, and six numbers take a fraction of the time of a matrix.
        self._unturned: dict[Point, list[tuple[float, ...]]] = {
            point: [] for point in need.own if point not in self._own
        }
        self._numbers = {point: {name: empty() for name in names} for point, names in need.numbers.items()}

    def record(self, depsgraph: Depsgraph) -> None:
        """One frame, as this dependency graph has it now; Refused where it leaves something out."""
        evaluated = evaluated_objects(self._sources, depsgraph)
        bones = {item: state.pose.bones for item, state in evaluated.items() if item.type == "ARMATURE"}
        for item, matrices in self._objects.items():
            matrices[self._row] = matrix_rows(evaluated[item].matrix_world)
        if self._bones:
            # All at once: to put away one matrix takes about as long as to ask Blender for it.
            self._poses[self._row] = [matrix_rows(bones[item][name].matrix) for item, name in self._bones]
        for point, matrices in self._own.items():
            owner = bones[point.object][point.bone] if point.bone else evaluated[point.object]
            matrices[self._row], self._scales[point][self._row] = current_rows(owner)
        for (item, name), rows in self._unturned.items():
            bone = bones[item][name]
            rows.append(bone.location[:] + bone.scale[:])
        for point, numbers in self._numbers.items():
            bone, unset = bones[point.object][point.bone], self._need.numbers[point]
            for name, values in numbers.items():
                values[self._row] = number_of(bone, name, unset[name])
        self._row += 1

    def samples(self) -> Samples:
        """All frames so far."""
        poses = {point: self._poses[:, column] for column, point in enumerate(self._bones)}
        worlds, poses, numbers = each_array(_once, (self._objects, poses, self._numbers))
        basis = {point: self._basis(point) for point in self._need.own}
        return Samples(to_world=worlds, pose=poses, basis=basis, numbers=numbers)

    def _basis(self, point: Point) -> Basis:
        if point in self._own:
            return each_array(_once, Basis.of(self._own[point], self._scales[point]))
        rows = np.array(self._unturned[point], order="F")
        location, scale = rows[:, :3], rows[:, 3:]
        if point.object.data.bones[point.bone].use_connect:
            location = np.zeros_like(location)  # Blender ignores what is set
        return Basis(location=_once(location), rotation=np.eye(3)[None], scale=_once(scale))


def evaluated_objects(items: Iterable[Object], depsgraph: Depsgraph) -> dict[Object, Any]:
    """The objects as this dependency graph has them; Refused where it leaves one out."""
    evaluated: dict[Object, Any] = {item: item.evaluated_get(depsgraph) for item in items}
    for item, state in evaluated.items():
        if not state.is_evaluated:
            raise Refused("STALE", object=item)
    return evaluated


def number_of(bone: PoseBone, name: str, unset: float) -> float:
    """The keyed option of this name that an end bone has; `unset` where nothing has ever set it."""
    field = bone_field(name)
    return getattr(bone, field) if bone.is_property_set(field) else unset


def _once(values: Array) -> Array:
    """(n, ...), or (1, ...) where all are the same."""
    return values[:1] if len(values) > 1 and (values == values[0]).all() else values


def set_frame(scene: Scene, frame: float) -> None:
    """Show this frame. Blender itself stores -6.75 as -6 and -0.75, but takes no subframe below zero."""
    whole = floor(frame)
    scene.frame_set(whole, subframe=frame - whole)


def step(scene: Scene, need: SampleNeed, frames: Array) -> Generator[float, None, Samples]:
    """Evaluate `scene`, which is probed for all that is needed, on every frame; yields the part that is done."""
    recorder = Recorder(need, len(frames))
    for done, frame in enumerate(frames.tolist()):
        yield done / len(frames)
        set_frame(scene, frame)
        recorder.record(scene.view_layers[0].depsgraph)
    return recorder.samples()


def probed(scene: Scene, need: SampleNeed) -> Samples:
    """One frame of a scene that is probed for all that is needed: as it is now, with edits that have no key."""
    recorder = Recorder(need)
    layer = scene.view_layers[0]
    layer.update()
    recorder.record(layer.depsgraph)
    return recorder.samples()


_TIME = ("fps", "fps_base", "frame_map_old", "frame_map_new")
_UNITS = ("system", "scale_length", "system_rotation")


@contextmanager
def isolated_scene(scene: Scene, need: SampleNeed) -> Iterator[Scene]:
    """A scene that shows, of all that is needed, what `scene` would show; edits without keys stay as they are."""
    with scene_apart(scene) as (isolated, probes):
        link(isolated, need, probes)
        yield isolated


@contextmanager
def scene_apart(scene: Scene) -> Iterator[tuple[Scene, list[Any]]]:
    """An empty scene with time, units and gravity of `scene`, and a list; data-blocks in that are removed with it."""
    apart = bpy.data.scenes.new("Two-Bone IK")
    added: list[Any] = []
    uid = apart.session_uid
    session.isolated.add(uid)
    with marked():
        try:
            _copy(scene.render, apart.render, _TIME)
            _copy(scene.unit_settings, apart.unit_settings, _UNITS)
            _copy(scene, apart, ("use_gravity", "gravity"))
            yield apart, added
        finally:
            session.isolated.remove(uid)
            _remove(apart, added)


@contextmanager
def played_scene(scene: Scene, need: SampleNeed, keyed: KeyedPaths) -> Iterator[Scene]:
    """The scene itself, to be stepped; then it is as before, with edits that have no key, but for those `keyed`."""
    # Probed on the way back as well: otherwise hidden things would keep the channels of the last frame stepped to.
    with probing(scene, need), restored(scene, keyed):
        yield scene


@contextmanager
def restored(scene: Scene, keyed: KeyedPaths) -> Iterator[None]:
    """Inside, the scene may be stepped or evaluated; then it is as before, as for `played_scene`."""
    frame = scene.frame_current + scene.frame_subframe  # as `frame_current_final`, but to the last digit
    edits = unkeyed_edits.edits(unkeyed_edits.everywhere(), scene.frame_current_final, keyed)
    try:
        yield
    finally:
        with unless_gone:
            set_frame(scene, frame)
        unkeyed_edits.restore(edits)


def _remove(scene: Scene, added: Iterable[ID]) -> None:
    # Only this takes it off a screen. But in Blender 4 it reads the context's window, and crashes under `--command`,
    # where there is none.
    if any(window.scene == scene for manager in bpy.data.window_managers for window in manager.windows):
        bpy.data.scenes.remove(scene)
    # At one go, since Blender goes through the whole file each time. It would crash over what is gone already.
    bpy.data.batch_remove([item for item in (scene, *added) if _is_there(item)])


def _is_there(item: ID) -> bool:
    with unless_gone:
        return bool(item.name)
    return False


def _copy(source: object, goal: object, names: tuple[str, ...]) -> None:
    for name in names:
        setattr(goal, name, getattr(source, name))

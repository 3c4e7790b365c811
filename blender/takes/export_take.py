"""Results in other formats than Blender's own, written by Blender's exporters, and as text and arrays.

WRITERS has the formats. Each writes the armatures that were worked on and the meshes that they deform, with what they
play, from its first key to its last.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

import addon_utils
import bpy
import numpy as np
from bpy.types import ArmatureModifier, Object, Scene, ViewLayer

from .. import versions
from ..armatures import Rig
from ..bake.report import Report
from ..messages.refused import Refused
from . import arrays, bvh_motion, frame_rate
from .contact_bones import contact_bones
from .take import Intake


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Export:
    """What to write.

    scene, layer : those of the context
    rigs : the armatures with their reports
    source : the file that they were read from; `fps` and `taken` are what it was imported with, and how
    notes : sentences for the report, which writers add to
    """

    scene: Scene
    layer: ViewLayer
    rigs: Sequence[tuple[Rig, Report]]
    source: Path
    fps: float | None
    taken: Intake
    notes: list[str]

    @property
    def frames(self) -> tuple[int, int]:
        """From the first key to the last; without keys those of the scene."""
        ends = [frame for rig, _ in self.rigs for curve in versions.curves(rig) for frame in curve.range().to_tuple()]
        return (floor(min(ends)), ceil(max(ends))) if ends else (self.scene.frame_start, self.scene.frame_end)


def _fbx(path: Path, export: Export) -> None:
    addon_utils.enable("io_scene_fbx")
    with _selected(export):
        bpy.ops.export_scene.fbx(
            filepath=str(path),
            use_selection=True,
            object_types={"ARMATURE", "MESH"},
            add_leaf_bones=False,
            bake_anim_use_nla_strips=False,
            bake_anim_use_all_actions=False,
            # By default keys are left out that would move joints by millimetres.
            bake_anim_simplify_factor=0.0,
        )


def _glb(path: Path, export: Export) -> None:
    addon_utils.enable("io_scene_gltf2")
    with _selected(export), frame_rate.as_gltf_takes_it(export.scene):
        bpy.ops.export_scene.gltf(
            filepath=str(path),
            export_format="GLB",
            use_selection=True,
            export_animation_mode="ACTIVE_ACTIONS",
            export_anim_single_armature=False,
            export_optimize_animation_size=False,
        )


def _usd(path: Path, export: Export) -> None:
    with _selected(export):
        bpy.ops.wm.usd_export(
            filepath=str(path), selected_objects_only=True, export_animation=True, **versions.WITHOUT_TEXTURES
        )


def _bvh(path: Path, export: Export) -> None:
    ((rig, report),) = export.rigs
    export.notes.extend(bvh_motion.write(path, export.source, export.scene, rig, report.unit, export.fps, export.taken))


def _npz(path: Path, export: Export) -> None:
    ((rig, report),) = export.rigs
    first, last = export.frames
    arrays.write(path, export.scene, rig, report, np.arange(first, last + 1.0))


WRITERS: dict[str, Callable[[Path, Export], None]] = {
    ".bvh": _bvh,
    ".fbx": _fbx,
    ".glb": _glb,
    ".npz": _npz,
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), _usd),
}
"""By suffix, what writes a file."""

OF_ONE = (".bvh", ".npz")
"""Formats that have room for a single armature."""


def export_take(path: Path, export: Export) -> None:
    """Write `path` in the format of its suffix.

    raises : Refused, RuntimeError with the exporter's own reason, OSError
    """
    # Blender takes relative paths from $PWD, and some versions go there once they have written .usdz.
    with chdir("."):
        WRITERS[path.suffix.lower()](path.absolute(), export)


@contextmanager
def _selected(export: Export) -> Iterator[None]:
    """While it is open, the armatures and their meshes are selected, with contacts, and the scene has their range."""
    scene, layer, objects = export.scene, export.layer, export.layer.objects
    before, active = [item for item in objects if item.select_get(view_layer=layer)], objects.active
    frames, now = (scene.frame_start, scene.frame_end), (scene.frame_current, scene.frame_subframe)
    rigs = [rig for rig, _ in export.rigs]
    for rig in rigs:
        if not rig.visible_get(view_layer=layer):
            raise Refused("HIDDEN_RIG", object=rig)  # Blender exports what is visible alone
    try:
        for item in objects:
            is_exported = _belongs_to(item, rigs) and item.visible_get(view_layer=layer)
            item.select_set(is_exported, view_layer=layer)
        objects.active = rigs[0]
        scene.frame_start, scene.frame_end = export.frames
        with contact_bones(rigs):
            # Without a mesh, the pose of now is the rest pose in FBX: let it be the first one, and nothing stand.
            scene.frame_set(scene.frame_start - 1)
            yield
    finally:
        for item in objects:
            item.select_set(item in before, view_layer=layer)
        objects.active = active
        scene.frame_start, scene.frame_end = frames
        scene.frame_set(now[0], subframe=now[1])


def _belongs_to(item: Object, rigs: Sequence[Rig]) -> bool:
    """Whether the object is one of the armatures, or a mesh that hangs on one of them."""
    modifiers = [modifier.object for modifier in item.modifiers if isinstance(modifier, ArmatureModifier)]
    return item in rigs or (item.type == "MESH" and any(rig in rigs for rig in (item.parent, *modifiers)))

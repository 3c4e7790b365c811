"""Import a motion capture and plant it: from a file browser, or dropped onto the 3D View."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface
from bpy.types import Context, Event, FileHandler

from ..blender.armatures import Rig
from ..blender.options import option, rows, with_properties
from .armature_operator import ArmatureOperator, Result, api
from .progress import RequestOperator


@with_properties({name: option("take", name) for name in rows("take")})
class TWO_BONE_IK_OT_plant_capture(RequestOperator):
    """Import a motion capture, and key its legs so that feet stay where they stand. A scene in which nothing is
    animated gets its rate and range"""

    bl_label = "Plant a Capture"
    begins_at_once = False  # Blender 4.3 makes an undo step when its file browser has closed

    @classmethod
    def poll(cls, context: Context) -> bool:
        return bool(context.window)

    def invoke(self, context: Context, event: Event) -> Result:
        if self.properties.is_property_set("filepath"):
            return super().invoke(context, event)
        from ..blender.takes.import_take import READERS

        options: Any = self.properties
        options.filter_glob = ";".join(f"*{suffix}" for suffix in READERS)
        self.window = context.window
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def rigs(self, _context: Context) -> list[Rig]:
        if not self._capture.rigs:
            raise api.Refused("NO_RIG.in_scene", file=self._path)
        return self._capture.rigs

    def request(self, _context: Context, rig: Rig) -> "api.Request":
        return api.plant.request(rig, scene=self._capture.scene)

    def in_its_words(self, sentence: str) -> str:
        """With fields of the dialog where it has arguments of the command line."""
        for name, row in rows("take").items():
            sentence = sentence.replace(f"--import-{name}", pgettext_iface(row["name"]))
        return sentence

    def tell(self, report: "api.Report") -> None:
        super().tell(replace(report, notes=(*report.notes, *map(self.in_its_words, self._capture.notes))))

    def _each(self, context: Context) -> Generator[float, None, None]:
        from ..blender.takes.imported_apart import imported_apart
        from ..blender.takes.take import Import, Up

        options, layer = self.properties, context.view_layer
        self._path = Path(bpy.path.abspath(options.filepath))
        take = Import(
            self._path,
            context.scene,
            fps=options.fps or None,
            scale=options.scale,
            up=None if options.up == "AUTO" else Up(options.up),
            height=options.height or None,
            take=options.take,
        )
        with self.refusals_told(), imported_apart(context.window, take) as self._capture:
            yield from super()._each(context)
            if self._finished:
                if context.mode != "OBJECT":
                    bpy.ops.object.mode_set(mode="OBJECT")
                self._capture.hand_over(layer)


class TWO_BONE_IK_OT_fit_scene(ArmatureOperator):
    """Give the scene the range of the capture, and its rate where that is known"""

    bl_label = "Fit Scene to Capture"

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.takes import fit_scene

        if time := fit_scene.misfit(rig, context.scene):
            fit_scene.fit(context.scene, time)


class TWO_BONE_IK_FH_capture(FileHandler):
    """Blender's other importers take files of the other formats"""

    bl_label = "Motion Capture (Two-Bone IK)"
    bl_import_operator = "two_bone_ik.plant_capture"
    bl_file_extensions = ".bvh"

    @classmethod
    def poll_drop(cls, context: Context) -> bool:
        return bool(context.area) and context.area.type == "VIEW_3D"

"""What the last request has told of the armature."""

from bpy.types import Context, UILayout

from ..blender.armatures import Rig
from ..blender.bake import markers, report
from .sidebar import draw_lines, section


def draw(layout: UILayout, context: Context, rig: Rig) -> None:
    """What the last bake or check of this armature has found."""
    last_report = report.last(rig)
    if last_report is None:
        return
    body = section(layout, "Report", count=last_report.to_know)
    if body:
        draw_lines(body, context, [last_report.title])
        if table := last_report.table():
            grid = body.grid_flow(row_major=True, columns=len(table[0]), align=True)
            grid.scale_y = 0.8
            for cell in (cell for row in table for cell in row):
                grid.label(text=cell, translate=False)
        for finding in last_report.findings():
            draw_lines(body, context, [finding.text], frame=finding.frame)
        if markers.of(context.scene, rig.name):
            body.operator("two_bone_ik.markers_remove", text="Remove Markers")

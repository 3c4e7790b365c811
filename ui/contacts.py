"""When feet stand: a row of contacts for each over the range, and the buttons that change it.

It is a row of buttons, each as wide as the run of frames that it stands for: pressed where the foot stands flat, raised
where it stands on ball or heel, and invisible where it is free. A long range has pages. Beside the selected frames are
two fields without room for their numbers: Blender drags fields, and Esc takes that back.
"""

from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.plant import contact_keys, contact_runs
from ..blender.plant.contact_runs import Run
from .sidebar import ICON, draw_lines, is_narrow, sidebar_width

_BESIDE, _NAMES = 80.0, 0.25
"""Pixels of the sidebar beside a row, and the part of the rest that names of limbs have before it. A row that has more
room fills it; in less, Blender would not keep the proportions.
"""

_FRAME, _WORD, _EDGE = 2.0, 40.0, 8.0
"""Pixels that a frame, a word in a button, and an edge that can be dragged need."""


def draw(layout: UILayout, context: Context, rig: Any) -> None:
    """The rows of all limbs with contacts, and what sets the contacts that are selected."""
    rows, scene = contact_runs.rows(rig), context.scene
    names = contact_runs.limb_names(rig, rows)
    if rows:
        named = 0.0 if is_narrow(context) else _NAMES
        width = (sidebar_width(context) - _BESIDE) * (1.0 - named)
        page = contact_runs.page(rows.values(), scene.frame_current, int(width / _FRAME))
        pixels = width / (page[1] - page[0] + 1)
        column = layout.column(align=True)
        _draw_head(column, context, rig, rows, page)
        _draw_place(_named_row(column, "", named), scene.frame_current, page, pixels)
        for bone, row in rows.items():
            drawn = _named_row(column, names.get(bone, bone), named)
            _draw_runs(drawn, rig, bone, contact_runs.runs(row, *page), pixels)
    unkeyed = pgettext_iface("The contact of {} is changed and has no key")
    for changed in contact_keys.unkeyed(rig, scene, sorted(rows.keys() | names.keys())):
        draw_lines(layout, context, [unkeyed.format(names.get(changed.name, changed.name))])
    bone, first, last = contact_runs.selected(rig, scene)
    if bone:
        kind = contact_runs.kind_over(rows[bone], first, last) if bone in rows else ""
        _draw_setting(layout, context, rig, names.get(bone, bone), (first, last), kind)


def _named_row(layout: UILayout, name: str, named: float) -> UILayout:
    """A row for contacts, with a name in this part of it, or above it if that is 0."""
    if named:
        layout = layout.split(factor=named)
    above_or_before = layout.column()
    if name:
        above_or_before.label(text=name, translate=False)
    return layout.row(align=True)


def _draw_head(layout: UILayout, context: Context, rig: Any, rows: Any, page: tuple[int, int]) -> None:
    """Which frames the rows show, and whether what plays is older; where there are more pages, the ways there."""
    start, end = page
    first, last = contact_runs.whole_span(rows.values())
    row = layout.row(align=True)
    title = "{} - {}" if is_narrow(context) else pgettext_iface("Contacts {} - {}")
    # In the same line: Blender takes a drag back if lines come or go.
    older = pgettext_iface("{}, motion is older") if contact_runs.are_newer(rig, rows) else "{}"
    row.label(text=older.format(title.format(start, end)), translate=False)
    for frame, icon, is_there in ((start - 1, "TRIA_LEFT", start > first), (end + 1, "TRIA_RIGHT", end < last)):
        way = row.row(align=True)
        way.enabled = is_there
        way.operator("two_bone_ik.go_to_frame", text="", icon=icon, emboss=False).frame = frame  # type: ignore[arg-type]


def _draw_place(row: UILayout, frame: int, page: tuple[int, int], pixels: float) -> None:
    """A mark above the rows at the current frame; `pixels` : of a frame"""
    start, end = page
    row.scale_y = 0.5
    if not start <= frame <= end:
        row.label(text="")
        return
    left, right = (pixels * (frame - start + 0.5) + beside for beside in (-ICON / 2.0, ICON / 2.0))
    _part(row, 0.0, left).label(text="")
    _part(row, left, right).label(text="", icon="TRIA_DOWN")
    _part(row, right, pixels * (end - start + 1)).label(text="")


def _draw_runs(row: UILayout, rig: Any, bone: str, runs: list[Run], pixels: float) -> None:
    """`pixels` : of a frame"""
    first, row.use_property_split = runs[0].start, False
    edges = _edges(rig, pixels, first, runs[-1].end) if bone == rig.two_bone_ik_contact_bone else {}
    parts: list[tuple[float, float, Run | str]] = [(*edge, name) for name, edge in edges.items()]
    for run in runs:
        left, right = pixels * (run.start - first), pixels * (run.end + 1 - first)
        for begin, end in edges.values():
            if begin <= left < end:
                left = end
            elif left < begin < right:
                right = begin
        parts += [(left, right, run)] if left < right else []
    for left, right, shown in sorted(parts, key=lambda part: part[0]):
        part = _part(row, left, right)
        if isinstance(shown, str):
            part.alert = True  # in the color that no run has
            part.prop(rig, shown, text="")
        else:
            _draw_run(part, bone, shown, right - left)


def _edges(rig: Any, pixels: float, first: int, last: int) -> dict[str, tuple[float, float]]:
    """By property where its field is in a row that shows these frames: beside the selected ones, if there is room."""
    start, end = rig.two_bone_ik_contact_frames
    left = max(pixels * (start - first) - _EDGE, 0.0)
    right = max(min(pixels * (end + 1 - first), pixels * (last + 1 - first) - _EDGE), left + _EDGE)
    places = {"two_bone_ik_contact_start": (start, left), "two_bone_ik_contact_end": (end, right)}
    return {name: (place, place + _EDGE) for name, (frame, place) in places.items() if first <= frame <= last}


def _draw_run(part: UILayout, bone: str, run: Run, width: float) -> None:
    text = run.kind.capitalize() if run.kind != "NONE" and width > _WORD else ""
    stands, flat = run.kind != "NONE", run.kind == "BOTH"
    button: Any = part.operator("two_bone_ik.contact_select", text=text, emboss=stands, depress=flat)
    button.bone, button.frame = bone, run.start


def _part(row: UILayout, start: float, end: float) -> UILayout:
    """A part of a row without gaps, from one of its pixels to another: whole ones, or the errors would add up."""
    part = row.row(align=True)
    part.ui_units_x = max(round(end) - round(start), 1) / ICON
    return part


def _draw_setting(layout: UILayout, context: Context, rig: Any, name: str, frames: tuple[int, int], kind: str) -> None:
    """The frames that are selected, and what the limb shall stand on there."""
    column = layout.column(align=True)
    if rig.two_bone_ik_contact_bone:
        row = column.row(align=True)
        row.use_property_split = False
        row.label(text=name, translate=False)
        row.prop(rig, "two_bone_ik_contact_start", text="")
        row.prop(rig, "two_bone_ik_contact_end", text="")
    else:
        column.label(text=pgettext_iface("{}, frames {} - {}").format(name, *frames), translate=False)
    grid = column.grid_flow(row_major=True, columns=2 if is_narrow(context) else 4, even_columns=True, align=True)
    for each in ("NONE", "BALL", "HEEL", "BOTH"):
        button = grid.operator("two_bone_ik.contact_set", text=each.capitalize(), depress=each == kind)
        button.contact = each

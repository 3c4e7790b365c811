"""Limbs, reach, pole, and where feet stand, drawn over the 3D Viewport; nothing while it is off."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import blf
import bpy
import gpu
from bpy.app.translations import pgettext_iface
from bpy.types import Context, Object, SpaceView3D, WindowManager
from bpy_extras.view3d_utils import location_3d_to_region_2d
from gpu_extras.batch import batch_for_shader

from .. import __package__ as base_package
from ..blender.armatures import Rig, local_armatures
from ..blender.options import option

if TYPE_CHECKING:
    from ..blender.status.guides import Line
    from ..blender.status.limb_state import LimbState

_SIGN = 9.0
"""Half the size of the sign at a tip, in pixels."""
_LETTERS = 12.0
"""Size of words, in pixels."""
_handles: list[object] = []


def _is_on(_manager: WindowManager) -> bool:
    return bool(_handles)


def _switch(_manager: WindowManager | None, on: bool) -> None:
    if on and not _handles:
        for draw, when in ((_draw, "POST_VIEW"), (_draw_words, "POST_PIXEL")):
            _handles.append(SpaceView3D.draw_handler_add(draw, (), "WINDOW", when))
    while not on and _handles:
        SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")


def _shown(context: Context) -> "Iterator[tuple[Rig, str, Mapping[str, LimbState]]]":
    """The armatures whose limbs are drawn, each with the name of its chain in hand, or "", and its limbs."""
    if base_package not in context.preferences.addons:
        return
    if not cast(SpaceView3D, context.space_data).overlay.show_overlays:
        return
    picked = {item for item in (context.object, *context.selected_objects) if item}
    shown = [rig for rig in local_armatures(context.scene) if not picked.isdisjoint((rig, *_goals(rig)))]
    if shown:
        # NumPy comes with these: not before there is something to draw.
        from ..blender.status import in_hand
        from . import limb_notice

        chain = in_hand.chain_in_hand(context)
        for rig in shown:
            yield rig, chain.name if chain and chain.id_data == rig else "", limb_notice.look(context, rig)


def _draw() -> None:
    context = bpy.context
    gpu.state.blend_set("ALPHA")
    for rig, held, limbs in _shown(context):
        _draw_limbs(context, rig, held, limbs)
        _draw_feet(rig, context)
    gpu.state.blend_set("NONE")


def _draw_limbs(context: Context, rig: Rig, held: str, limbs: "Mapping[str, LimbState]") -> None:
    """Limbs with the signs of their states, and what guides the one in hand."""
    from ..blender.live import state
    from ..blender.status.guides import guides, in_view
    from . import limb_notice

    colors = _colors(context)
    for name, found in limbs.items():
        if found.joints and found.target and found.state != "MUTED":
            state_name = "as_set" if found.state == "OFF_POLE" else found.state.lower()
            # A limb that cannot be solved, or does not follow, is posed by nobody either.
            color = getattr(colors, f"{state_name}_color", colors.not_posed_color)
            view = context.region_data, context.region.width, _SIGN * _pixel()
            signs = in_view(limb_notice.sign(found), found.joints[-1], *view)
            _draw_lines([found.joints], color, width=4.0 if name == held else 2.0)
            _draw_lines(signs, color, width=2.0)
            _draw_lines([(found.joints[-1], *found.target)], color, width=1.0)
    if shown := guides(state.cached(rig), held) if held else None:
        _draw_lines([shown.pole], colors.guide_color, width=1.5)
        _draw_lines(shown.reach, colors.guide_color, width=1.0)


def _draw_words() -> None:
    """Beside joints of the limb in hand its angles, in degrees; beside limbs without keys that a render has none."""
    context = bpy.context
    for _, held, limbs in _shown(context):
        for name, found in limbs.items():
            for joint, angle in zip(found.joints, found.angles if name == held else (), strict=False):
                _draw_text(context, joint, f"{angle:.1f}°")
            if found.lacks_keys:
                _draw_text(context, found.joints[-1], pgettext_iface("{}: no keys yet").format(name))


def _colors(context: Context) -> Any:
    addon: Any = context.preferences.addons[base_package]
    return addon.preferences


def _draw_text(context: Context, joint: tuple[float, ...], text: str) -> None:
    place = location_3d_to_region_2d(context.region, context.region_data, joint)
    if place:
        blf.size(0, _LETTERS * _pixel())
        blf.color(0, *_colors(context).guide_color)
        blf.position(0, place.x + _LETTERS * _pixel(), place.y, 0.0)
        blf.draw(0, text)


def _goals(rig: Rig) -> "Iterable[Object | None]":
    for chain in rig.two_bone_ik_chains:
        yield from (chain.target, chain.pole_target)


def _draw_feet(rig: Rig, context: Context) -> None:
    """Marks of ball and heel, filled where they stand."""
    from ..blender.status.foot_marks import foot_marks

    color, marks = _colors(context).reached_color, foot_marks(rig, context.scene, context.view_layer.depsgraph)
    _draw_lines([mark.line for mark in marks], color, width=2.0)
    filled = [mark.line for mark in marks if mark.stands]
    _draw_points("TRIS", [point for line in filled for pair in pairwise(line[1:]) for point in (line[0], *pair)], color)


def _pixel() -> float:
    return bpy.context.preferences.system.pixel_size


def _draw_lines(lines: "Iterable[Line]", color: tuple[float, ...], width: float) -> None:
    _draw_points("LINES", [point for line in lines for pair in pairwise(line) for point in pair], color, width)


def _draw_points(kind: Any, points: list[Any], color: tuple[float, ...], width: float = 0.0) -> None:
    """Triangles, or lines of this width, between points one after another."""
    if points:
        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR" if width else "UNIFORM_COLOR")
        shader.bind()
        if width:
            shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
            shader.uniform_float("lineWidth", width * _pixel())
        shader.uniform_float("color", tuple(color))
        batch_for_shader(shader, kind, {"pos": points}).draw(shader)


def register() -> None:
    """Give windows the switch."""
    # A value of its own would be lost with the file, and the drawing would not.
    WindowManager.two_bone_ik_overlay = option("shown", "overlay", get=_is_on, set=_switch)  # type: ignore[attr-defined]


def unregister() -> None:
    """Draw no more."""
    _switch(None, False)
    del WindowManager.two_bone_ik_overlay  # type: ignore[attr-defined]

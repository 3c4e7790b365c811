"""Limbs, reach, pole and the other solution, drawn over the 3D Viewport; nothing at all while it is off."""

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import bpy
import gpu
from bpy.props import BoolProperty
from bpy.types import SpaceView3D, WindowManager
from gpu_extras.batch import batch_for_shader

from .. import __package__ as base_package
from ..blender.armatures import local_armatures
from ..blender.properties import active_chain

if TYPE_CHECKING:
    from ..blender.live.overlay import ChainOverlay, Line

_COLORS = {"REACHED": "reached_color", "TOO_FAR": "too_far_color", "TOO_CLOSE": "too_close_color"}
_handles: list[object] = []


def _is_on(_manager: WindowManager) -> bool:
    return bool(_handles)


def _switch(_manager: WindowManager | None, on: bool) -> None:
    if on and not _handles:
        _handles.append(SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))
    elif not on and _handles:
        SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")


def _draw() -> None:
    context = bpy.context
    addon: Any = context.preferences.addons.get(base_package)
    if not addon or not cast(SpaceView3D, context.space_data).overlay.show_overlays:
        return

    # NumPy comes with these: not before there is something to draw.
    from ..blender.live import overlay, state

    gpu.state.blend_set("ALPHA")
    picked = {item for item in (context.object, *context.selected_objects) if item}
    for rig in local_armatures(context.scene):
        chains = [chain for chain in rig.two_bone_ik_chains if not picked.isdisjoint((chain.target, chain.pole_target))]
        if rig not in picked and not chains:
            continue
        active = active_chain(rig) if rig in picked else chains[0]
        seen = state.update(rig, context.scene, context.view_layer.depsgraph)
        for found in overlay.chain_overlays(seen):
            _draw_chain(found, addon.preferences, guides=active is not None and found.name == active.name)
    gpu.state.blend_set("NONE")


def _draw_chain(found: "ChainOverlay", preferences: Any, *, guides: bool) -> None:
    color = getattr(preferences, _COLORS[found.status.name])
    if guides:
        _draw_lines([found.other, found.pole, *found.reach], preferences.guide_color, width=1.5)
    _draw_lines([found.limb], color, width=4.0)
    _draw_lines([found.miss], color, width=1.5)


def _draw_lines(lines: "Iterable[Line]", color: tuple[float, ...], width: float) -> None:
    ends = [point for line in lines for pair in pairwise(line) for point in pair]
    if not ends:
        return
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width * bpy.context.preferences.system.pixel_size)
    shader.uniform_float("color", tuple(color))
    batch_for_shader(shader, "LINES", {"pos": ends}).draw(shader)


def register() -> None:
    """Give windows the switch."""
    WindowManager.two_bone_ik_overlay = BoolProperty(  # type: ignore[attr-defined]
        name="Overlay",
        description="Show limbs, reach, pole and the other solution in the 3D Viewport",
        get=_is_on,  # a value of its own would be lost with the file, and the drawing would not
        set=_switch,
    )


def unregister() -> None:
    """Draw no more."""
    _switch(None, False)
    del WindowManager.two_bone_ik_overlay  # type: ignore[attr-defined]

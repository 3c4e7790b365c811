"""Let limbs follow, and pull one by its tip or its mid joint with the mouse; keys as in Blender's own transforms."""

from collections.abc import Callable
from typing import Any, cast

from bpy.types import Context, Event, Header, SpaceView3D
from bpy.utils import units
from bpy_extras import view3d_utils

from ..blender.armatures import Rig, local_armatures
from ..blender.options import option
from ..blender.settings.properties import active_chain
from .armature_operator import ArmatureOperator, ChainOperator, Result, api, auto_keying, in_hand, show_status

_AXES = {"X": 0, "Y": 1, "Z": 2}
_VIEW = ("MIDDLEMOUSE", "TRACKPAD", "NDOF")
"""How events begin that turn and move the view."""
_SLOW = 0.1
_KEYS: tuple[tuple[tuple[Any, ...], str], ...] = (
    (("MOUSE_LMB",), "Confirm"),
    (("MOUSE_RMB",), "Cancel"),
    (("EVENT_X", "EVENT_Y", "EVENT_Z"), "Axis"),
    (("EVENT_CTRL", "BLANK1"), "Snap"),  # wider than the room that an icon gets
    (("EVENT_SHIFT",), "Precision"),
)
"""As the status bar shows them: icons and what they do."""
_FLIP = (("MOUSE_MMB", "EVENT_F"), "Flip Bend")
"""Only while the tip is pulled: the mid joint goes to the side to which it is pulled."""


class TWO_BONE_IK_OT_live(ChainOperator):
    """Let the limbs of all selected armatures follow while targets and pole targets move, without keys; or no longer"""

    bl_label = "Live Two-Bone IK"
    takes_selected = True

    def rigs(self, context: Context) -> list[Rig]:
        self._live = not in_hand.rig_in_hand(context).two_bone_ik_live
        return super().rigs(context)

    def run(self, _context: Context, rig: Rig) -> None:
        rig.two_bone_ik_live = self._live


class TWO_BONE_IK_OT_drag(ArmatureOperator):
    """Pull the limb in hand with the mouse, by its tip, elbow or knee; with auto keying on, key it as well"""

    bl_label = "Drag Two-Bone IK Limb"
    bl_options = {"REGISTER", "UNDO", "BLOCKING", "GRAB_CURSOR"}

    pull: option("drag", "pull")
    offset: option("drag", "offset")
    flip: option("drag", "flip")
    armature: option("drag", "armature")
    bone: option("drag", "bone")
    release_confirm: option("drag", "release_confirm")

    @classmethod
    def lacks(cls, context: Context, _rig: Rig) -> str:
        # In Pose Mode a bone tells the limb.
        told = context.mode == "POSE" or in_hand.chain_in_hand(context)
        return "" if told else "Select a chain in the list"

    def rigs(self, context: Context) -> list[Rig]:
        if not self.armature:
            return super().rigs(context)
        named = [rig for rig in local_armatures(context.scene) if rig.name == self.armature]
        if not named:
            raise api.Refused("NO_RIG.local", object=self.armature)
        return named

    def run(self, context: Context, rig: Rig) -> None:
        self._begin(context, rig)
        try:
            self._pull()
            if self.flip:
                self._drag.flip()
        except api.Refused:
            self._drag.restore()
            raise
        self._finish()

    def invoke(self, context: Context, event: Event) -> Result:
        if context.area is None or context.area.type != "VIEW_3D":
            return self.execute(context)
        # The sidebar's button gives the sidebar, and of four views there may be one with a limb under the mouse.
        in_view = context.region.type == "WINDOW"
        regions = (region for region in context.area.regions if region.type == "WINDOW")
        self._region = context.region if in_view else next(regions)
        self._view = context.region_data if in_view else cast(SpaceView3D, context.space_data).region_3d
        in_hand.follow(context.view_layer)
        with self.refusals_told():
            self._begin(context, self.rigs(context)[0])
            self._axis: int | None = None
            self._last = self._under_mouse(event)
            self._free: tuple[float, ...] = (0.0, 0.0, 0.0)
            context.window_manager.modal_handler_add(self)
            self._show(context)
            return {"RUNNING_MODAL"}
        return {"CANCELLED"}

    def modal(self, context: Context, event: Event) -> Result:
        released = self.release_confirm and (event.type, event.value) == ("LEFTMOUSE", "RELEASE")
        is_pulled = any(self.offset) or self.flip
        if event.type in {"ESC", "RIGHTMOUSE"} or (released and not is_pulled):
            self.cancel(context)
            return {"CANCELLED"}
        if released or (event.type in {"LEFTMOUSE", "RET", "NUMPAD_ENTER", "SPACE"} and event.value == "PRESS"):
            self._show(context, done=True)
            self._finish()
            return {"FINISHED"}
        if event.type.startswith(_VIEW):
            # No other key passes: undo or Edit Mode would take away what is pulled.
            return {"PASS_THROUGH"}
        with self.refusals_told():
            if event.type == "MOUSEMOVE":
                self._move(event)
            elif event.value == "PRESS":
                self._press(event)
            self.offset = self._offset(context, event)
            self._pull()
            self._show(context)
            return {"RUNNING_MODAL"}
        self.cancel(context)
        return {"CANCELLED"}

    def cancel(self, context: Context) -> None:
        """Esc, right click, or Blender closes: leave the pose as it was."""
        self._drag.restore()
        self._show(context, done=True)

    def _begin(self, context: Context, rig: Rig) -> None:
        from ..blender.chains.limbs import limb_of

        active = "" if active_chain(rig) or not context.active_pose_bone else context.active_pose_bone.name
        bone = self.bone or active
        limb = limb_of(rig, bone) if bone else self.active_names(rig)[0]
        self._drag = api.drag(rig, limb, scene=context.scene, insert_keys=auto_keying(context))
        self._start = self._drag.tip if self.pull == "TIP" else self._drag.mid

    def _pull(self) -> None:
        """Pose the limb with the joint pulled by the offset."""
        place = tuple(sum(parts) for parts in zip(self._start, self.offset, strict=True))
        if self.pull == "TIP":
            self._drag.to(place)
        else:
            self._drag.bend_towards(place)

    def _finish(self) -> None:
        for note in self._drag.finish():
            self.report({"WARNING"}, note)

    def _press(self, event: Event) -> None:
        if self.pull == "TIP" and event.type in {"F", "WHEELUPMOUSE", "WHEELDOWNMOUSE"}:
            self.flip = not self.flip
            self._drag.flip()
        elif event.type in _AXES:
            self._axis = None if self._axis == _AXES[event.type] else _AXES[event.type]

    def _move(self, event: Event) -> None:
        place = self._under_mouse(event)
        speed = _SLOW if event.shift else 1.0
        self._free = tuple(sum(step) for step in zip(self._free, (place - self._last) * speed, strict=True))
        self._last = place

    def _offset(self, context: Context, event: Event) -> tuple[float, ...]:
        """From where the joint was: snapped, or as the mouse has it; along the axis where there is one."""
        offset = self._free
        if event.ctrl != context.scene.tool_settings.use_snap:
            step = 0.1 if event.shift else 1.0
            offset = tuple(step * round(part / step) for part in offset)
        return offset if self._axis is None else tuple(offset[axis] * (axis == self._axis) for axis in range(3))

    def _under_mouse(self, event: Event) -> Any:
        """Where the mouse is in the plane of the view that holds the joint."""
        x, y = event.mouse_x, event.mouse_y
        if event.value == "CLICK_DRAG":  # some pixels away from where the button was pressed
            x, y = event.mouse_prev_press_x, event.mouse_prev_press_y
        place = x - self._region.x, y - self._region.y
        return view3d_utils.region_2d_to_location_3d(self._region, self._view, place, self._start)

    def _show(self, context: Context, *, done: bool = False) -> None:
        """Keys in the status bar, and how far the joint was pulled in the header."""
        show_status(context, None if done else keys_drawn(self.pull))
        if context.area:
            context.area.header_text_set(None if done else self._header(context))

    def _header(self, context: Context) -> str:
        from ..blender.messages.translation import translated

        system = context.scene.unit_settings.system
        lengths = (units.to_string(system, "LENGTH", part) for part in self.offset)
        parts = (f"D{name}: {length}" for name, length in zip("xyz", lengths, strict=True))
        root, hinge = self._drag.angles
        return "   ".join((*parts, translated("part.angles", root=root, hinge=hinge)))


def keys_drawn(pull: str) -> Callable[[Header, Context], None]:
    """What draws the keys in the status bar while this joint is pulled."""

    def draw(header: Header, _context: Context) -> None:
        for icons, word in (*_KEYS, _FLIP) if pull == "TIP" else _KEYS:
            row = header.layout.row(align=True)
            for icon in icons:
                row.label(icon=icon)
            row.label(text=word)

    return draw

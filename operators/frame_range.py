"""What bake and check share: the range of frames, which chains, and how targets are sampled."""

from contextlib import suppress
from math import ceil, floor
from textwrap import wrap

from bpy.app.translations import pgettext_iface
from bpy.types import Context, Event, OperatorProperties, UILayout

from ..blender.armatures import Rig
from ..blender.options import option
from .armature_operator import Result, SelectedChainsOperator, api, in_hand, selected


def _take_range(properties: OperatorProperties, context: Context) -> None:
    """Only a custom range has frames of its own, and it begins with those of the scene."""
    for name, frame in zip(("frame_start", "frame_end"), _span(context, usual_range(context)), strict=True):
        if properties.frame_range != "CUSTOM":
            properties.property_unset(name)
        elif not properties.is_property_set(name):
            setattr(properties, name, frame)


def _span(context: Context, name: str, only_active: bool = False) -> tuple[int, int]:
    """First and last frame of the range with this name; the scene's where that is none of its own."""
    scene = context.scene
    if name == "PREVIEW":
        return scene.frame_preview_start, scene.frame_preview_end
    frames = _keys(context, name, only_active)
    return (floor(min(frames)), ceil(max(frames))) if frames else (scene.frame_start, scene.frame_end)


def _keys(context: Context, name: str, only_active: bool, few: int = 0) -> list[float]:
    """The frames of the keys that the range with this name goes over, of what has more than a few; empty for others."""
    from ..blender.plant.contact_keys import keyed_span

    frames: list[float] = []
    for rig in [in_hand.rig_in_hand(context)] if only_active else selected(context):
        if name == "BONE_KEYS":
            frames += keyed_span(rig, few)
        elif name == "TARGET_KEYS":
            with suppress(api.Refused):  # the bake itself will say why
                of_rig = api.target_keys(rig, SelectedChainsOperator.active_names(rig) if only_active else None)
                frames += of_rig if len(of_rig) > few else ()
    return frames


class RangeOperator(SelectedChainsOperator):
    """Acts on a range of frames: the scene's, or that of its preview, unless another is set."""

    advanced_fields: tuple[str, ...] = ("sampling",)
    """What few users change: below a fold."""
    reads: tuple[str, ...] = ("TARGET_KEYS", "BONE_KEYS")
    """The ranges of the keys that it reads."""
    usual = "SCENE"
    """The range, unless another is set or the scene has a preview range."""

    # The range is that of the scene each time, not that of the last call.
    frame_range: option("range", "frame_range", update=_take_range)
    frame_start: option("range", "frame_start")
    frame_end: option("range", "frame_end")
    frame_step: option("range", "frame_step")
    sampling: option("keys", "sampling")

    def invoke(self, context: Context, _event: Event) -> Result:
        self.window = context.window
        in_hand.follow(context.view_layer)
        self.show_range(self.offered_range(context))
        verb, *_ = self.bl_label.split()  # the button says what the label begins with
        return context.window_manager.invoke_props_dialog(self, confirm_text=verb)

    def offered_range(self, context: Context) -> str:
        """The range of a dialog: where a capture moves what is read, its frames, and no more and no less."""
        from ..blender.curves.keys import FEW_KEYS

        usual, spans = usual_range(context, self.usual), dict[str, float]()
        for name in self.reads if usual == "SCENE" else ():
            if frames := _keys(context, name, self.only_active, FEW_KEYS):
                spans[name] = max(frames) - min(frames)
        return max(spans, key=spans.__getitem__, default=usual)

    def show_range(self, usual: str) -> None:
        """Show the range in the options, this one where none was chosen there."""
        is_set = self.properties.is_property_set
        if not is_set("frame_range"):
            custom = is_set("frame_start") or is_set("frame_end")
            self.frame_range = "CUSTOM" if custom else usual

    def frames(self, context: Context) -> tuple[float, float, float]:
        """First and last frame, and step."""
        is_set = self.properties.is_property_set
        name = self.frame_range if is_set("frame_range") else usual_range(context, self.usual)
        start, end = _span(context, name, self.only_active)
        start = self.frame_start if is_set("frame_start") else start
        return start, self.frame_end if is_set("frame_end") else end, self.frame_step

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        self.draw_chains(context)
        column = layout.column(align=True)
        column.prop(self, "frame_range")
        if self.frame_range == "CUSTOM":
            column.prop(self, "frame_start")
            column.prop(self, "frame_end")
        else:
            row = column.split(factor=0.4)
            name = row.row()
            name.alignment = "RIGHT"
            name.label(text="Frames")
            row.label(text="{} - {}".format(*self.frames(context)) if self.has_one_range() else "Those of Each Action")
        if self.has_one_range():
            column.prop(self, "frame_step")
        layout.prop(self, "only_active")
        self.draw_choices()
        header, fold = layout.panel("two_bone_ik_advanced", default_closed=True)
        header.label(text="Advanced")
        for field in self.advanced_fields if fold else ():
            fold.prop(self, field)

    def has_one_range(self) -> bool:
        """False where what is acted on has frames of its own each."""
        return True

    def draw_choices(self) -> None:
        """What the operator has beside the range."""

    def taking_part(self, _context: Context, rig: Rig) -> tuple[list[str], list[str]]:
        """Names of the limbs that it takes, and sentences about those that it leaves out."""
        from ..blender.bake.build_plan import chains_taking_part

        chains = chains_taking_part(rig, self.chains(rig))
        return [chain.name for chain in chains.chains], chains.alerts

    def draw_chains(self, context: Context) -> None:
        """Which armatures with how many limbs, and the limbs that are left out."""
        column = self.layout.column(align=True)
        for rig in self.rigs(context):
            try:
                taken, alerts = self.taking_part(context, rig)
            except api.Refused as refusal:
                _draw_text(column, str(refusal), warns=True)
                continue
            limbs = pgettext_iface("{}: 1 limb" if len(taken) == 1 else "{}: {} limbs")
            _draw_text(column, limbs.format(rig.name, len(taken)))
            for alert in alerts:
                _draw_text(column, alert, warns=True)


def _draw_text(column: UILayout, text: str, *, warns: bool = False) -> None:
    """A text on as many lines as it takes in the dialog; the first has an icon."""
    for number, line in enumerate(wrap(text, 40)):
        column.label(text=line, translate=False, icon="BLANK1" if number else "ERROR" if warns else "ARMATURE_DATA")


def usual_range(context: Context, otherwise: str = "SCENE") -> str:
    """The preview range where there is one."""
    return "PREVIEW" if context.scene.use_preview_range else otherwise

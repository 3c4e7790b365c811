"""What all operators share: when they can run, whether Auto Keying has them key, and how refusals reach the user."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import bpy
from bpy.app.translations import pgettext_rpt
from bpy.props import BoolProperty
from bpy.types import Context, Event, Header, Operator, Window
from bpy.utils import register_classes_factory

from ..blender.armatures import Rig, is_rig
from ..blender.settings.properties import active_chain

if TYPE_CHECKING:
    from .. import api as api
    from ..blender.bake import unkeyed_moves as unkeyed_moves
    from ..blender.hold import holds as holds
    from ..blender.plant import contact_runs as contact_runs
    from ..blender.scene import probe as probe
    from ..blender.status import in_hand as in_hand
    from ..blender.targets import space as space
else:

    class _Later:
        """A module that is imported with the first call: Blender starts faster without it, and without NumPy."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._module, __name__), name)

    api, in_hand = _Later("...api"), _Later("...blender.status.in_hand")
    holds, contact_runs = _Later("...blender.hold.holds"), _Later("...blender.plant.contact_runs")
    probe, space = _Later("...blender.scene.probe"), _Later("...blender.targets.space")
    unkeyed_moves = _Later("...blender.bake.unkeyed_moves")


Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
"""How an operator ended, as Blender wants to know it."""


class ArmatureOperator(Operator):
    """Acts on the armature in hand; a subclass gives `run`, and `lacks` where it needs more than an armature."""

    bl_options = {"REGISTER", "UNDO"}
    needs_chains = False
    """True for what acts on chains alone."""
    takes_selected = False
    """True for what acts on all armatures that are selected."""
    window: Window | None = None
    """The one in which a user asked for it, by a button or a menu; None where a script did."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        rig = in_hand.rig_in_hand(context)
        missing = in_hand.missing(context) or in_hand.linked(rig) or cls.lacks(context, rig)
        if missing:
            cls.poll_message_set(pgettext_rpt(missing))
        return not missing

    @classmethod
    def lacks(cls, _context: Context, rig: Rig) -> str:
        """What has to be done before the operator can act on this armature, in one sentence; "" where nothing has."""
        return "Add a chain, or detect limbs" if cls.needs_chains and not rig.two_bone_ik_chains else ""

    def rigs(self, context: Context) -> list[Rig]:
        """The armatures to act on, in order: the one in hand, or all that are selected and have what it needs."""
        if not self.takes_selected:
            return [in_hand.rig_in_hand(context)]
        return [rig for rig in selected(context) if rig.two_bone_ik_chains or not self.needs_chains]

    @staticmethod
    def active_names(rig: Rig) -> list[str]:
        """The name of the active chain, alone in a list; Refused where none is active."""
        chain = active_chain(rig)
        if chain is None:
            raise api.Refused("NO_ACTIVE_CHAIN", object=rig)
        return [chain.name]

    if TYPE_CHECKING:

        def run(self, context: Context, rig: Rig) -> "api.Report | None":
            """Do it for one armature. Raises `Refused`, before anything changes, where it cannot be done."""

    def invoke(self, context: Context, _event: Event) -> Result:
        self.window = context.window
        return self.execute(context)

    def execute(self, context: Context) -> Result:
        result: Result = {"CANCELLED"}
        self._said: list[tuple[str, str]] = []
        in_hand.follow(context.view_layer)
        with self.refusals_told():
            for report in self.reports(context, self.rigs(context)):
                result = {"FINISHED"}
                if report is not None:
                    self.tell(report)
        self.sum_up()
        return result

    def reports(self, context: Context, rigs: list[Rig]) -> "Iterable[api.Report | None]":
        """Do it for these armatures, one after another; one that is refused leaves the others alone."""
        for rig in rigs:
            with self.refusals_told():
                yield self.run(context, rig)

    @contextmanager
    def refusals_told(self) -> Iterator[None]:
        """What is refused inside is told to the user, and is no error of ours."""
        try:
            yield
        except api.Refused as refusal:
            self.report({"ERROR"}, self.in_its_words(str(refusal)))

    def in_its_words(self, sentence: str) -> str:
        """The sentence as this operator tells it."""
        return sentence

    def tell(self, report: "api.Report") -> None:
        """Hand the report's lines to Blender, and keep them for the panel."""
        show_in_panel(report)
        level: Literal["INFO", "WARNING"] = "INFO" if report.reached else "WARNING"
        # The status bar shows the last line only; the others are in the Info editor.
        headline = report.headline()
        self._said.append((level, f"{report.subject}: {headline}"))
        for line in filter(None, (report.title, *report.lines(), headline)):
            self.report({level}, line)

    def inform(self, name: str, /, **values: object) -> None:
        """One line for the user: the sentence of this name, filled in."""
        from ..blender.messages.translation import translated

        self._said.append(("INFO", translated(name, **values)))
        self.report({"INFO"}, self._said[-1][1])

    def sum_up(self) -> None:
        """Where several armatures were acted on, a last line that has what was said of each."""
        if len(self._said) > 1:
            level: Any = max(level for level, _ in self._said)  # a warning is the greater word as well
            self.report({level}, "; ".join(text for _, text in self._said))


class ChainOperator(ArmatureOperator):
    """Acts on chains of the armature in hand."""

    needs_chains = True


class SelectedChainsOperator(ChainOperator):
    """Acts on all chains of the selected armatures, or on the active chain alone."""

    takes_selected = True
    only_active: BoolProperty(name="Only Active Chain", description="Leave all other chains as they are")

    def rigs(self, context: Context) -> list[Rig]:
        return [in_hand.rig_in_hand(context)] if self.only_active else super().rigs(context)

    def chains(self, rig: Rig) -> list[str] | None:
        """Names of the chains to act on; None for all."""
        return self.active_names(rig) if self.only_active else None


def registration(*modules: ModuleType) -> tuple[Callable[[], None], Callable[[], None]]:
    """`register` and `unregister` of all that these modules define for Blender.

    TWO_BONE_IK_OT_solve becomes the operator two_bone_ik.solve, and so do all others.
    """
    defined = (pair for module in modules for pair in vars(module).items())
    classes = [item for name, item in defined if name.startswith("TWO_BONE_IK_")]
    for operator in (item for item in classes if issubclass(item, Operator)):
        operator.bl_idname = operator.__name__.lower().replace("_ot_", ".")
    return register_classes_factory(classes)


def show_in_panel(report: "api.Report") -> None:
    """Keep the report for the panel, and show it at once: Blender draws again only what it knows to have changed."""
    from ..blender.bake.report import remember

    remember(report)
    for manager in bpy.data.window_managers:
        for area in (area for window in manager.windows for area in window.screen.areas if area.type == "VIEW_3D"):
            area.tag_redraw()


def selected(context: Context) -> list[Rig]:
    """The armature in hand, and all others that are selected."""
    rig = in_hand.rig_in_hand(context)
    return [rig, *(item for item in context.selected_objects if is_rig(item) and item != rig)]


def auto_keying(context: Context) -> bool | str:
    """Whether to key the pose of the current frame; a word where Blender's auto keying would key some of it alone."""
    settings = context.scene.tool_settings
    if not settings.use_keyframe_insert_auto:
        return False
    if settings.auto_keying_mode == "REPLACE_KEYS":
        return "REPLACE"
    return "AVAILABLE" if context.preferences.edit.use_keyframe_insert_available else True


def show_status(context: Context, text: str | Callable[[Header, Context], None] | None) -> None:
    """Text, or what draws it, in the status bar, where there is a window; None gives it back to Blender."""
    if context.workspace:
        context.workspace.status_text_set(text)

"""Requests that may take long: asked for in a window they show how far they are, and Esc gives them up."""

import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.translations import contexts, pgettext_iface
from bpy.types import Context, Event

from ..blender.armatures import Rig
from ..blender.options import option
from ..blender.settings.key_settings import KeyStyleProperties
from .armature_operator import ArmatureOperator, Result, api, in_hand, show_status, unkeyed_moves
from .frame_range import RangeOperator

_SHARE = 0.1
"""Seconds of work between two looks at the keyboard."""

_SOON = 1.0
"""Seconds after which a user wants to know why it takes so long."""


class RequestOperator(ArmatureOperator):
    """Carries out the request that a subclass gives: at once for scripts, step by step where a button is pressed."""

    begins_at_once = True
    """False where nothing may change until Blender has handled the event that asks for it."""
    goes_by_keys = False
    """True where the report tells that a move without a key does not count; otherwise it is refused."""

    def seen(self, _context: Context, _rig: Rig) -> "unkeyed_moves.Points":
        """Objects and bones that the request reads or replaces, and that a user may have moved without a key."""
        return ()

    def seen_on(self, _context: Context) -> "Sequence[float] | None":
        """The frames, the first two numbers, on which it does so; None for all."""
        return None

    def groups(self, rigs: list[Rig]) -> Iterable[Sequence[Rig]]:
        """The armatures, those together that are carried out side by side; later ones may depend on what is written."""
        return [rigs]

    if TYPE_CHECKING:

        def request(self, context: Context, rig: Rig) -> "api.Request | list[api.Request]":
            """The request for one armature, or those for each of its actions, not yet begun."""

    def execute(self, context: Context) -> Result:
        in_hand.follow(context.view_layer)
        self._steps, self._began, self._finished = self._each(context), time.monotonic(), 0
        self._said = []
        # Adjusted or repeated later on it is done at once: Blender crashes over an operator that then goes on as modal.
        window, self.window = self.window, None
        self._pressed, self._moved = window is not None, dict[str, list[str]]()
        if window is None:
            return self._go_on(context, until=float("inf"))
        result = self._go_on(context, until=time.monotonic() + _SHARE * self.begins_at_once)
        if "RUNNING_MODAL" in result:
            manager = context.window_manager
            manager.progress_begin(0, 100)
            self._timer = manager.event_timer_add(0.01, window=window)
            manager.modal_handler_add(self)
            _under_way.append(self)
        return result

    def modal(self, context: Context, event: Event) -> Result:
        if event.type == "ESC":
            self.cancel(context)
            self.inform("note.given_up", label=self._label())
            return self._result()
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        result: Result = {"CANCELLED"}
        try:
            result = self._go_on(context, until=time.monotonic() + _SHARE)
        finally:
            if "RUNNING_MODAL" not in result:
                self._tidy(context)
        return result

    def cancel(self, context: Context) -> None:
        """Esc, here or in the dialog, or Blender closes: leave the file as it was."""
        if getattr(self, "_steps", None):
            self._steps.close()
            self._tidy(context)

    def _each(self, context: Context) -> Generator[float, None, None]:
        """All armatures, none of which is changed before all of its group are ready."""
        rigs = self._as_seen(context) if self._pressed else self.rigs(context)
        index = 0
        with ExitStack() as opened:
            for group in self.groups(rigs):
                ready: list[api.Request] = []
                for rig in group:
                    requests = self._requests(context, rig)
                    for number, request in enumerate(requests):
                        with self.refusals_told():
                            self._request = opened.enter_context(closing(request))
                            for done in request.prepare():
                                yield (index + (number + done) / len(requests)) / len(rigs)
                            ready.append(request)
                    index += 1
                self._write(ready)

    def _as_seen(self, context: Context) -> list[Rig]:
        """The armatures, without those that are refused as the user sees something moved that has no key."""
        staying: list[Rig] = []
        for rig in self.rigs(context):
            points: list[Any] = []
            with suppress(api.Refused):  # the request itself will say why
                points += self.seen(context, rig)
            with self.refusals_told():
                told = points, context.evaluated_depsgraph_get(), self.seen_on(context)
                if self.goes_by_keys:
                    self._moved[rig.name] = unkeyed_moves.alerts(*told)
                else:
                    unkeyed_moves.refuse(*told)
                staying.append(rig)
        return staying

    def _requests(self, context: Context, rig: Rig) -> "list[api.Request]":
        with self.refusals_told():
            found = self.request(context, rig)
            return found if isinstance(found, list) else [found]
        return []

    def _write(self, ready: "list[api.Request]") -> None:
        for end in api.write_together(ready):
            if isinstance(end, api.Refused):
                self.report({"ERROR"}, str(end))
            else:
                self.tell(replace(end, notes=(*end.notes, *self._moved.get(end.rig, ()))))
                self._finished += 1

    def _result(self) -> Result:
        """Whether anything has changed, so that Blender can undo it."""
        return {"FINISHED"} if self._finished else {"CANCELLED"}

    def _go_on(self, context: Context, until: float) -> Result:
        done = 0.0
        try:
            while time.monotonic() < until:
                done = next(self._steps)
        except StopIteration:
            self.sum_up()
            return self._result()
        self._show(context, done)
        return {"RUNNING_MODAL"}

    def _show(self, context: Context, done: float) -> None:
        context.window_manager.progress_update(round(100 * done))
        slow = self._request.slow if time.monotonic() - self._began > _SOON else ""
        texts = f"{self._label()}: {done:.0%}", slow, pgettext_iface("Esc: Cancel")
        show_status(context, "   ".join(filter(None, texts)))

    def _label(self) -> str:
        return pgettext_iface(self.bl_label, contexts.operator_default)

    def _tidy(self, context: Context) -> None:
        manager = context.window_manager
        if getattr(self, "_timer", None):
            manager.event_timer_remove(self._timer)
            manager.progress_end()
            _under_way.remove(self)
            self._timer = None
        show_status(context, None)


class ProgressOperator(RangeOperator, RequestOperator):
    """A request over a range, that is carried out after its dialog."""

    measure: option("keys", "measure")
    advanced_fields = (*RangeOperator.advanced_fields, "measure")

    def seen_on(self, context: Context) -> "Sequence[float] | None":
        return self.frames(context)

    def scene_settings(self, context: Context) -> dict[str, Any]:
        """The scene, and how to sample and measure it, as `api` takes it."""
        return {"scene": context.scene, "sampling": self.sampling, "measure": self.measure}


class KeyOperator(KeyStyleProperties, ProgressOperator):
    """A request that writes keys over a range."""

    def draw_choices(self) -> None:
        self.layout.separator()
        for name in self.key_choices():
            self.layout.prop(self, name)

    def key_settings(self, context: Context) -> dict[str, Any]:
        """What `scene_settings` gives, and how to write the keys."""
        options: Any = self.properties  # each attribute of an operator takes Blender ten times as long
        return self.scene_settings(context) | {name: getattr(options, name) for name in self.key_fields}


class EachActionOperator(ProgressOperator):
    """A request that is carried out over each action of an armature, where users want that."""

    all_actions: option("range", "all_actions")

    def asked(self, context: Context) -> dict[str, Any]:
        """The frames, None for those that each action has itself, and which actions, as `api` takes them."""
        frames = self.frames(context) if self.has_one_range() else None
        return {"frames": frames, "actions": "*"} if self.all_actions else {"frames": frames}

    def seen_on(self, context: Context) -> "Sequence[float] | None":
        return None if self.all_actions else self.frames(context)

    def has_one_range(self) -> bool:
        is_set = self.properties.is_property_set
        return not self.all_actions or is_set("frame_start") or is_set("frame_end")

    def draw_choices(self) -> None:
        self.layout.prop(self, "all_actions")
        super().draw_choices()


_under_way: list[RequestOperator] = []


def give_up() -> None:
    """The extension goes: leave the file as it was before what is under way."""
    for operator in list(_under_way):
        operator.cancel(bpy.context)

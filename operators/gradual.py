"""Requests that may take long: asked for in a window they show how far they are, and Esc gives them up."""

import time

from bpy.types import Context, Event

from .. import api
from ..blender.errors import Refused
from .frame_range import RangeOperator

_SHARE = 0.1
"""Seconds of work between two looks at the keyboard."""


class GradualOperator(RangeOperator):
    """Carries out the steps that a subclass gives: at once for scripts, bit by bit after its dialog."""

    def steps(self, context: Context) -> api.Steps:
        """The request, not yet begun."""
        raise NotImplementedError

    def invoke(self, context: Context, event: Event) -> set[str]:
        self._window = context.window
        return super().invoke(context, event)

    def execute(self, context: Context) -> set[str]:
        self._steps = self.steps(context)
        if getattr(self, "_window", None) is None:
            return self._go_on(context, until=float("inf"))
        result = self._go_on(context, until=time.monotonic() + _SHARE)
        if "RUNNING_MODAL" in result:
            manager = context.window_manager
            manager.progress_begin(0, 100)
            self._timer = manager.event_timer_add(0.01, window=self._window)
            manager.modal_handler_add(self)
        return result

    def modal(self, context: Context, event: Event) -> set[str]:
        if event.type == "ESC":
            self.cancel(context)
            self.report({"INFO"}, f"{self.bl_label} was given up: nothing has changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        result = self._go_on(context, until=time.monotonic() + _SHARE)
        if "RUNNING_MODAL" not in result:
            self._tidy(context)
        return result

    def cancel(self, context: Context) -> None:
        """Esc, here or in the dialog, or Blender closes: leave the file as it was."""
        if getattr(self, "_steps", None):
            self._steps.close()
            self._tidy(context)

    def _go_on(self, context: Context, until: float) -> set[str]:
        try:
            while time.monotonic() < until:
                done = next(self._steps)
        except StopIteration as end:
            self.tell(end.value)
            return {"FINISHED"}
        except Refused as refusal:
            self.report({"ERROR"}, str(refusal))
            return {"CANCELLED"}
        context.window_manager.progress_update(round(100 * done))
        context.workspace.status_text_set(f"{self.bl_label}: {done:.0%}   Esc: Cancel")
        return {"RUNNING_MODAL"}

    def _tidy(self, context: Context) -> None:
        manager = context.window_manager
        if getattr(self, "_timer", None):
            manager.event_timer_remove(self._timer)
            manager.progress_end()
        context.workspace.status_text_set(None)

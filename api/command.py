"""A command of the interface: a request that is carried out at once, or one that is still to be carried out."""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, Protocol, cast, overload

from bpy.types import Object

from ..blender.armatures import Rig
from ..blender.bake import each_action
from ..blender.bake.report import Report
from ..blender.bake.request import Request, write_together
from ..blender.messages.refused import Refused
from ..blender.scene.checks import given_rig

Arguments = ParamSpec("Arguments")
ChainsWithTargets = Callable[[Rig, Sequence[str] | None], Sequence[str] | None]


class Command(Protocol[Arguments]):
    """What is called with these arguments, and gives its request with the same ones."""

    def __call__(self, *args: Arguments.args, **named: Arguments.kwargs) -> Report: ...

    def request(self, *args: Arguments.args, **named: Arguments.kwargs) -> Request:
        """The request: its `prepare()` yields the part that is done, `write()` gives the report."""


class ActionCommand(Protocol[Arguments]):
    """A command for the action that plays, or one after another for all whose name fits the pattern `actions`."""

    @overload
    def __call__(self, *args: Arguments.args, **named: Arguments.kwargs) -> Report: ...

    @overload
    def __call__(self, rig: Object, *args: Any, actions: str, **named: Any) -> list[Report]: ...

    @overload
    def request(self, *args: Arguments.args, **named: Arguments.kwargs) -> Request: ...

    @overload
    def request(self, rig: Object, *args: Any, actions: str, **named: Any) -> list[Request]: ...


def command(request: Callable[Arguments, Request]) -> Command[Arguments]:
    """Makes of a function that gives a request one that carries it out, and has the request as `request`."""

    @wraps(request)
    def carried_out(*args: Arguments.args, **named: Arguments.kwargs) -> Report:
        return request(*args, **named).write()

    return cast("Command[Arguments]", with_request(carried_out, request, Report))


def action_command(
    with_targets: ChainsWithTargets, *, whole: bool = True
) -> Callable[[Callable[Arguments, Request]], ActionCommand[Arguments]]:
    """Makes a command as `command` does, for the action that plays, or with a list for all that fit a pattern.

    with_targets : gives the chains whose targets count, as `bake` takes them, for an armature and the names given
    whole : without `frames`, those of the action are meant
    """

    def decorated(request: Any) -> Any:
        plain = signature(request)

        @wraps(request)
        def asked(rig: Object, *args: Any, actions: str | None = None, **named: Any) -> Request | list[Request]:
            if actions is None:
                return request(rig, *args, **named)
            given = plain.bind(rig, *args, **named).arguments
            own = whole and given.get("frames") is None

            def make(span: tuple[int, int] | None) -> Request:
                return request(**given | {"frames": span} if own else given)

            chains = with_targets(given_rig(rig), given.get("chains"))
            return each_action.requests(given_rig(rig), actions, given.get("scene"), make, chains)

        @wraps(request)
        def carried_out(*args: Any, **named: Any) -> Report | list[Report]:
            requests = asked(*args, **named)
            return reports(requests) if isinstance(requests, list) else requests.write()

        added = Parameter("actions", Parameter.KEYWORD_ONLY, default=None, annotation=str | None)
        cast(Any, asked).__signature__ = plain.replace(parameters=[*plain.parameters.values(), added])
        return with_request(carried_out, asked, Report | list[Report])

    return decorated


def reports(requests: Sequence[Request]) -> list[Report]:
    """The reports of requests that are carried out together; Refused for the first that cannot be."""
    with ExitStack() as opened:
        for request in requests:
            opened.enter_context(closing(request))
            deque(request.prepare(), maxlen=0)
        ends = write_together(requests)
    for end in ends:
        if isinstance(end, Refused):
            raise end
    return [end for end in ends if isinstance(end, Report)]


def with_request(carried_out: Any, request: Callable[..., Request | list[Request]], returns: object) -> Any:
    """The function with its request, and with a help that tells what it returns itself."""
    carried_out.request = request
    carried_out.__signature__ = signature(request).replace(return_annotation=returns)
    return carried_out

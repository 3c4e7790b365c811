"""A command of the interface: a request that is carried out at once, or one that is still to be carried out."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, Protocol, cast

from ..blender.bake.report import Report
from ..blender.bake.request import Request

Arguments = ParamSpec("Arguments")


class Command(Protocol[Arguments]):
    """What is called with these arguments, and gives its request with the same ones."""

    def __call__(self, *args: Arguments.args, **named: Arguments.kwargs) -> Report: ...

    def request(self, *args: Arguments.args, **named: Arguments.kwargs) -> Request:
        """The request: its `prepare()` yields the part that is done, `write()` gives the report."""


def command(request: Callable[Arguments, Request]) -> Command[Arguments]:
    """Makes of a function that gives a request one that carries it out, and has the request as `request`."""

    @wraps(request)
    def carried_out(*args: Arguments.args, **named: Arguments.kwargs) -> Report:
        return request(*args, **named).write()

    return cast("Command[Arguments]", with_request(carried_out, request, Report))


def with_request(carried_out: Any, request: Callable[..., Request], returns: object) -> Any:
    """The function with its request, and with a help that tells what it returns itself."""
    carried_out.request = request
    carried_out.__signature__ = signature(request).replace(return_annotation=returns)
    return carried_out

"""Everything that add-ons register in a running Blender: two footprints are equal if nothing was left behind."""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def footprint() -> set[str]:
    """The names of all types, their properties, application handlers and functions appended to menus and panels."""
    return {*_types_and_properties(), *_handlers(), *_appended()}


def _types() -> Iterator[tuple[str, type]]:
    return ((name, getattr(bpy.types, name)) for name in dir(bpy.types) if not name.startswith("__"))


def _types_and_properties() -> Iterator[str]:
    for name, kind in _types():
        yield name
        if hasattr(kind, "bl_rna"):
            yield from (f"{name}.{key}" for key in kind.bl_rna.properties.keys())


def _handlers() -> Iterator[str]:
    for name in dir(bpy.app.handlers):
        functions = getattr(bpy.app.handlers, name)
        if isinstance(functions, list):
            yield from (f"{name}: {function.__module__}.{function.__qualname__}" for function in functions)


def _appended() -> Iterator[str]:
    for name, kind in _types():
        functions = getattr(getattr(kind, "draw", None), "_draw_funcs", ())
        # A menu that was ever appended to keeps the list, with its own draw function in it.
        added = [function for function in functions if function.__qualname__ != f"{name}.draw"]
        yield from (f"{name}.draw: {function.__module__}.{function.__qualname__}" for function in added)

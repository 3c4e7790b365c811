"""What is kept while Blender runs, and what is known of it at once: one owner, which forgets it all.

Modules take their tables from here when they are imported. Nothing has to be forgotten by what was never imported.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from bpy.types import Depsgraph

_Table = dict[Any, Any] | list[Any] | set[Any]
Table = TypeVar("Table", bound=_Table)


class Session:
    """Tables that another file makes wrong, or another state of it, and listeners to what Blender does.

    evaluated : tables, each with what keeps it right: called with each dependency graph that Blender has evaluated,
        unless the table is empty
    sampled : called once nothing is being sampled any more
    isolated : `session_uid` of the temporary scenes in which nothing that the user sees is evaluated
    samplings : how many are open, perhaps between two steps of a bake
    names_bones : True once something keeps names of bones, which renaming changes
    """

    def __init__(self) -> None:
        self.evaluated: list[tuple[_Table, Callable[[Depsgraph], None]]] = []
        self.sampled: list[Callable[[], None]] = []
        self.isolated: set[int] = set()
        self.samplings = 0
        self.names_bones = False
        self._of_state: list[_Table] = []
        self._of_file: list[_Table] = []

    def of_state(self, table: Table) -> Table:
        """The table itself; undo, redo and another file empty it."""
        self._of_state.append(table)
        return table

    def of_file(self, table: Table) -> Table:
        """The table itself; another file empties it."""
        self._of_file.append(table)
        return table

    def forget_state(self) -> None:
        """Another state of the file shows."""
        for table in self._of_state:
            table.clear()

    def forget_file(self) -> None:
        """Another file is open, or nothing listens any more."""
        self.forget_state()
        for table in self._of_file:
            table.clear()


session = Session()

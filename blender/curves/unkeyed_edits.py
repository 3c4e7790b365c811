"""Edits without a key: Blender throws them away where it evaluates an animation again, and this puts them back."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

import bpy
from bpy.types import ID, Object, Scene

from .. import versions
from ..messages.refused import unless_gone
from ..rna_paths import animated_by, set_value_at

KeyedPaths = Mapping[ID, Collection[str]]
"""Paths that were keyed, or will be, by data-block: there the keys count, and no edit."""


Keeper = Callable[[Object, Scene, Collection[str]], None]
"""Keeps the edits of an object, and of all that plays its action, but for those at the paths that are to be keyed."""


class Edit(NamedTuple):
    """A property, by its path, that may not be as it is animated; `element` is None where it is no array."""

    block: ID
    path: str
    element: int | None
    value: object


def edits(blocks: Iterable[ID], frame: float, keyed: KeyedPaths) -> list[Edit]:
    """All edits without a key on these data-blocks on the current `frame`, but for those at the paths `keyed`."""
    return [edit for block in blocks if block.is_editable for edit in _block_edits(block, frame, keyed.get(block, ()))]


def everywhere() -> Iterator[ID]:
    """All data-blocks of the file that can be animated."""
    for block in bpy.data.user_map():
        if hasattr(block, "animation_data"):
            yield block
        # A material's nodes have an animation of their own, but are no data-block of the file.
        if tree := getattr(block, "node_tree", None):
            yield tree


def restore(edits: Iterable[Edit]) -> None:
    """Put the edits back, once Blender has evaluated the animation."""
    for block, path, element, value in edits:
        with unless_gone, suppress(ValueError):  # a bone that was removed meanwhile, say
            if element is None:
                set_value_at(block, path, value)
            else:
                block.path_resolve(path)[element] = value
            block.update_tag()  # Blender does not notice custom properties by itself


@contextmanager
def preserved() -> Iterator[Keeper]:
    """Inside, keys may be written on objects once they were handed to what this gives; their other edits stay.

    With any of its curves Blender evaluates an action again as a whole, for all data-blocks that play it: in the end,
    and only once, however many objects there are.
    """
    by_scene: dict[Scene, list[Edit]] = defaultdict(list)
    keyed: dict[ID, Collection[str]] = {}

    def keep(item: Object, scene: Scene, paths: Collection[str]) -> None:
        keyed[item] = {*keyed.get(item, ()), *paths}
        by_scene[scene] += edits(players(item), scene.frame_current_final, keyed)

    yield keep
    for scene, of_scene in by_scene.items():
        by_scene[scene] = [edit for edit in of_scene if edit.path not in keyed.get(edit.block, ())]
        if by_scene[scene]:
            evaluate(scene)
    for of_scene in by_scene.values():
        restore(of_scene)


@contextmanager
def preserve_edits(item: Object, scene: Scene, keyed: Collection[str]) -> Iterator[None]:
    """Inside, keys may be written on `item` at the paths `keyed`; its other edits stay."""
    with preserved() as keep:
        keep(item, scene, keyed)
        yield


def evaluate(scene: Scene) -> None:
    """Let Blender evaluate the scene as it now is, as far as anything shows it."""
    for layer in [layer for layer in scene.view_layers if layer.depsgraph] or scene.view_layers[:1]:
        layer.update()


def players(item: Object) -> Collection[ID]:
    """All data-blocks that play the action of this one."""
    action = item.animation_data and item.animation_data.action
    if not action:
        return ()
    # Blender takes long to tell the users in a large file.
    alone = action.users - action.use_fake_user == 1
    # What was planted from the action refers to it, too.
    users = (item,) if alone else bpy.data.user_map(subset=[action])[action]
    return [user for user in users if hasattr(user, "animation_data")]


def _block_edits(block: ID, frame: float, keyed: Collection[str]) -> Iterator[Edit]:
    strips = [curve for _, curves in versions.strips(block) for curve in curves]
    for curve in (*versions.curves(block), *strips):
        if curve.data_path not in keyed and (found := animated_by(block, curve)):
            value, element = found
            # What strips make of a curve only Blender knows: what is no edit will be the same again.
            if strips or value != curve.evaluate(frame):
                yield Edit(block, curve.data_path, element, value)

"""The armature objects of a scene, found fast enough to ask on every evaluation, and whether one can be edited.

For mypy they have a type of their own, with their data and our properties; when Blender runs, `Rig` is `Object`.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, TypeGuard

import bpy
from bpy.types import Object, PropertyGroup, Scene

from .session import session

if TYPE_CHECKING:
    from bpy.types import Armature, bpy_prop_collection

    from .settings.properties import TwoBoneIKHold

    class Chain(PropertyGroup):
        """A chain of an armature object: what `rig.two_bone_ik_chains` has."""

        id_data: "Rig"
        name: str
        mute: bool
        end_bone: str
        root_bone: str
        tip_bone: str
        hock_bone: str
        hock: str
        hock_angle: float
        target: Object | None
        subtarget: str
        pole_target: Object | None
        pole_subtarget: str
        pole_angle: float
        pole_influence: float
        pole_smoothing: float
        pole_pin: float
        plane: str
        reference: str
        hinge_axis: str
        bend: str
        unreachable: str
        softness: float
        max_stretch: float
        use_extension_limit: bool
        use_bend_limits: bool
        bend_min: float
        bend_max: float
        use_rotation: bool
        rotation_influence: float
        reach_with: str
        use_twist: bool
        influence: float

    class Chains(bpy_prop_collection[Chain]):
        """The chains of an armature object."""

        def add(self) -> Chain: ...
        def remove(self, index: int) -> None: ...
        def move(self, index: int, to: int) -> None: ...

    class Rig(Object):
        """An armature object, for editors and mypy: with its data and the properties that this extension gives it.

        When Blender runs, it is `Object`. A script that sets these properties says so:
        `rig = cast(api.Rig, bpy.data.objects["Hero"])`.
        """

        data: Armature
        two_bone_ik_chains: Chains
        two_bone_ik_active: int
        two_bone_ik_live: bool
        two_bone_ik_report: str
        two_bone_ik_holds: bpy_prop_collection[TwoBoneIKHold]
        two_bone_ik_plants: set[str]
        two_bone_ik_hips: str
        two_bone_ik_keep: set[str]
else:
    Rig, Chain = Object, PropertyGroup


# By `session_uid` of a scene, and how many users armatures have.
_known: dict[tuple[int, int], list[Rig]] = session.of_state({})


def is_rig(item: Object | None) -> TypeGuard[Rig]:
    """Whether this is an armature object."""
    return item is not None and item.type == "ARMATURE"


def local_armatures(scene: Scene) -> list[Rig]:
    """The local armature objects of a scene; a linked one cannot be posed.

    Blender takes milliseconds to look at each of 5,000 objects, and up to one to find one by name: too long for every
    evaluation and redraw. So they are kept until the number of users of armatures changes, or `forget` is called.
    """
    key = scene.session_uid, sum(armature.users + 1 for armature in bpy.data.armatures)
    with suppress(KeyError, ReferenceError):  # one that was removed has no name
        return [rig for rig in _known[key] if rig.name]
    _known[key] = [item for item in scene.objects if is_rig(item) and not item.library]
    return list(_known[key])


def forget() -> None:
    """Another file, another state of it, or other objects in a collection."""
    _known.clear()


def editable(item: Object) -> bool:
    """False for linked objects, and for overrides that Blender made on its own."""
    return item.is_editable and not (item.override_library and item.override_library.is_system_override)

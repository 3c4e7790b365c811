"""Feet that stand: captured legs are held to the ground, in one press."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from bpy.types import Object, Scene

from ..blender.bake.build_plan import Frames, Names
from ..blender.bake.request import Request, alone
from ..blender.chains.detect.find_limbs import Kind
from ..blender.messages.refused import Refused
from ..blender.plant.captured_limbs import PlantChoices
from ..blender.plant.floor import Floor
from ..blender.plant.plant import find_contacts, plant_feet
from ..blender.scene.checks import given_rig
from ..blender.settings.key_settings import DEFAULTS, KeySettings, refuse_not_above_zero
from ..skeleton.feet.feet import Contact
from ..solver.feet.contacts import Stillness
from ..solver.feet.plant import PlantOptions
from .command import action_command

_STILLNESS = Stillness()


@action_command(lambda _rig, _names: (), whole=False)
def plant(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    contacts: Sequence[Contact] | None = None,
    find: bool = False,
    limbs: Collection[str] = ("LEGS",),
    hips: str | None = None,
    keep: Collection[str] = (),
    floor: Floor | None = None,
    stillness: Stillness = _STILLNESS,
    scene: Scene | None = None,
    interpolation: str = DEFAULTS.interpolation,
    key_type: str = DEFAULTS.key_type,
    sampling: str = DEFAULTS.sampling,
    measure: str = DEFAULTS.measure,
) -> Request:
    """Hold captured feet to the ground while they stand on it; knees stay in the plane of their pose.

    The action that was captured stays as it is: the armature then plays a new one, which refers to it. Planted again,
    it starts from what was captured. Limbs need no chains, and their targets are neither needed nor changed.

    chains : names of chains, or of limbs as `detect` finds them; None for all of the kinds `limbs`. Limbs that are
        planted already in what plays stay so if others are named
    frames : None for those on which the limbs have keys. On frames outside, the new action is as it was captured
    contacts : which points stand when, as `contacts` gives them; None for those that are keyed, otherwise they are
        found, also where an earlier press has found and keyed them
    find : find contacts even where they are keyed
    limbs : LEGS, ARMS or both; hands are held without regard to the floor
    hips : the bone that goes down until legs reach their feet; None for the nearest that carries all legs and arms
    keep : limbs that keep their place where the hips move, by name, or ARMS and SPINE for all of these; hands on props,
        or the chest, and with it the head. Other legs always do
    floor : its height, or a mesh object; None if it is to be found
    stillness : what counts as standing
    interpolation, key_type, sampling, measure : as for `bake`
    actions : a pattern such as "*": each action of the armature that it fits is planted, with a report each, and what
        plays stays; the file keeps the new actions
    raises : Refused where the limbs have no keys, where something else than keys poses them, or where a contact was
        changed without a key; with Auto Keying on that is keyed, too

    >>> from math import sin
    >>> upper_arm, tail = rig.pose.bones["upper_arm.L"], (0.0, rig.data.bones["forearm.L"].length, 0.0)
    >>> for frame in range(1, 11):
    ...     upper_arm.rotation_quaternion = 1.0, 0.0, 0.01 * sin(frame), 0.0
    ...     _ = upper_arm.keyframe_insert("rotation_quaternion", frame=frame)
    >>> captured = rig.animation_data.action
    >>> report = api.plant(rig, ["forearm.L"], contacts=[api.Contact("forearm.L", 1, 10, "forearm.L", tail)])
    >>> report.feet[0].after[1] < 1e-5 < report.feet[0].before[1]
    True
    >>> rig.animation_data.action.two_bone_ik_source == captured
    True
    """
    rig = given_rig(rig)
    choices = _choices(
        chains, frames, limbs, stillness, contacts=contacts, find_contacts=find, hips=hips, keep=keep, floor=floor
    )
    settings = KeySettings.styled(interpolation=interpolation, key_type=key_type, sampling=sampling, measure=measure)
    return plant_feet(rig, choices, scene, settings)


def _choices(
    names: Names, frames: Frames | None, limbs: Collection[str], stillness: Stillness, **others: Any
) -> PlantChoices:
    """The choices; Refused for a stillness that nothing can have."""
    if not isinstance(stillness, Stillness):
        raise Refused("NOT_A_STILLNESS", value=stillness)
    for name, value in asdict(stillness).items():
        refuse_not_above_zero("Stillness", name, value)
    options = PlantOptions(stillness=stillness)
    return PlantChoices(names=names, frames=frames, kinds=Kind.several(limbs), options=options, **others)


@alone()
def contacts(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: Frames | None = None,
    *,
    find: bool = False,
    limbs: Collection[str] = ("LEGS",),
    hips: str | None = None,
    floor: Floor | None = None,
    stillness: Stillness = _STILLNESS,
    scene: Scene | None = None,
    sampling: str = DEFAULTS.sampling,
) -> tuple[Contact, ...]:
    """When which points of the limbs stand: what is keyed, else what is found in the captured action; nothing changes.

    find : find them even where they are keyed
    limbs, hips, floor, stillness : as for `plant`
    returns : foot after foot; `plant` takes them, changed or not

    >>> _ = [rig.pose.bones["upper_arm.L"].keyframe_insert("rotation_quaternion", frame=frame) for frame in (1, 10)]
    >>> api.contacts(rig, ["forearm.L"])[0][:4]
    ('forearm.L', 1.0, 10.0, 'forearm.L')
    """
    choices = _choices(chains, frames, limbs, stillness, find_contacts=find, hips=hips, floor=floor)
    return find_contacts(given_rig(rig), choices, scene, KeySettings.styled(sampling=sampling))

"""The bones, constraints and drivers of a built limb: made, found again and removed.

Nothing marks them but the constraints' name: bones and targets are found by what these constraints and their bones
name, which Blender keeps up when something is renamed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import FCurve, PoseBone, Scene
from mathutils import Matrix

from ...skeleton.built_limb import BuiltLimb
from ...skeleton.values import ChainPlan, Point
from ...solver.values import Array, Plane
from .. import versions
from ..armatures import Rig
from ..rna_paths import owner_and_property
from ..scene.bone import rest
from ..scene.dependencies import BUILT, built_by, reached
from ..targets.edit_bones import edit_bones

PROPERTIES = {
    "influence": (
        "IK",
        0.0,
        1.0,
        "FACTOR",
        "How far the limb follows its target; at 0 its bones are posed by themselves",
    ),
    "softness": ("Softness", 0.0, 1.0, "FACTOR", "Part of the full reach over which the limb eases in"),
    "pole_angle": ("Pole Angle", -6.283185, 6.283185, "ANGLE", "Turns the bend away from the pole target"),
}
"""By option of the chain its custom property: name, least and greatest value, subtype, and tooltip."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Parts:
    """What is to be built for one chain.

    holder : name of the bone that has the custom properties
    options : those that are custom properties, by their names in `PROPERTIES`
    """

    chain: ChainPlan
    limb: BuiltLimb
    holder: str
    options: Mapping[str, float]

    @property
    def in_rest_plane(self) -> bool:
        """True if the limb bends in the plane of its rest pose."""
        return self.chain.options.plane == Plane.REST

    @property
    def in_local_space(self) -> bool:
        """True if the end bone copies on its parent, where it blends as the solver does."""
        return not self.limb.askew and self.chain.end.use_inherit_rotation

    @property
    def pole(self) -> Point | None:
        """What decides the plane, if something does."""
        return self.chain.pole if self.chain.options.plane in {Plane.AUTO, Plane.POLE} else None


def make(rig: Rig, scene: Scene, built: Iterable[Parts]) -> None:
    """Add the bones of these limbs, and let those of the user copy them."""
    made = [(parts, {}) for parts in built]
    with edit_bones(rig, scene) as bones:
        for parts, names in made:
            _add_bones(rig, bones, parts, names)
    collection = next((item for item in rig.data.collections_all if item.name == BUILT), None)
    if collection is None:
        active, solo = rig.data.collections.active_index, any(item.is_solo for item in rig.data.collections_all)
        collection = rig.data.collections.new(BUILT)
        collection.is_visible = False
        rig.data.collections.active_index = active
    for _, names in made:
        for name in names.values():
            bone = rig.data.bones[name]
            for other in bone.collections:
                other.unassign(bone)
            collection.assign(bone)
    for parts, names in made:
        _add_properties(rig, parts)
        _connect(rig, parts, names)
    rig.update_tag()


def _add_bones(rig: Rig, bones: Any, parts: Parts, names: dict[str, str]) -> None:
    chain, limb, root = parts.chain, parts.limb, rig.data.bones[parts.chain.root.name]
    space, above = rest(root), root.parent.name if root.parent else ""

    def add(part: str, orientation: Array, parent: str, head: Iterable[float] = (0.0, 0.0, 0.0)) -> None:
        bone = bones.new(f"IK-{part}-{(chain.end if part == 'lower' else chain.root).name}")
        names[part] = bone.name
        bone.length = root.length
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = orientation, tuple(head)
        bone.matrix = Matrix((space @ matrix).tolist())
        bone.parent = bones.get(names.get(parent, parent))
        bone.use_deform, bone.hide_select = False, True
        if parent == above:
            bone.inherit_scale = root.inherit_scale
            bone.use_inherit_rotation = root.use_inherit_rotation

    add("goal" if parts.in_rest_plane else "aim", limb.aim, above)
    if parts.pole:
        add("pole", limb.aim, "aim")
        add("swivel", limb.aim, "aim")
    add("upper", limb.upper, above if parts.in_rest_plane else "swivel" if parts.pole else "aim")
    add("lower", limb.lower, "upper", limb.mid)


def _add_properties(rig: Rig, parts: Parts) -> None:
    holder: Any = rig.pose.bones[parts.holder]
    for option, value in parts.options.items():
        name, least, greatest, subtype, tooltip = PROPERTIES[option]
        holder[name] = value
        holder.id_properties_ui(name).update(
            min=least,
            max=greatest,
            soft_min=least,
            soft_max=greatest,
            default=value,
            subtype=subtype,
            description=tooltip,
        )
        holder.property_overridable_library_set(f'["{name}"]', True)


def _connect(rig: Rig, parts: Parts, names: Mapping[str, str]) -> None:
    chain, limb, bones = parts.chain, parts.limb, rig.pose.bones
    own = {part: Point(rig, name) for part, name in names.items()}
    held = {option: f'{bones[parts.holder].path_from_id()}["{PROPERTIES[option][0]}"]' for option in parts.options}
    if parts.in_rest_plane:
        _constrain(bones[names["goal"]], "COPY_LOCATION", chain.target)
        reach = {axis: ("LOC_" + axis.upper(), own["goal"]) for axis in "yz"}
    else:
        _constrain(bones[names["aim"]], "DAMPED_TRACK", chain.target).track_axis = "TRACK_Y"
        reach = {"d": (own["aim"], chain.target), "s": ("SCALE_AVG", own["aim"])}
    soft = {"soft": held["softness"]} if "softness" in held else {}
    if parts.pole:
        _constrain(bones[names["pole"]], "COPY_LOCATION", parts.pole)
        bones[names["swivel"]].rotation_mode = "XYZ"
        angle = {"angle": held["pole_angle"]} if "pole_angle" in held else {}
        place = {axis: ("LOC_" + axis.upper(), own["pole"]) for axis in "xz"}
        _drive(bones[names["swivel"]], "rotation_euler", 1, limb.swivel, place | angle)
    for part, hinge in zip(("upper", "lower"), limb.hinges.tolist(), strict=True):
        bones[names[part]].rotation_mode = "AXIS_ANGLE"
        bones[names[part]].rotation_axis_angle = (0.0, *hinge)
    turned = {"t": f"{bones[names['lower']].path_from_id()}.rotation_axis_angle[0]"}
    aimed = reach if parts.in_rest_plane else {}
    _drive(bones[names["lower"]], "rotation_axis_angle", 0, limb.bend, reach | soft)
    _drive(bones[names["upper"]], "rotation_axis_angle", 0, limb.turn, turned | aimed)
    # At a part of the influence a limb blends as the solver does where each bone is turned on its parent.
    spaces = "POSE", "LOCAL" if parts.in_local_space else "POSE"
    for bone, part, space in zip((chain.root, chain.end), ("upper", "lower"), spaces, strict=True):
        copy = _constrain(bones[bone.name], "COPY_ROTATION", own[part])
        copy.owner_space = copy.target_space = space
        _drive(copy, "influence", -1, "ik", {"ik": held["influence"]})


def _constrain(bone: PoseBone, kind: Any, target: Point) -> Any:
    constraint: Any = bone.constraints.new(kind)
    constraint.name, constraint.target = BUILT, target.object
    constraint.subtarget = target.bone
    return constraint


def _drive(owner: Any, path: str, index: int, expression: str, variables: Mapping[str, Any]) -> None:
    """variables : by name the path of a property, a place with the part of it that counts, or two places that lie apart"""
    driver = owner.driver_add(path, index).driver
    for name, read in variables.items():
        variable = driver.variables.new()
        variable.name = name
        if isinstance(read, str):
            variable.targets[0].id, variable.targets[0].data_path = owner.id_data, read
            continue
        variable.type = "TRANSFORMS" if isinstance(read[0], str) else "LOC_DIFF"
        places = read[1:] if isinstance(read[0], str) else read
        for target, place in zip(variable.targets, places, strict=True):
            target.id, target.bone_target = place.object, place.bone
        if isinstance(read[0], str):
            variable.targets[0].transform_type = read[0]
            variable.targets[0].transform_space = "WORLD_SPACE" if read[0] == "SCALE_AVG" else "LOCAL_SPACE"
    driver.expression = expression


def remove(rig: Rig, scene: Scene, bones: Iterable[str]) -> int:
    """Take apart what was built for these bones, so that no trace of it stays: how many limbs these were."""
    copies = [(bone, copy) for bone in bones if (copy := built_by(rig, bone))]
    limbs = {_helpers(rig, copy.subtarget) for _, copy in copies if copy.subtarget in rig.data.bones}
    helpers = frozenset[str]().union(*limbs)
    owners = [rig.pose.bones[name].path_from_id() for name in helpers]
    owners += [copy.path_from_id() for _, copy in copies]
    properties = set()
    for curve in [curve for curve in versions.drivers(rig) if owner_and_property(curve.data_path)[0] in owners]:
        properties |= set(_custom_properties(curve))
        rig.animation_data.drivers.remove(curve)
    for path in properties:
        owner, name = owner_and_property(path)
        del rig.path_resolve(owner)[name[2:-2]]
    for bone, copy in copies:
        rig.pose.bones[bone].constraints.remove(copy)
    if not helpers:
        return 0
    with edit_bones(rig, scene) as bones:
        for name in helpers:
            bones.remove(bones[name])
    collection = rig.data.collections_all.get(BUILT)
    if collection and not collection.bones:
        rig.data.collections.remove(collection)
    animation = rig.animation_data
    if animation and not (animation.action or animation.drivers or animation.nla_tracks):
        rig.animation_data_clear()
    return len(limbs)


def _helpers(rig: Rig, name: str) -> frozenset[str]:
    """Names of the bones that were built for a limb, of which one has this name."""
    bones = rig.data.bones
    members = {bone.name for collection in bones[name].collections for bone in collection.bones}

    def linked(name: str) -> Iterator[str]:
        near = [bones[name].parent, *bones[name].children]
        yield from (bone.name for bone in near if bone and bone.name in members)
        for curve in versions.drivers(rig):
            if owner_and_property(curve.data_path)[0] == rig.pose.bones[name].path_from_id():
                read = (target.bone_target for variable in curve.driver.variables for target in variable.targets)
                yield from (bone for bone in read if bone in members)

    return frozenset(reached([name], linked))


def _custom_properties(curve: FCurve) -> Iterator[str]:
    """Paths of those of ours that a driver reads."""
    paths = (target.data_path for variable in curve.driver.variables for target in variable.targets)
    names = {f'["{name}"]' for name, *_ in PROPERTIES.values()}
    return (path for path in paths if owner_and_property(path)[1] in names)

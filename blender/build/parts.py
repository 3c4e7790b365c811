"""The bones, constraints and drivers of a built limb: made, found again and removed.

Nothing marks them but the constraints' name: bones and targets are found by what these constraints and their bones
name, which Blender keeps up when something is renamed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import BoneCollection, FCurve, PoseBone, Scene
from mathutils import Matrix

from ...skeleton.built_limb import BuiltLimb, alike
from ...skeleton.values import ChainPlan, Point
from ...solver.values import Array, Plane
from .. import versions
from ..armatures import Rig
from ..rna_paths import owner_and_property
from ..scene.bone import rest
from ..scene.dependencies import BUILT, built_by, reached
from ..targets.edit_bones import edit_bones

_ANGLE = "rotation_axis_angle"

_SLIGHT = 1e-4
"""Part of a length by which Blender's own matrices at rest may be off after an edit that changed nothing."""

TIP = f"{BUILT} Rotation"
"""Name of the constraint by which a tip bone follows the rotation of the target."""

PROPERTIES = {
    "influence": ("IK", 0.0, 1.0, "FACTOR", "How far the limb follows its target. At 0 its own pose shows"),
    "softness": ("Softness", 0.0, 1.0, "FACTOR", "Part of the full reach over which the limb eases in"),
    "max_stretch": ("Stretch", 1.0, 10.0, "NONE", "How many times its length the limb may get to reach its target"),
    "pole_angle": ("Pole Angle", -6.2831853, 6.2831853, "ANGLE", "Turns the bend away from the pole target"),
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


DriverInput = str | tuple[str, Point] | tuple[Point, Point]
"""What a driver reads: the property at a path, a part of where a place is, or the distance of two places."""


def make(rig: Rig, scene: Scene, built: Iterable[Parts]) -> None:
    """Add the bones of these limbs, and let those of the user copy them."""
    made: list[tuple[Parts, dict[str, str]]] = [(parts, {}) for parts in built]
    with edit_bones(rig, scene) as bones:
        for parts, names in made:
            _add_bones(rig, bones, parts, names)
    collection = _collection(rig) or _new_collection(rig)
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


def _collection(rig: Rig) -> BoneCollection | None:
    """That of the bones that were built before."""
    return next((item for bone in rig.data.bones if bone.get(BUILT) for item in bone.collections), None)


def _new_collection(rig: Rig) -> BoneCollection:
    collections = rig.data.collections
    active, collection = collections.active_index, collections.new(BUILT)
    collections.active_index, collection.is_visible = active, False
    return collection


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
        bone[BUILT] = True
        if parent == above:
            bone.inherit_scale = root.inherit_scale
            bone.use_inherit_rotation = root.use_inherit_rotation

    add("goal" if parts.in_rest_plane else "aim", limb.aim, above)
    if parts.pole:
        add("pole", limb.aim, "aim")
        add("swivel", limb.aim, "aim")
    add("upper", limb.upper, above if parts.in_rest_plane else "swivel" if parts.pole else "aim")
    add("lower", limb.lower, "upper", limb.mid)
    if "max_stretch" in parts.options:
        bones[names["lower"]].inherit_scale = "ALIGNED"  # otherwise it would be sheared


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
    held = {
        option: f'{rig.pose.bones[parts.holder].path_from_id()}["{PROPERTIES[option][0]}"]' for option in parts.options
    }
    helpers = {part: rig.pose.bones[name] for part, name in names.items()}
    reach = _aim(parts, helpers, held)
    for part, hinge in zip(("upper", "lower"), parts.limb.hinges.tolist(), strict=True):
        helpers[part].rotation_mode = "AXIS_ANGLE"
        helpers[part].rotation_axis_angle = (0.0, *hinge)
    soft = {"q": held["softness"]} if "softness" in held else {}
    turned = {"t": f"{helpers['lower'].path_from_id()}.{_ANGLE}[0]"}
    _drive(helpers["lower"], _ANGLE, 0, parts.limb.bend, reach | soft)
    _drive(helpers["upper"], _ANGLE, 0, parts.limb.turn, turned | (reach if parts.in_rest_plane else {}))
    if "max_stretch" in held:
        _drive(helpers["upper"], "scale", 1, parts.limb.stretch, reach | soft | {"m": held["max_stretch"]})
    _let_copy(rig, parts, names, held)


def _aim(parts: Parts, helpers: Mapping[str, PoseBone], held: Mapping[str, str]) -> dict[str, DriverInput]:
    """Let the first bones follow target and pole target; what a driver reads to know how far the target is."""
    target = parts.chain.target
    if parts.in_rest_plane:
        _constrain(helpers["goal"], "COPY_LOCATION", target)
        return {axis: ("LOC_" + axis.upper(), _point(helpers["goal"])) for axis in "yz"}
    _constrain(helpers["aim"], "DAMPED_TRACK", target).track_axis = "TRACK_Y"
    if parts.pole:
        _constrain(helpers["pole"], "COPY_LOCATION", parts.pole)
        place: dict[str, DriverInput] = {axis: ("LOC_" + axis.upper(), _point(helpers["pole"])) for axis in "xz"}
        if "pole_angle" in held:
            place["p"] = held["pole_angle"]
        helpers["swivel"].rotation_mode = "XYZ"
        _drive(helpers["swivel"], "rotation_euler", 1, parts.limb.swivel, place)
    return {"d": (_point(helpers["aim"]), target), "s": ("SCALE_AVG", _point(helpers["aim"]))}


def _point(bone: PoseBone) -> Point:
    return Point(bone.id_data, bone.name)


def _let_copy(rig: Rig, parts: Parts, names: Mapping[str, str], held: Mapping[str, str]) -> None:
    """Let the limb's own bones copy what was built."""
    chain, bones, switch = parts.chain, rig.pose.bones, held["influence"]
    upper, root, end = Point(rig, names["upper"]), Point(rig, chain.root.name), bones[chain.end.name]
    _copy(bones[root.bone], "COPY_ROTATION", upper, "POSE", switch)
    # At a part of the influence a limb blends as the solver does where each bone is turned on its parent.
    space = "LOCAL" if parts.in_local_space else "POSE"
    _copy(end, "COPY_ROTATION", Point(rig, names["lower"]), space, switch)
    if "max_stretch" in held:
        # The end bone gets what the root bone has in the end: with Inherit Scale it has some of that already.
        for bone, source, influence in ((bones[root.bone], upper, "k"), (end, root, "1 if k>0 else 0")):
            copy = _copy(bone, "COPY_SCALE", source, "POSE", switch, influence)
            copy.use_x = copy.use_z = False
    if chain.use_rotation:
        # In the space of the armature a mirrored object does not matter.
        space = "POSE" if chain.target.object == rig and chain.target.bone else "WORLD"
        influence = f"k*{chain.rotation_influence:.9g}"
        _copy(bones[chain.tip_bone], "COPY_ROTATION", chain.target, space, switch, influence).name = TIP


def _copy(bone: PoseBone, kind: Any, target: Point, space: str, switch: str, influence: str = "k") -> Any:
    """A constraint that copies from the target, with this expression of k, the switch."""
    copy = _constrain(bone, kind, target)
    copy.owner_space = copy.target_space = space
    _drive(copy, "influence", -1, influence, {"k": switch})
    return copy


def _constrain(bone: PoseBone, kind: Any, target: Point) -> Any:
    constraint: Any = bone.constraints.new(kind)
    constraint.name, constraint.target = BUILT, target.object
    constraint.subtarget = target.bone
    return constraint


def _drive(owner: Any, path: str, index: int, expression: str, variables: Mapping[str, DriverInput]) -> None:
    driver = owner.driver_add(path, index).driver
    for name, read in variables.items():
        variable = driver.variables.new()
        variable.name = name
        if isinstance(read, str):
            variable.targets[0].id, variable.targets[0].data_path = owner.id_data, read
            continue
        what, place = read
        variable.type = "TRANSFORMS" if isinstance(what, str) else "LOC_DIFF"
        places = [place] if isinstance(what, str) else [what, place]
        for target, (item, bone) in zip(variable.targets, places, strict=True):
            target.id, target.bone_target = item, bone
        if isinstance(what, str):
            variable.targets[0].transform_type = what
            variable.targets[0].transform_space = "WORLD_SPACE" if what == "SCALE_AVG" else "LOCAL_SPACE"
    driver.expression = expression


def remove(rig: Rig, scene: Scene, bones: Iterable[str]) -> int:
    """Take apart what was built for these bones, so that no trace of it stays: how many limbs these were."""
    constraints = [
        (bone, item) for bone in bones for item in rig.pose.bones[bone].constraints if item.name.startswith(BUILT)
    ]
    copied = {copy.subtarget for bone in bones if (copy := built_by(rig, bone))}
    limbs = {_helpers(rig, name) for name in copied if name in rig.data.bones}
    helpers = frozenset[str]().union(*limbs)
    owners = {item.path_from_id() for _, item in constraints}
    owners |= {rig.pose.bones[name].path_from_id() for name in helpers}
    properties = set()
    for curve in [curve for curve in versions.drivers(rig) if owner_and_property(curve.data_path)[0] in owners]:
        properties |= set(_custom_properties(curve))
        rig.animation_data.drivers.remove(curve)
    for path in properties:
        owner, name = owner_and_property(path)
        del rig.path_resolve(owner)[name[2:-2]]
    for bone, item in reversed(constraints):
        rig.pose.bones[bone].constraints.remove(item)
    if not helpers:
        return 0
    collection = _collection(rig)
    with edit_bones(rig, scene) as edited:
        for name in helpers:
            edited.remove(edited[name])
    if collection and not collection.bones:
        rig.data.collections.remove(collection)
    animation = rig.animation_data
    if animation and not (animation.action or animation.drivers or animation.nla_tracks):
        rig.animation_data_clear()
    return len(limbs)


def as_built(rig: Rig, end_bone: str) -> list[tuple[Matrix, str]]:
    """Of the bone that aims, upper and lower, which an end bone copies: how they are at rest, and what drives them.

    None of what is gone, and none that aims in the plane of the rest pose.
    """
    copy, bones = built_by(rig, end_bone), rig.data.bones
    lower = bones.get(copy.subtarget) if copy else None
    found = list[tuple[Matrix, str]]()
    if not (lower and lower.parent and rig.animation_data):
        return found
    turned = (lower.parent.parent, "rotation_euler", 1), (lower.parent, _ANGLE, 0), (lower, _ANGLE, 0)
    for bone, field, index in turned:
        if bone and bone.get(BUILT):
            path = f"{rig.pose.bones[bone.name].path_from_id()}.{field}"
            curve = rig.animation_data.drivers.find(path, index=index)
            found.append((bone.matrix_local.copy(), curve.driver.expression if curve else ""))
    return found


def are_there(rig: Rig, parts: Parts) -> bool:
    """Whether these bones lie where the rest pose has the limb, and turn as they are to."""
    limb, root, found = parts.limb, rig.data.bones[parts.chain.root.name], as_built(rig, parts.chain.end.name)
    wanted = [(limb.upper, limb.turn), (limb.lower, limb.bend)]
    if not parts.in_rest_plane:
        wanted.insert(0, (limb.aim, limb.swivel if parts.pole else ""))
    places = np.eye(4)[None].repeat(len(wanted), axis=0)
    places[:, :3, :3], places[-1, :3, 3] = [orientation for orientation, _ in wanted], limb.mid
    return len(found) == len(wanted) and all(
        np.abs(place - np.array(now)).max() < _SLIGHT * max(1.0, root.length) and alike(expression, told)
        for place, (now, expression), (_, told) in zip(rest(root) @ places, found, wanted, strict=True)
    )


def _helpers(rig: Rig, name: str) -> frozenset[str]:
    """Names of the bones that were built for a limb, of which one has this name."""
    bones = rig.data.bones
    members = {bone.name for bone in bones if bone.get(BUILT)}

    def linked(name: str) -> Iterator[str]:
        near = [bones[name].parent, *bones[name].children]
        yield from (bone.name for bone in near if bone and bone.name in members)
        for curve in versions.drivers(rig):
            if owner_and_property(curve.data_path)[0] == rig.pose.bones[name].path_from_id():
                read = (target.bone_target for variable in curve.driver.variables for target in variable.targets)
                yield from (bone for bone in read if bone in members)

    return frozenset(reached([name], linked)) & members


def _custom_properties(curve: FCurve) -> Iterator[str]:
    """Paths of those of ours that a driver reads."""
    paths = (target.data_path for variable in curve.driver.variables for target in variable.targets)
    names = {f'["{name}"]' for name, *_ in PROPERTIES.values()}
    return (path for path in paths if owner_and_property(path)[1] in names)

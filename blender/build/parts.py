"""The bones, constraints and drivers of a built limb: made, found again and removed; keys of the limb's own bones stay.

Nothing marks them but the constraints' name: bones and targets are found by what these constraints and their bones
name, which Blender keeps up when something is renamed.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bpy.types import Bone, BoneCollection, Constraint, FCurve, PoseBone, Scene
from mathutils import Matrix

from ...skeleton.built_limb import BuiltLimb
from ...skeleton.transform import compose
from ...skeleton.values import ChainPlan, Point
from ...solver.values import Plane
from .. import versions
from ..armatures import Rig
from ..options import rows
from ..rna_paths import owner_and_property
from ..scene.bone import rest
from ..scene.dependencies import BUILT, built_by, constrained, drivers_of, reached
from ..targets.edit_bones import edit_bones

ANGLE = "rotation_axis_angle"
"""What drivers turn parts by."""

HINGE = '["Hinge"]'
"""The property of lower for its angle, which other drivers read.

Blender keeps up the name of a renamed bone in what a driver reads, but for paths that end in an index: so it is no
element of `ANGLE`.
"""

_LIKE_ROOT = {"aim", "goal", "upper", "hand"}
"""The parts that, where a bone of the rig carries them, are carried as the root bone is."""

TIP = f"{BUILT} Rotation"
"""Name of the constraint by which a tip bone follows the rotation of the target."""

PROPERTIES = rows("built")
"""By option of the chain its custom property."""


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
        """True if the bones below the root bone copy on their parents, where they blend as the solver does."""
        return not self.limb.askew and all(bone.use_inherit_rotation for bone in (self.chain.end, *self.chain.third))

    @property
    def tip_influence(self) -> str:
        """Expression of the influence by which the tip bone follows the rotation of the target."""
        return f"k*{self.chain.rotation_influence:.9g}"

    def copying(self) -> dict[str, tuple[str, bool]]:
        """By the name of each bone of the user what it copies, and whether it does so on its parent."""
        chain, local = self.chain, self.in_local_space
        named = {chain.root.name: ("upper", False), chain.end.name: ("lower", local)}
        named |= {bone.name: ("third", local) for bone in chain.third}
        return named | {
            part.bone.name: (f"twist {number}", part.bone.use_inherit_rotation)
            for number, part in enumerate(chain.twists)
        }


def pole_of(chain: ChainPlan) -> Point | None:
    """The pole target that the chain bends towards, if it does."""
    return chain.pole if chain.options.plane in {Plane.AUTO, Plane.POLE} else None


DriverInput = str | tuple[str, Point] | tuple[Point, Point]
"""What a driver reads: the property at a path, a part of where a place is, or the distance of two places."""


def make(rig: Rig, scene: Scene, built: Iterable[Parts]) -> None:
    """Add the bones of these limbs, and let those of the user copy them."""
    with edit_bones(rig, scene) as bones:
        added = [(parts, _add_bones(rig, bones, parts)) for parts in built]
    collection = _collection(rig) or _new_collection(rig)
    for parts, names in added:
        for name in names.values():
            collection.assign(rig.data.bones[name])
        _add_properties(rig, parts)
        _connect(rig, parts, names)
    rig.update_tag()


def _collection(rig: Rig) -> BoneCollection | None:
    """The collection of the bones that were built before."""
    return next((item for bone in rig.data.bones if kind_of(bone) for item in bone.collections), None)


def _new_collection(rig: Rig) -> BoneCollection:
    collections = rig.data.collections
    active, collection = collections.active_index, collections.new(BUILT)
    collections.active_index, collection.is_visible = active, False
    return collection


def _add_bones(rig: Rig, bones: Any, parts: Parts) -> dict[str, str]:
    """The names of the bones that are added, by part of the limb."""
    root, names = rig.data.bones[parts.chain.root.name], dict[str, str]()
    copying = {part: name for name, (part, _) in parts.copying().items()}
    for part, built in parts.limb.bones.items():
        kind = part.split()[0]
        bone = bones.new(f"IK-{kind}-{copying.get(part, root.name)}")
        names[part] = bone.name
        bone.length = root.length
        bone.matrix = Matrix((rest(root) @ compose(built.orientation, built.head)).tolist())
        bone.parent = bones.get(names[built.parent] if built.parent else built.carrier)
        bone.use_deform, bone.hide_select = False, True
        bone[BUILT] = kind
        if kind in _LIKE_ROOT and not built.parent:
            bone.inherit_scale = root.inherit_scale
            bone.use_inherit_rotation = root.use_inherit_rotation
        elif "max_stretch" in parts.options:
            bone.inherit_scale = "ALIGNED"  # otherwise it would be sheared
    return names


def _add_properties(rig: Rig, parts: Parts) -> None:
    holder: Any = rig.pose.bones[parts.holder]
    for option, value in parts.options.items():
        name, ui = PROPERTIES[option]["name"], PROPERTIES[option]["ui"]
        holder[name] = value
        holder.id_properties_ui(name).update(default=value, **ui)
        holder.property_overridable_library_set(f'["{name}"]', True)


def _connect(rig: Rig, parts: Parts, names: Mapping[str, str]) -> None:
    limb, bones, holder = parts.limb, rig.pose.bones, rig.pose.bones[parts.holder].path_from_id()
    paths = {option: f'{holder}["{PROPERTIES[option]["name"]}"]' for option in parts.options}
    inputs: dict[str, DriverInput] = {PROPERTIES[option]["letter"]: path for option, path in paths.items()}
    lower: Any = bones[names["lower"]]
    inputs["t"] = f"{lower.path_from_id()}{HINGE}"
    inputs |= _aim(parts, rig, names)
    lower[HINGE[2:-2]] = 0.0
    _drive(lower, HINGE, -1, limb.bend, inputs)
    for part, built in limb.bones.items():
        bone = bones[names[part]]
        if part.startswith("turn "):
            carried = Point(rig, names[part.replace("turn", "carried")])
            _copy(bone, "COPY_ROTATION", carried, "POSE")
        if built.angle:
            bone.rotation_mode = "AXIS_ANGLE"
            bone.rotation_axis_angle = (0.0, *built.axis.tolist())
            if part.startswith("twist "):
                upper = parts.chain.twists[int(part.split()[1])].upper
                inputs["w"] = "ROT_Y", Point(rig, names[f"turn {upper}"])
            _drive(bone, ANGLE, 0, built.angle, inputs)
    if "max_stretch" in paths:
        _drive(bones[names["upper"]], "scale", 1, limb.stretch, inputs)
    _let_copy(rig, parts, names, paths)


def _aim(parts: Parts, rig: Rig, names: Mapping[str, str]) -> dict[str, DriverInput]:
    """Let the first bone follow target and pole target; what drivers read to know how far the target is."""
    target = parts.chain.target
    if parts.chain.by_tail:
        hand, target = rig.pose.bones[names["hand"]], Point(rig, names["joint"])
        _constrain(hand, "COPY_LOCATION", parts.chain.target)
        _copy_turn(hand, parts.chain.target)
    if parts.in_rest_plane:
        _constrain(rig.pose.bones[names["goal"]], "COPY_LOCATION", target)
        return {axis: (f"LOC_{axis.upper()}", Point(rig, names["goal"])) for axis in "yz"}
    aim, place = rig.pose.bones[names["aim"]], Point(rig, names["aim"])
    _constrain(aim, "DAMPED_TRACK", target).track_axis = "TRACK_Y"
    if pole := pole_of(parts.chain):
        track = _constrain(aim, "LOCKED_TRACK", pole)
        track.track_axis, track.lock_axis = track_axis(parts), "LOCK_Y"
        track.influence = parts.chain.number("pole_influence")
        # In the world it would take the mirroring out of a mirrored object.
        track.owner_space = track.target_space = "CUSTOM"
        track.space_object, track.space_subtarget = rig, names.get("base") or parts.limb.bones["aim"].carrier
    return {"d": (place, target), "s": ("SCALE_AVG", place)}


def track_axis(parts: Parts) -> str:
    """The axis of aim that points at the pole target."""
    return "TRACK_Z" if parts.limb.side > 0.0 else "TRACK_NEGATIVE_Z"


def _let_copy(rig: Rig, parts: Parts, names: Mapping[str, str], paths: Mapping[str, str]) -> None:
    """Let the limb's own bones copy what was built.

    paths : by option the RNA path of its custom property
    """
    chain, bones, switch = parts.chain, rig.pose.bones, paths["influence"]
    for name, (part, local) in parts.copying().items():
        # At a part of the influence a limb blends as the solver does where each bone is turned on its parent.
        _copy(bones[name], "COPY_ROTATION", Point(rig, names[part]), "LOCAL" if local else "POSE", switch)
    if "max_stretch" in paths:
        # The bones below get what the root bone has in the end: with Inherit Scale they have some of that already.
        upper, root = Point(rig, names["upper"]), Point(rig, chain.root.name)
        for bone in chain.scaled:
            source, influence = (upper, "k") if bone == chain.root else (root, "1 if k>0 else 0")
            copy = _copy(bones[bone.name], "COPY_SCALE", source, "POSE", switch, influence)
            copy.use_x = copy.use_z = False
    if chain.use_rotation:
        turned_as = Point(rig, names["joint"]) if chain.by_tail else chain.target
        _copy_turn(bones[chain.tip_bone], turned_as, switch, parts.tip_influence).name = TIP


def _copy_turn(bone: PoseBone, target: Point, *driven: str) -> Any:
    """A constraint by which the bone is turned as a target is."""
    # In the space of the armature a mirrored object does not matter.
    space = "POSE" if target.object == bone.id_data and target.bone else "WORLD"
    return _copy(bone, "COPY_ROTATION", target, space, *driven)


def _copy(bone: PoseBone, kind: Any, target: Point, space: str, switch: str = "", influence: str = "k") -> Any:
    """A constraint that copies from the target, always or with this expression of k, the switch."""
    copy = _constrain(bone, kind, target)
    copy.owner_space = copy.target_space = space
    if switch:
        _drive(copy, "influence", -1, influence, {"k": switch})
    return copy


def _constrain(bone: PoseBone, kind: Any, target: Point) -> Any:
    constraint: Any = bone.constraints.new(kind)
    constraint.name, constraint.target = BUILT, target.object
    constraint.subtarget = target.bone
    return constraint


def _drive(owner: Any, path: str, index: int, expression: str, inputs: Mapping[str, DriverInput]) -> None:
    driver = owner.driver_add(path, index).driver
    for name, read in inputs.items():
        if not re.search(rf"\b{name}\b", expression):
            continue
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
            variable.targets[0].rotation_mode = "SWING_TWIST_Y"
    driver.expression = expression


def remove(rig: Rig, scene: Scene, bones: Collection[str]) -> int:
    """Take apart what was built for these bones, so that no trace of it stays: how many limbs these were."""
    constraints = _constraints(rig, bones)
    copied = {copy.subtarget for bone in bones if (copy := built_by(rig, bone))}
    helpers = _helpers(rig, [name for name in copied if name in rig.data.bones])
    count = [kind_of(rig.data.bones[name]) for name in helpers].count("lower")
    owners = {item.path_from_id() for _, item in constraints}
    owners |= {rig.pose.bones[name].path_from_id() for name in helpers}
    properties = set()
    for curve in [curve for curve in versions.drivers(rig) if owner_and_property(curve.data_path)[0] in owners]:
        properties |= set(_custom_properties(curve))
        rig.animation_data.drivers.remove(curve)
    for path in properties:
        owner, name = owner_and_property(path)
        with suppress(KeyError, ValueError):  # the property is gone, or the bone that had it
            del rig.path_resolve(owner)[name[2:-2]]
    for bone, item in reversed(constraints):
        bone.constraints.remove(item)
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
    return count


def _constraints(rig: Rig, bones: Collection[str]) -> list[tuple[PoseBone, Constraint]]:
    """What was built on bones of these names, and on others that go by the same switch: the tip bone may be another."""
    built = [(bone, item) for bone, item in constrained(rig) if item.name.startswith(BUILT)]
    chosen = {item.path_from_id() for bone, item in built if bone.name in bones}
    read = {owner_and_property(curve.data_path)[0]: {*_custom_properties(curve)} for curve in versions.drivers(rig)}
    switches = set[str]().union(*(read.get(path, ()) for path in chosen))
    return [pair for pair in built if (path := pair[1].path_from_id()) in chosen or switches & read.get(path, set())]


def kind_of(bone: Bone | None) -> str:
    """Which part of a limb a bone is; "" if it is none."""
    kind: str = bone.get(BUILT, "") if bone else ""
    return kind


def _helpers(rig: Rig, names: Iterable[str]) -> set[str]:
    """Names of the bones that were built for limbs, of each of which one has one of these names."""
    bones = rig.data.bones
    members = {bone.name for bone in bones if kind_of(bone)}

    def linked(name: str) -> set[str]:
        constraints: Any = rig.pose.bones[name].constraints
        near = [bone.name for bone in (bones[name].parent, *bones[name].children) if bone]
        followed = [other for item in constraints for other in (item.subtarget, item.space_subtarget)]
        variables = (variable for curve in drivers_of(Point(rig, name)) for variable in curve.driver.variables)
        read = [target.bone_target for variable in variables for target in variable.targets]
        return members & {*near, *followed, *read}

    return reached(names, linked) & members


def _custom_properties(curve: FCurve) -> Iterator[str]:
    """Paths of those of ours that a driver reads."""
    paths = (target.data_path for variable in curve.driver.variables for target in variable.targets)
    names = {f'["{row["name"]}"]' for row in PROPERTIES.values()}
    return (path for path in paths if owner_and_property(path)[1] in names)

"""What is true of a scene after a request: geometry over what Blender itself evaluates, against what the report says.

Nothing of the extension is used but the report. A fault is a sentence that begins with its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Vector

from . import state
from .build import RIG

REACHED = 0
TURNS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
BESIDE = ("hides the", "acts on top", "mixed with NLA")
"""In notes of a report that say by themselves that the limb is elsewhere."""


@dataclass(frozen=True)
class Limb:
    """A chain by the names of what it is made of."""

    root: str
    end: str
    tip: str
    target: str
    pole: str
    fields: Mapping
    rig: str = RIG
    subtarget: str = ""
    hock: str = ""

    @classmethod
    def of(cls, name: str, owner: str = RIG) -> Limb:
        """The chain of this name, as the armature has it."""
        rig = bpy.data.objects[owner]
        chain = rig.two_bone_ik_chains[name]
        root = chain.root_bone or rig.data.bones[chain.end_bone].parent.name
        names = (
            "plane",
            "bend",
            "unreachable",
            "softness",
            "influence",
            "pole_pin",
            "use_extension_limit",
            "use_bend_limits",
        )
        fields = {field: getattr(chain, field) for field in (*names, "use_rotation", "use_twist", "reach_with")}
        target, pole = (item.name if item else "" for item in (chain.target, chain.pole_target))
        return cls(root, chain.end_bone, chain.tip_bone, target, pole, fields, owner, chain.subtarget, chain.hock_bone)

    @property
    def plain(self) -> bool:
        """True where nothing but its lengths keeps the tip from the target."""
        return self._is_free and not self.hock

    @property
    def is_leg(self) -> bool:
        """True for a leg with a hock that nothing but its lengths keeps from the target."""
        return self._is_free and bool(self.hock)

    @property
    def _is_free(self) -> bool:
        held = (self.fields[name] for name in ("softness", "pole_pin", "use_extension_limit", "use_bend_limits"))
        there = self.fields["influence"] == 1.0 and self.fields["plane"] != "REST" and not self.keyed_options
        return there and not any(held) and self.fields["unreachable"] not in {"STRETCH", "HOLD"}

    @property
    def keyed_options(self) -> bool:
        """True where keys on the end bone may change what the chain's fields say."""
        return self._has_keys("")

    def _has_keys(self, option: str) -> bool:
        animation = bpy.data.objects[self.rig].animation_data
        curves = state.curves(animation.action) if animation and animation.action else ()
        path = bpy.data.objects[self.rig].pose.bones[self.end].path_from_id() + f".two_bone_ik_{option}"
        return any(curve.data_path.startswith(path) for curve in curves)

    def joints(self) -> np.ndarray:
        """(3, 3) root, mid and tip in the world, as evaluated."""
        rig = _evaluated(self.rig)
        bones = rig.pose.bones
        tip = bones[self.tip].head if self.tip else bones[self.hock or self.end].tail
        places = np.array((bones[self.root].head, bones[self.end].head, tip), dtype=float)
        matrix = np.array(rig.matrix_world, dtype=float)
        return places @ matrix[:3, :3].T + matrix[:3, 3]

    def shown(self) -> np.ndarray:
        """(3 + k, 3) the joints, and places beside its twist bones, which go round as these turn.

        With part of the influence they have part of a turn, from which a single frame cannot tell the whole.
        """
        spreads = self.fields["use_twist"] and self.fields["influence"] == 1.0 and not self._has_keys("influence")
        rig, names = _evaluated(self.rig), self._twist_bones() if spreads else []
        bones = [rig.pose.bones[name] for name in names]
        beside = [rig.matrix_world @ bone.matrix @ Vector((0.25 * bone.length, bone.length, 0.0)) for bone in bones]
        return np.concatenate((self.joints(), np.array(beside, dtype=float).reshape(-1, 3)))

    def goal(self) -> np.ndarray:
        """(3,) the target in the world, as evaluated."""
        item = _evaluated(self.target)
        if not self.subtarget:
            return np.array(item.matrix_world.translation, dtype=float)
        return np.array(item.matrix_world @ item.pose.bones[self.subtarget].head, dtype=float)

    @property
    def by_tail(self) -> bool:
        """True where the tail of the tip bone is to be on the target, and not its head."""
        return bool(self.tip) and self.fields["use_rotation"] and self.fields["reach_with"] == "TAIL"

    def aim(self) -> np.ndarray:
        """(3,) where the tip has to be, as the tip bone lies: at the target, less the way from there to its tail."""
        if not self.by_tail:
            return self.goal()
        rig = _evaluated(self.rig)
        bone, world = rig.pose.bones[self.tip], np.array(rig.matrix_world, dtype=float)[:3, :3]
        return self.goal() - world @ (np.array(bone.tail, dtype=float) - np.array(bone.head, dtype=float))

    def is_on_path(self) -> bool:
        """True where the target follows a path: of one without length Blender 4.2 makes a number or none, by chance."""
        return any(item.type == "FOLLOW_PATH" for item in bpy.data.objects[self.target].constraints)

    def turned_off(self) -> float:
        """How far the direction of the tip bone is off that of its target; 0 where one of them is flat."""
        rig, item = _evaluated(self.rig), _evaluated(self.target)
        goal = item.matrix_world @ item.pose.bones[self.subtarget].matrix if self.subtarget else item.matrix_world
        if is_flat(goal) or self.is_flat():
            return 0.0
        matrices = rig.matrix_world @ rig.pose.bones[self.tip].matrix, goal
        axes = [np.array(matrix, dtype=float)[:3, 1] for matrix in matrices]
        sizes = [np.linalg.norm(axis) for axis in axes]
        return float(np.linalg.norm(axes[0] / sizes[0] - axes[1] / sizes[1]))

    def is_flat(self) -> bool:
        """True where the last bone or one above it is flat: rounding decides how that turns what hangs on it."""
        rig = _evaluated(self.rig)
        last = rig.pose.bones[self.tip or self.end]
        return any(is_flat(rig.matrix_world @ bone.matrix) for bone in (last, *last.parent_recursive))

    def keyed(self) -> dict[str, set[str]]:
        """By bone the names of the properties that a bake may key."""
        spread = self._twist_bones() if self.fields["use_twist"] else []
        below = filter(None, (self.hock, self.tip if self.fields["use_rotation"] else ""))
        turned = [self.root, self.end, *spread, *below]
        pins = self.fields["pole_pin"] > 0.0 or self._has_keys("pole_pin")
        stretched = {"scale"} if pins or self.fields["unreachable"] == "STRETCH" else set()
        return {bone: {*TURNS, *(stretched if bone in {self.root, self.end, self.hock} else ())} for bone in turned}

    def _twist_bones(self) -> list[str]:
        """Bones that may be twist bones: all at the side, and all from the root bone to the tip bone."""
        bones = bpy.data.objects[self.rig].data.bones
        names = [bone.name for bone in (*bones[self.root].children, *bones[self.end].children)]
        bone = bones[self.tip or self.end]
        while bone and bone.name != self.root:
            names.append(bone.name)
            bone = bone.parent
        return names

    def links(self) -> np.ndarray:
        """(2, 2) the least and the greatest lengths of both links in any pose; any where that is hard to say."""
        rig = _evaluated(self.rig)
        bones = rig.pose.bones
        root, end = bones[self.root], bones[self.end]
        if self.is_rigid(rig):
            return np.linalg.norm(np.diff(self.joints(), axis=0), axis=-1)[None].repeat(2, axis=0)
        above = [end, *end.parent_recursive]
        plain = all(bone.bone.inherit_scale == "FULL" and bone.bone.use_inherit_rotation for bone in above)
        plain = plain and not any(len(bone.constraints) for bone in above)
        if self.tip or end.parent != root or not plain:
            return np.array(((0.0, 0.0), (np.inf, np.inf)))
        # However it is turned, a vector is scaled by each bone by no less than its least scale.
        world = np.linalg.norm(np.array(rig.matrix_world, dtype=float)[:3, :3], axis=0)
        scales = [np.abs(np.array(bone.scale, dtype=float)) for bone in above]
        found = []
        for pick in (np.min, np.max):
            carried = pick(world) * np.prod([pick(scale) for scale in scales[1:]])
            to_mid = (root.matrix.inverted_safe() @ end.head).length
            found.append((carried * to_mid, carried * pick(scales[0]) * end.bone.length))
        return np.array(found)

    def is_rigid(self, rig: bpy.types.Object) -> bool:
        """True where its bones are as long in every pose: each turns with the one above, and no scale is uneven."""
        world = np.array(rig.matrix_world, dtype=float)[:3, :3]
        bone, root = rig.pose.bones[self.tip or self.hock or self.end], rig.pose.bones[self.root]
        carriers = {bone.name for bone in (root, *root.parent_recursive)}
        while bone:
            axes = world @ np.array(bone.matrix, dtype=float)[:3, :3]
            size = np.linalg.norm(axes[:, 0])
            if bone.name not in carriers and not bone.bone.use_inherit_rotation:
                return False
            if not np.allclose(axes.T @ axes, size**2 * np.eye(3), atol=1e-4 * size**2) or np.linalg.det(axes) < 0:
                return False
            bone = bone.parent
        return True


def is_flat(matrix: Matrix) -> bool:
    """True where an axis is next to nothing, so that no direction can be told from it."""
    span = np.array(matrix, dtype=float)[:3, :3]
    sizes = np.linalg.svd(span, compute_uv=False) if np.isfinite(span).all() else np.zeros(3)
    return not sizes[2] > 1e-4 * sizes[0] > 0.0


def on_frame(frame: float) -> None:
    """The scene as Blender plays it."""
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=frame - whole)


def resolution(limb: Limb, joints: np.ndarray, goal: np.ndarray) -> float:
    """How exactly Blender can show the limb: part of its length, and steps of float32 where it stands."""
    length = np.linalg.norm(np.diff(joints, axis=0), axis=-1).sum()
    rig = _evaluated(limb.rig)
    heads = np.array([place for name in (limb.root, limb.end) for place in _ends(rig, name)], dtype=float)
    # Blender rounds bones in the armature, and a flat armature may leave next to nothing of them in the world.
    shown = np.linalg.norm(np.array(rig.matrix_world, dtype=float)[:3, :3], axis=0).max()
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.spacing(np.float32(max(np.abs(joints).max(), np.abs(goal).max(), shown * np.abs(heads).max())))
    return 1e-4 * length + 4.0 * float(step)


def _ends(rig: bpy.types.Object, name: str) -> tuple:
    return rig.pose.bones[name].head, rig.pose.bones[name].tail


def bake_faults(report: object, request: Mapping, told: list[str]) -> Iterator[str]:
    """On all frames, whether each chain is where its report says; `told` takes what the report owns up to."""
    if any(part in note for note in report.notes for part in BESIDE):
        told.append("constraint or NLA")
        return
    tolerance = request["tolerance"] if request.get("keys") == "REDUCED" else 0.0
    keyed = {chain.name: _frames(Limb.of(chain.name, report.rig), chain, request) for chain in report.chains}
    for frame in sorted(set().union(*(chain.frames.tolist() for chain in report.chains))):
        on_frame(frame)
        for chain in report.chains:
            if frame in keyed[chain.name]:
                yield from pose_faults(chain, frame, tolerance, told, report.rig)
            elif request.get("keys") == "TARGET_KEYS":
                yield from _between_faults(chain, frame, report.rig)


def pose_faults(chain: object, frame: float, tolerance: float, told: list[str], rig: str = RIG) -> Iterator[str]:
    """Of one chain, as Blender evaluates it now."""
    limb = Limb.of(chain.name, rig)
    row = int(np.argmin(np.abs(chain.frames - frame)))
    status, miss = int(chain.status[row]), float(chain.miss[row])
    joints, goal = limb.joints(), limb.aim()
    posed, has_goal = bool(np.isfinite((*joints.ravel(), miss)).all()), bool(np.isfinite(goal).all())
    if posed and not has_goal and limb.is_on_path():
        told.append("target nowhere")
        return
    if not (posed and has_goal):
        yield f"not finite: {chain.name} on frame {frame:g}"
        return
    off, slack = float(np.linalg.norm(joints[2] - goal)), resolution(limb, joints, goal) + tolerance
    length = float(np.linalg.norm(np.diff(joints, axis=0), axis=-1).sum())
    where = f"{chain.name} on frame {frame:g}, status {status}, length {length:.4g}"
    if abs(off - miss) > slack:
        if _not_posed(chain, row):
            told.append("not posed so")
            return
        yield f"silent miss: {off:.4g} where {miss:.4g} is told: {where}"
    elif limb.plain and length > slack and not limb.is_flat():
        # What is shorter than a step of float32 cannot be judged, and lengths that are next to nothing bound nothing.
        (low, high), distance = limb.links(), float(np.linalg.norm(goal - joints[0]))
        least = max(distance - low.sum(), high[0] - low[1] - distance, high[1] - low[0] - distance, 0.0)
        if off > least + slack:
            yield f"falls short: {off:.4g} where {least:.4g} can be: {where}"
        is_wrong = off > slack if status == REACHED else miss < 5e-7 * length and off < slack
        if is_wrong:
            yield f"wrong status: the tip is {off:.4g} off: {where}"
    if not (tolerance or _not_posed(chain, row)):
        yield from _turn_faults(limb, where)


def _between_faults(chain: object, frame: float, rig: str) -> Iterator[str]:
    """Of a chain without a key on this frame: what is told of its miss, if it was measured, is what plays."""
    limb, row = Limb.of(chain.name, rig), int(np.argmin(np.abs(chain.frames - frame)))
    joints, goal, miss = limb.joints(), limb.aim(), float(chain.miss[row])
    off = float(np.linalg.norm(joints[2] - goal))
    if abs(off - miss) > resolution(limb, joints, goal):
        yield f"silent miss between keys: {off:.4g} where {miss:.4g} is told: {chain.name} on frame {frame:g}"


def _turn_faults(limb: Limb, where: str) -> Iterator[str]:
    """Where the tip bone is to be turned as the target is, for its tail to arrive."""
    if limb.by_tail and limb.fields["influence"] == 1.0 and not limb.keyed_options:
        turned = limb.turned_off()
        if turned > 2e-3:
            yield f"tip bone turned off its target by {turned:.4g}: {where}"


def _not_posed(chain: object, row: int) -> bool:
    """True where the report itself says that the pose is not as it was to be."""
    return bool(chain.misposed[row])


def key_faults() -> Iterator[str]:
    """Keys that no animation can have."""
    for action in bpy.data.actions:
        for path, index, (_, *keys) in state.keys_of(action):
            if not all(np.isfinite(key[0]).all() for key in keys):
                yield f"NaN key: {path}[{index}]"


def shown(limbs: Sequence[Limb] = (), frames: Iterable[float] | None = None) -> np.ndarray:
    """(n, j, 3) joints of these limbs, or of all bones, on these frames; as the scene stands without any."""
    if not has_bones():
        return np.empty(0)
    if frames is None:
        return _places(limbs)[None]
    found = []
    for frame in frames:
        on_frame(frame)
        found.append(_places(limbs))
    return np.array(found)


def _places(limbs: Sequence[Limb]) -> np.ndarray:
    if limbs:
        return np.concatenate([limb.joints() for limb in limbs])
    rig = _evaluated(RIG)
    matrix = np.array(rig.matrix_world, dtype=float)
    places = np.array([place for bone in rig.pose.bones for place in (bone.head, bone.tail)], dtype=float)
    return places @ matrix[:3, :3].T + matrix[:3, 3]


def worlds(items: Sequence[str | tuple[str, str]], frames: Iterable[float]) -> np.ndarray:
    """(n, m, 4, 4) of objects, or of bones by the names of both, on these frames."""
    found = []
    for frame in frames:
        on_frame(frame)
        found.append([_world(item) for item in items])
    return np.array(found, dtype=float)


def _world(item: str | tuple[str, str]) -> np.ndarray:
    if isinstance(item, str):
        return np.array(_evaluated(item).matrix_world, dtype=float)
    rig = _evaluated(item[0])
    return np.array(rig.matrix_world, dtype=float) @ np.array(rig.pose.bones[item[1]].matrix, dtype=float)


def has_bones() -> bool:
    """False where a frame handler has taken the armature away."""
    return RIG in bpy.data.objects and len(bpy.data.objects[RIG].data.bones) > 0


def apart(before: np.ndarray, now: np.ndarray) -> float:
    """How far the farthest joint has gone, as part of the limb's size; what stood nowhere before cannot go."""
    if not np.isfinite(before).all():
        return 0.0
    size = np.abs(before - before[:, :1]).max()
    slack = 8.0 * float(np.spacing(np.float32(np.abs(before).max())))
    return max(float(np.linalg.norm(now - before, axis=-1).max()) - slack, 0.0) / (size or 1.0)


def _frames(limb: Limb, chain: object, request: Mapping) -> set[float]:
    """The frames on which the report has to be right: with reduced keys also those between the keys."""
    solved = {float(frame) for frame in chain.frames}
    if limb.fields["unreachable"] == "SKIP":
        # Where all are skipped the bone keeps the keys that it had.
        solved = {float(frame) for frame in chain.frames[chain.status == REACHED]}
    if request.get("keys") == "REDUCED":
        return solved
    rig = bpy.data.objects[limb.rig]
    path = rig.pose.bones[limb.end].path_from_id()
    action = rig.animation_data and rig.animation_data.action
    keys = {
        round(float(key.co.x), 3)
        for curve in (state.curves(action) if action else ())
        if curve.data_path.startswith(f"{path}.rotation")
        for key in curve.keyframe_points
    }
    return {frame for frame in solved if round(frame, 3) in keys}


def _evaluated(name: str) -> bpy.types.Object:
    return bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())

"""A frame of limbs built into the rig, beside Blender's IK constraint: python benchmarks/built.py, as `run.py`.

Both play in one process, each in a scene of its own, in turn: what counts is the processor time of `frame_set`. Limbs
have a target, a pole target and the IK switch; each further option is a row of its own. The extension is disabled while
they play, as a built limb does without it; the last row says what it costs to have it enabled.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from functools import partial
from math import cos, sin
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import measure
import run
import scenes
from bpy.types import Object, Scene
from mathutils import Vector

PACKAGE = "bl_ext.user_default.two_bone_ik"
FRAMES = 40
Limbs = tuple[Object, tuple[str, ...], list[Object], list[Object]]


def single(count: int, *, carried: bool = False, below: tuple[str, ...] = ()) -> list[Limbs]:
    """Armatures of one limb each; `carried` by a bone, as limbs of characters are, and with bones `below` its end bone.

    A bone *twist* lies at the side of the end bone, any other begins at its tail.
    """
    limbs = []
    for number in range(count):
        bpy.ops.object.armature_add(enter_editmode=True)
        rig = bpy.context.object
        rig.location.x, bones = number, rig.data.edit_bones
        root, end = bones[0], bones.new("end")
        root.tail = end.head = (0.0, 0.05, 1.0)
        end.tail, end.parent = (0.0, 0.0, 1.9), root
        end.inherit_scale = "ALIGNED"  # as Stretch needs it
        if carried:
            body = bones.new("body")
            body.tail, root.parent = (0.0, 1.0, 0.0), body
        for name in below:
            bone = bones.new(name)
            bone.parent, bone.head = end, (0.0, 0.02, 1.5) if name == "twist" else end.tail
            bone.tail = bone.head + Vector((0.0, 0.1, 0.2))
        bpy.ops.object.mode_set(mode="OBJECT")
        empties = [moving((number, y, 1.4), number) for y in (0.3, 2.0)]
        limbs.append((rig, ("end",), empties[:1], empties[1:]))
    return limbs


def metarigs(count: int, *, animated: bool, skin: int = 0) -> list[Limbs]:
    """Human metarigs of four limbs each, with a skin of about so many vertices."""
    limbs = []
    for _ in range(count):
        bpy.ops.object.armature_human_metarig_add()
        rig = bpy.context.object
        if animated:
            scenes.animate_spine(rig, FRAMES)
        places = [rig.data.bones[name] for name in scenes.LIMBS]
        targets = [moving(bone.tail_local, number) for number, bone in enumerate(places)]
        poles = [
            moving((0, -1 if "shin" in bone.name else 1, 0), number, bone.head_local)
            for number, bone in enumerate(places)
        ]
        limbs.append((rig, scenes.LIMBS, targets, poles))
        if skin:
            bpy.ops.mesh.primitive_grid_add(x_subdivisions=skin // 300, y_subdivisions=300, size=2.0)
            mesh = bpy.context.object
            mesh.location.z, mesh.rotation_euler.x = 1.0, 1.57
            mesh.parent = rig
            mesh.modifiers.new("Skin", "ARMATURE").object = rig
            for number, name in enumerate(
                bone for limb in scenes.LIMBS for bone in (limb, rig.data.bones[limb].parent.name)
            ):
                group = mesh.vertex_groups.new(name=name)
                group.add(range(number, len(mesh.data.vertices), 8), 1.0, "REPLACE")
    return limbs


def moving(place: tuple[float, float, float], phase: int, beside: Any = (0, 0, 0)) -> Object:
    """An empty with a key on each frame."""
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    for frame in range(1, FRAMES + 1):
        swing = (sin(frame / 7 + phase), cos(frame / 5), sin(frame / 9 + phase))
        empty.location = [a + b + 0.15 * c for a, b, c in zip(place, beside, swing, strict=True)]
        empty.keyframe_insert("location", frame=frame)
    return empty


def constrained(limbs: list[Limbs]) -> None:
    """Each limb by Blender's constraint, with a property that switches it."""
    for rig, ends, targets, poles in limbs:
        for name, target, pole in zip(ends, targets, poles, strict=True):
            bone = rig.pose.bones[name]
            constraint = bone.constraints.new("IK")
            constraint.target, constraint.pole_target, constraint.chain_count = target, pole, 2
            bone["IK"] = 1.0
            driver = constraint.driver_add("influence").driver
            variable = driver.variables.new()
            variable.name, variable.targets[0].id = "ik", rig
            variable.targets[0].data_path = f'{bone.path_from_id()}["IK"]'
            driver.expression = "ik"


def built(api: Any, limbs: list[Limbs], **options: object) -> None:
    """Each limb out of Blender's own parts."""
    for rig, ends, targets, poles in limbs:
        for name, target, pole in zip(ends, targets, poles, strict=True):
            chosen = {"pole_target": pole} | options
            api.add_chain(rig, name, target=target, **chosen)
        api.build(rig, measure="NONE")


def apart(make: Callable[[], list[Limbs]], finish: Callable[[list[Limbs]], None]) -> Scene:
    """What was made so, in a scene of its own."""
    before = set(bpy.data.objects)
    limbs = make()
    scene = bpy.data.scenes.new("Apart")
    scene.frame_start, scene.frame_end = 1, FRAMES
    for item in set(bpy.data.objects) - before:
        for collection in item.users_collection:
            collection.objects.unlink(item)
        scene.collection.objects.link(item)
    scene.view_layers[0].update()
    finish(limbs)
    return scene


def play(scene: Scene) -> None:
    """Step through the scene."""
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)


def row(
    title: str,
    make: Callable[[], list[Limbs]],
    most: float = 0.0,
    *,
    pairs: int = 21,
    enabled: bool = False,
    **options: object,
) -> None:
    """Prints a row.

    most : of the time that the constraint takes, where that is promised
    pairs : how often both play; small armatures share their processors' memory with whatever else runs, and scatter
    enabled : whether the extension stays enabled
    """
    import addon_utils  # on the path since bpy is imported

    scenes.new_file(FRAMES)
    addon_utils.enable(PACKAGE, default_set=True)
    api = importlib.import_module(f"{PACKAGE}.api")
    stages = apart(make, constrained), apart(make, partial(built, api, **options))
    if not enabled:
        addon_utils.disable(PACKAGE)
    peer, ours = measure.in_turn(lambda: None, [partial(play, scene) for scene in stages], pairs)
    ratios = [own / other for own, other in zip(ours.runs, peer.runs, strict=True)]
    enough = f"at most {most:g}: {'yes' if median(ratios) <= most else 'NO'}" if most else ""
    spread = f"{median(ratios):7.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    print(f"{title:44}{peer.per(FRAMES)}{ours.per(FRAMES)}  {spread}   {enough}", flush=True)


def main() -> None:
    """Print the rows, of the package that is installed."""
    print(f"\n{'built limbs, us a frame':44}{'constraint':>9}{'built':>9}     ratio (spread)")
    forty, with_hand = partial(single, 40), partial(single, 40, below=("hand",))
    with run.one_processor():
        row("40 armatures of one limb", forty, 0.7, pairs=101)
        row("a metarig, its body still", partial(metarigs, 1, animated=False), 1.2)
        row("a metarig, its body animated", partial(metarigs, 1, animated=True), 0.9)
        row("20 metarigs, their bodies animated", partial(metarigs, 20, animated=True), 1.2)
        row("a metarig with a skin of 100,000 vertices", partial(metarigs, 1, animated=True, skin=100_000))
        row("40 limbs that a bone carries", partial(single, 40, carried=True))
        row("40 limbs without a pole target", forty, pole_target=None)
        row("40 limbs, Softness", forty, softness=0.1)
        row("40 limbs, Stretch", forty, unreachable="STRETCH", max_stretch=1.5)
        row("40 limbs, Bend Limits", forty, use_bend_limits=True, bend_max=2.0)
        row("40 limbs, Pole Angle", forty, pole_angle=0.5)
        row("40 limbs, Plane Rest", forty, pole_target=None, plane="REST")
        row("40 limbs, Pole Influence", forty, pole_influence=0.5)
        row("40 limbs, Follow Rotation", with_hand, tip_bone="hand", use_rotation=True)
        row("40 limbs, Hock Rigid", with_hand, hock_bone="hand")
        row("40 limbs, Hock Parallel", with_hand, hock_bone="hand", hock="PARALLEL")
        row(
            "40 limbs, Spread Twist",
            partial(single, 40, below=("twist", "hand")),
            tip_bone="hand",
            use_rotation=True,
            use_twist=True,
        )
        row("40 limbs, the extension enabled", forty, enabled=True)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers

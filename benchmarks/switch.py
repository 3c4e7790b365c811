"""Speed of a switch compared with Rigify's own snap over the same frames: python benchmarks/switch.py, as `run.py`.

Both key the controls of arms and legs of the human that Rigify generates on each of the frames. Rigify's operators are
those of the panel that it writes for the rig, with the settings that they have there; they get fewer frames, as they
take seconds for one. Times are processor time, both in turn in one process, a frame.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from math import cos, pi, sin
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import measure
import run
from bpy.types import Object
from mathutils import Euler

PACKAGE = "bl_ext.user_default.two_bone_ik"
FRAMES, LIMBS, RUNS = 60, 4, 3
LEAST = 30.0


def generated() -> Object:
    """The human that Rigify generates, in a new file, and in hand as the operators of its panel need it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    bpy.ops.object.mode_set(mode="POSE")
    return bpy.context.object


def snaps(kind: str) -> list[Callable[[], object]]:
    """Operators of the rig's own panel, each with the settings that a button of the panel gives it."""
    script = "\n".join(text.as_string() for text in bpy.data.texts)
    calls = []
    for button in re.finditer(rf"'pose\.(rigify_{kind}_bake_\w+)'.*\n((?:\s+props\.\w+ = .*\n)+)", script):
        pairs = (line.strip().removeprefix("props.").split(" = ", 1) for line in button[2].splitlines())
        settings = {name: ast.literal_eval(value) for name, value in pairs}
        calls.append(partial(getattr(bpy.ops.pose, button[1]), **settings))
    return calls


def keyed(rig: Object, path: str, value: Callable[[str, float], tuple[float, ...]], *bones: str) -> None:
    """Keys of these bones of both sides on each of the frames."""
    for frame in range(1, FRAMES + 1):
        for name, side in ((name, side) for name in bones for side in "LR"):
            bone = rig.pose.bones[f"{name}.{side}"]
            setattr(bone, path, value(side, 2.0 * pi * frame / FRAMES + pi * (side == "R")))
            bone.keyframe_insert(path, frame=frame)


def walk(rig: Object) -> None:
    """Feet and hands move by their IK controls."""
    keyed(rig, "location", lambda _, phase: (0.0, 0.25 * sin(phase), 0.1 + 0.1 * cos(phase)), "foot_ik", "hand_ik")


def stride(rig: Object) -> None:
    """Legs and arms swing by their FK controls, which show."""

    def swing(_: str, phase: float) -> tuple[float, ...]:
        return tuple(Euler((0.4 + 0.3 * sin(phase), 0.0, 0.0)).to_quaternion())

    keyed(rig, "rotation_quaternion", swing, "thigh_fk", "shin_fk", "upper_arm_fk", "forearm_fk")
    for owner in ("thigh_parent", "upper_arm_parent"):
        for side in "LR":
            rig.pose.bones[f"{owner}.{side}"]["IK_FK"] = 1.0


def renewing(rig: Object) -> Callable[[], None]:
    """Lets a copy of the keys that the rig has now play again, with nothing posed otherwise.

    What a switch sets besides the controls stays as its keys had it when these are gone: it is set again.
    """
    bones, action = rig.pose.bones, rig.animation_data.action
    set_again = [partial(bone.__setitem__, "IK_FK", bone["IK_FK"]) for bone in bones if "IK_FK" in bone]
    set_again += [partial(setattr, bone, "ik_stretch", bone.ik_stretch) for bone in bones if bone.ik_stretch]

    def renew() -> None:
        for set_one in set_again:
            set_one()
        played = rig.animation_data.action
        rig.animation_data.action = copy = action.copy()
        if hasattr(copy, "slots"):
            rig.animation_data.action_slot = copy.slots[0]
        if played != action:
            bpy.data.actions.remove(played)
        bpy.context.scene.frame_set(1)

    return renew


def against_rigify(api: Any, title: str, to: str, motion: Callable[[Object], None], kind: str, frames: int) -> None:
    """Prints the rows of one direction, measured and not; the peer, which is slow, works on `frames` frames."""
    rig = generated()
    motion(rig)
    buttons = snaps(kind)
    assert len(buttons) == LIMBS
    manager = bpy.context.window_manager
    manager.rigify_transfer_use_frame_range = True
    manager.rigify_transfer_start_frame, manager.rigify_transfer_end_frame = 1, frames

    def peer() -> None:
        for button in buttons:
            assert button() == {"FINISHED"}

    ours = [partial(api.switch, rig, to, frames=(1, FRAMES), measure=measured) for measured in ("AUTO", "NONE")]
    peers, *timings = measure.in_turn(renewing(rig), (peer, *ours), RUNS)
    for name, figures in zip(("", ", not measured"), timings, strict=True):
        pairs = zip(peers.runs, figures.runs, strict=True)
        ratios = [own / frames / (other / FRAMES) for own, other in pairs]
        spread = f"{median(ratios):7.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        times = f"{peers.per(1000 * frames)}{figures.per(1000 * FRAMES)}   {spread}"
        enough = "yes" if median(ratios) >= LEAST else "NO"
        print(f"{title + name:34}{times}   at least {LEAST:g}: {enough}", flush=True)


def main() -> None:
    """Enable Rigify and the installed package, and print a row for each direction."""
    import addon_utils  # on the path since bpy is imported

    for name in ("rigify", PACKAGE):
        addon_utils.enable(name, default_set=True)
    api = importlib.import_module(f"{PACKAGE}.api")
    rows = [("IK to FK", "FK", walk, "generic_snap", 20), ("FK to IK", "IK", stride, "limb_ik2fk", 4)]
    title = f"switch, {FRAMES} frames, {LIMBS} limbs"
    print(f"\n{title:34}{'Rigify':>9}{'ours':>9}   times faster (spread)    ms a frame")
    with run.one_processor():
        for row in rows:
            against_rigify(api, *row)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers

"""Captures in other formats than Blender's own, read into an empty scene: BVH here, others by Blender's importers.

READERS has the formats. After an import, the scene has the frame rate of the capture, and the range of its keys.
"""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from math import ceil, floor
from typing import Any, cast

import addon_utils
import bpy
import numpy as np
from bpy.types import FCurve, Scene

from .. import versions
from ..curves.write import attribute
from ..files import atomic_write
from ..messages.refused import Refused, reason
from ..messages.translation import translated
from . import animations, bvh_import, frame_rate
from .fit_scene import RATE
from .take import Import, Intake

_NEAR = 0.01
"""Frames by which a key may be off a whole frame only because its time was in seconds."""


def _fbx(take: Import) -> Intake:
    # By default the importer adds a frame to all keys, which the exporter does not take away.
    options: dict[str, Any] = {"filepath": _name(take), "global_scale": take.scale, "anim_offset": 0.0}
    others = {*bpy.data.actions}
    if versions.HAS_FBX_IMPORT:
        cast(Any, bpy.ops.wm).fbx_import(**options)
    else:
        addon_utils.enable("io_scene_fbx")
        bpy.ops.import_scene.fbx(**options)
    notes = [*animations.played(take, others)]
    render = take.scene.render
    rate = render.fps / render.fps_base
    # Its keys have times in seconds, which the importers put on frames of the file's rate: the add-on rounds that.
    _move_keys(take.scene, (take.fps or rate) / (rate if versions.HAS_FBX_IMPORT else render.fps))
    return Intake(notes)


def _gltf(take: Import) -> Intake:
    # Its keys have times in seconds, and the importer puts them on frames of the scene.
    if rate := take.fps or frame_rate.of_gltf(take.path):
        frame_rate.set_rate(take.scene, rate)
    addon_utils.enable("io_scene_gltf2")
    others = {*bpy.data.actions}
    with frame_rate.as_gltf_takes_it(take.scene):
        bpy.ops.import_scene.gltf(filepath=_name(take))
    notes = [*animations.played(take, others)]
    _scale(take.scene, take.scale)
    _move_keys(take.scene, 1.0)
    return Intake(notes)


def _usd(take: Import) -> Intake:
    bpy.ops.wm.usd_import(filepath=_name(take))
    # Its own scale leaves out what is animated.
    _scale(take.scene, take.scale)
    notes = [*animations.bound(take.path)]
    if rate := take.fps or frame_rate.of_usd(take.path):
        frame_rate.set_rate(take.scene, rate)
        return Intake(notes)
    return Intake([*notes, translated("alert.rate_assumed", value=take.scene.render.fps, file=take.path)])


READERS: dict[str, Callable[[Import], Intake]] = {
    ".bvh": bvh_import.made,
    ".fbx": _fbx,
    ".glb": _gltf,
    ".gltf": _gltf,
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), _usd),
}
"""By suffix, what imports a file."""


def import_take(take: Import) -> Intake:
    """Import the capture into an empty scene, which must be that of the context.

    With a rate that is given, BVH and USD keep their number of frames, and FBX and glTF the times of their keys.

    raises : Refused, also with the importer's own reason
    """
    suffix, scene = take.path.suffix.lower(), take.scene
    atomic_write.refuse_missing(take.path)
    if suffix not in READERS:
        why = translated("part.no_capture")
        raise Refused("UNREADABLE.format", value=str(take.path), reason=why, known=", ".join(READERS))
    if take.height and take.scale != 1.0:
        raise Refused("HEIGHT_AND_SCALE", value=str(take.path))
    if suffix != ".bvh" and (take.height or take.up):
        raise Refused("OF_BVH_ALONE", value=str(take.path))
    if READERS[suffix] not in (_fbx, _gltf) and not fnmatchcase("", take.take):
        raise Refused("ONE_ANIMATION", value=str(take.path))
    fps = take.fps and frame_rate.meant(take.fps)
    try:
        taken = READERS[suffix](take._replace(fps=fps))
    except RuntimeError as error:
        raise Refused("UNREADABLE.damaged", value=str(take.path), reason=reason(error)) from None
    frame_rate.set_rate(scene, fps or scene.render.fps / scene.render.fps_base)
    for action in filter(None, (versions.played(item)[0] for item in scene.objects)):
        action[RATE] = scene.render.fps / scene.render.fps_base
    if frames := [frame for curve in _curves(scene) for frame in curve.range().to_tuple()]:
        scene.frame_start, scene.frame_end = floor(min(frames)), ceil(max(frames))
    return taken


def _name(take: Import) -> str:
    # Blender takes relative paths from $PWD.
    return str(take.path.absolute())


def _curves(scene: Scene) -> Iterator[FCurve]:
    for item in scene.objects:
        yield from versions.curves(item)


def _move_keys(scene: Scene, ratio: float) -> None:
    """Stretch the time of all keys; those that then are near whole frames get these."""
    for curve in _curves(scene):
        points = curve.keyframe_points
        for name in ("co", "handle_left", "handle_right"):
            values = attribute(points, name)
            frames = values[:, 0].astype(np.float64) * ratio
            whole = np.round(frames)
            values[:, 0] = np.where(np.abs(frames - whole) < _NEAR, whole, frames) if name == "co" else frames
            points.foreach_set(name, values.reshape(-1))
        curve.update()


def _scale(scene: Scene, scale: float) -> None:
    """Hang everything on an empty of this scale: what hangs on nothing may have keys of its own."""
    if scale == 1.0:
        return
    roots = [item for item in scene.objects if not item.parent]
    scaled = bpy.data.objects.new("Scale", None)
    scene.collection.objects.link(scaled)
    scaled.scale = (scale,) * 3
    for item in roots:
        item.parent = scaled

"""The frame rate of captures: of formats that have none, or whose importer does not tell it, and of rounded times."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from bpy.types import Scene

from ...solver.values import Array
from .. import versions
from ..files import atomic_write

_NTSC = 1000 / 1001
_USUAL = (24, 25, 30, 48, 50, 60, 90, 100, 120, 144, 200, 240, 24 * _NTSC, 30 * _NTSC, 60 * _NTSC, 120 * _NTSC)
_SAME = 1e-4
"""Relative error of a rate whose frame time has six digits."""

_NEAR = 0.02
"""Frames by which a key may be off a whole frame: single precision has lost that after an hour."""

_HEAD = 1 << 16
"""Bytes at the start of a USD file as text that have what it says of the whole."""

_RATE_OF_USD = re.compile(r"^\s*timeCodesPerSecond\s*=\s*([\d.]+)", re.MULTILINE)
_USD_DEFAULT = 24.0
"""What USD defines for a file that says nothing."""


def meant(rate: float) -> float:
    """The usual rate that this one is but for the digits that a file leaves out; else the rate itself."""
    return next((float(usual) for usual in _USUAL if abs(rate / usual - 1.0) < _SAME), rate)


def set_rate(scene: Scene, rate: float) -> None:
    """Give the scene this many frames a second."""
    rate = meant(rate)
    scene.render.fps = max(round(rate), 1)
    scene.render.fps_base = scene.render.fps / rate


@contextmanager
def as_gltf_takes_it(scene: Scene) -> Iterator[None]:
    """While it is open, the rate is right for Blender's glTF, which multiplies by the base of the rate: it divides."""
    base = scene.render.fps_base
    scene.render.fps_base = 1.0 / base
    try:
        yield
    finally:
        scene.render.fps_base = base


def of_usd(path: Path) -> float | None:
    """The rate of a USD file; None if it is not text, and there is no library that reads it."""
    if stage := versions.usd_stage(path):
        return float(stage.GetTimeCodesPerSecond())
    with atomic_write.opened(path) as file:
        head = file.read(_HEAD).decode("utf-8", "replace")
    if not head.startswith("#usda"):
        return None
    rate = _RATE_OF_USD.search(head)
    return float(rate[1]) if rate else _USD_DEFAULT


def of_gltf(path: Path) -> float | None:
    """The usual rate at which all keys of the animations lie on frames, else that of their spacing.

    returns : None without keys, or if the file is not understood
    """
    try:
        times = [sampler for sampler in _key_times(path) if len(sampler) > 1]
    except (KeyError, IndexError, TypeError, ValueError, OSError):
        return None
    if not times:
        return None
    every = np.unique(np.concatenate(times))
    for rate in _USUAL:
        if np.abs(every * rate - np.round(every * rate)).max() < _NEAR:
            return float(rate)
    return float(1.0 / np.median(np.diff(max(times, key=len))))


def _key_times(path: Path) -> Iterator[Array]:
    """(k,) seconds of the keys, of each sampler of an animation."""
    content, binary = parts_of_gltf(path)
    buffers = [_buffer(path, buffer, binary) for buffer in content["buffers"]]
    inputs = {sampler["input"] for animation in content.get("animations", ()) for sampler in animation["samplers"]}
    for accessor in (content["accessors"][place] for place in sorted(inputs)):
        view = content["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        # Times are floats without gaps, as glTF demands of animations.
        times = np.frombuffer(buffers[view["buffer"]], dtype="<f4", count=accessor["count"], offset=start)
        yield times.astype(np.float64)


def parts_of_gltf(path: Path) -> tuple[dict[str, Any], bytes]:
    """The JSON of the file, and the binary part of a .glb."""
    with atomic_write.opened(path) as file:
        data = file.read()
    if not data.startswith(b"glTF"):
        return json.loads(data), b""
    size = int.from_bytes(data[12:16], "little")
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def _buffer(path: Path, buffer: dict[str, Any], binary: bytes) -> bytes:
    uri = buffer.get("uri")
    if uri is None:
        return binary
    if uri.startswith("data:"):
        return b64decode(uri.partition(",")[2])
    return (path.parent / unquote(uri)).read_bytes()

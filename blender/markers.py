"""Timeline markers where a chain falls short or flips: one name a kind, replaced by the next check."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from bpy.types import Scene
from numpy.typing import NDArray

from ..solver.values import Status
from .report import ChainReport, Report

_KINDS = ("Too Far", "Too Close", "Flip")


def replace(scene: Scene, report: Report) -> None:
    """Markers for what the report found, in place of those of earlier reports on these chains."""
    remove(scene, [chain.name for chain in report.chains])
    for chain in report.chains:
        for name, frame in _found(chain):
            scene.timeline_markers.new(name, frame=frame)


def remove(scene: Scene, chains: list[str]) -> None:
    """Take away the markers of these chains."""
    ours = {_name(kind, chain) for kind in _KINDS for chain in chains}
    for marker in [marker for marker in scene.timeline_markers if marker.name in ours]:
        scene.timeline_markers.remove(marker)


def _name(kind: str, chain: str) -> str:
    return f"{kind}: {chain}"[:63]  # no longer name fits a marker


def _found(chain: ChainReport) -> Iterator[tuple[str, int]]:
    where = (chain.status == Status.TOO_FAR, chain.status == Status.TOO_CLOSE, chain.flips)
    for kind, rows in zip(_KINDS, where, strict=True):
        for row in _starts(rows):
            yield _name(kind, chain.name), round(float(chain.frames[row]))


def _starts(where: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The first row of each run of True."""
    return np.flatnonzero(where & ~np.concatenate(([False], where[:-1])))

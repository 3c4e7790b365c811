"""Timeline markers on frames where a chain falls short or flips: one name for each kind and chain."""

from collections.abc import Iterator

from bpy.types import Scene, TimelineMarker

from ...solver.numbers import true_runs
from ...solver.values import Status
from .chain_report import ChainReport
from .report import Report

_KINDS = ("Too Far", "Too Close", "Held", "Flip")


def replace(scene: Scene, report: Report) -> None:
    """Create markers for what the report found, and remove earlier markers of these chains."""
    ours = {_name(kind, report.rig, chain.name) for kind in _KINDS for chain in report.chains}
    for marker in of(scene, report.rig):
        if marker.name in ours:
            scene.timeline_markers.remove(marker)
    for chain in report.chains:
        for kind, frame in _found(chain):
            scene.timeline_markers.new(_name(kind, report.rig, chain.name), frame=frame)


def of(scene: Scene, rig: str) -> list[TimelineMarker]:
    """All markers of the armature, including those of chains that have been renamed since."""
    ours = tuple(_name(kind, rig, "") for kind in _KINDS)
    return [marker for marker in scene.timeline_markers if marker.name.startswith(ours)]


def remove(scene: Scene, rig: str) -> None:
    """Remove all markers of the armature."""
    for marker in of(scene, rig):
        scene.timeline_markers.remove(marker)


def _name(kind: str, rig: str, chain: str) -> str:
    return f"{kind}: {rig}, {chain}"[:63]  # no longer name fits a marker


def _found(chain: ChainReport) -> Iterator[tuple[str, int]]:
    """The kind of each marker, and its frame: the first of each run."""
    states = (chain.status == status for status in (Status.TOO_FAR, Status.TOO_CLOSE, Status.LIMITED))
    where = (*states, chain.flips)
    for kind, rows in zip(_KINDS, where, strict=True):
        for frame in chain.frames[true_runs(rows)[:, 0]]:
            yield kind, round(float(frame))

"""What a bake or a check found: per chain and frame, and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..solver.values import Array, Status


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ChainReport:
    """One chain over all frames.

    frames : (n,)          the solved frames, may be fractional
    status : (n,) uint8    a `Status` each
    miss : (n,)            distance from the tip to the target, world units
    """

    name: str
    frames: Array
    status: np.ndarray
    miss: Array

    @property
    def reached(self) -> bool:
        """True where every frame met its target."""
        return not np.any(self.status)

    def frames_with(self, status: Status) -> Array:
        """(m,) the frames that ended with this status."""
        return self.frames[self.status == status]

    def lines(self) -> list[str]:
        """A headline, then a line for each way in which frames fell short, with its first frames."""
        count = len(self.frames)
        kept = int(np.count_nonzero(self.status == Status.REACHED))
        return [f"{self.name}: {kept} of {count} frames reached", *map(self._shortfall, self._shortfalls())]

    def _shortfalls(self) -> list[Status]:
        return [status for status in Status if status and np.any(self.status == status)]

    def _shortfall(self, status: Status) -> str:
        frames = self.frames_with(status)
        worst = float(self.miss[self.status == status].max())
        first = ", ".join(f"{frame:g}" for frame in frames[:5])
        more = ", …" if len(frames) > 5 else ""
        word = status.name.lower().replace("_", " ")
        return f"  {word} on {len(frames)} frames, by up to {worst:.4g}: {first}{more}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Report:
    """All chains of one armature; `notes` are sentences about what the user should know."""

    rig: str
    chains: tuple[ChainReport, ...]
    notes: tuple[str, ...] = ()

    @property
    def reached(self) -> bool:
        """True where every chain met its target on every frame."""
        return all(chain.reached for chain in self.chains)

    def lines(self) -> list[str]:
        """The report in words, a line each."""
        return [line for chain in self.chains for line in chain.lines()] + list(self.notes)

    def __str__(self) -> str:
        return "\n".join(self.lines())

"""Solutions, and what was measured of them, into the report of a request."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bpy.types import Scene
from bpy.utils import units
from numpy.typing import NDArray

from ...skeleton import solve
from ...skeleton.chain_group import SolvedGroup
from ...skeleton.transform import each_array
from ...skeleton.values import Plan
from ...solver import diagnostics
from .chain_report import ChainReport, unmeasured
from .compare import Measured
from .report import Report, left_out_alerts


def build_report(
    operation: str, plan: Plan, solved: Iterable[SolvedGroup], notes: Iterable[str], measured: Measured | None = None
) -> Report:
    """The report of all chains of the plan on the frames that were asked for; `notes` come before what was measured."""
    chain_fields, measured_notes = measured or ({}, [])
    found = {report.name: report for group in solved for report in _chain_reports(plan, group, chain_fields)}
    chains = tuple(found[chain.name] for chain in plan.chains)
    return Report(
        rig=plan.name,
        chains=chains,
        notes=(*left_out_alerts(plan.left_out, plan.lacking), *notes, *measured_notes),
        operation=operation,
        unit=_unit(plan.scene),
        left_out=plan.left_out,
        lacking=tuple(plan.lacking),
    )


def millimetres(scene: Scene) -> float:
    """Millimetres in a Blender unit of this scene; 0 where the scene has no units."""
    settings = scene.unit_settings
    return 0.0 if settings.system == "NONE" else 1000.0 * settings.scale_length


def _unit(scene: Scene) -> str:
    """What a Blender unit is in this scene, such as m or cm; "" where the scene has no units."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return ""
    one = units.to_string(settings.system, "LENGTH", settings.scale_length, precision=6, compatible_unit=False)
    return one.removeprefix("1 ")


def _chain_reports(plan: Plan, solved: SolvedGroup, measured: Mapping[str, Mapping[str, Any]]) -> Iterator[ChainReport]:
    solution = solved.solution
    if plan.step > 1:
        solution = each_array(lambda values: values[plan.asked], solution)
    frames = plan.frames[plan.asked]
    found: dict[str, NDArray[Any]] = {
        "status": solution.status,
        "degenerate": solution.degenerate,
        "miss": solve.world_miss(solved)[plan.asked],
        "sin_hinge": solution.sin_hinge,
        "speed": diagnostics.speed(solution, frames),
        "stretch": solution.stretch,
        "flips": diagnostics.flips(solution),
        "near_straight": diagnostics.near_straight(solution),
        "swivel": solution.swivel,
    }
    for row, chain in enumerate(solved.plans):
        columns: dict[str, Any] = {name: values[:, row] for name, values in found.items()}
        columns |= measured.get(chain.name) or unmeasured(len(frames))
        yield ChainReport(name=chain.name, frames=frames, **columns)

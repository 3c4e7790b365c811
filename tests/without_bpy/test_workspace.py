"""What a chain can reach, and with how much to spare."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Options, Plane, Unreachable, workspace
from support.limbs import LEG, STRAIGHT, lengths, total_length


def distances(targets: np.ndarray) -> np.ndarray:
    return np.linalg.norm(targets, axis=-1)


def test_the_margin_is_the_distance_to_the_nearer_edge() -> None:
    targets = workspace.grid(LEG, 15)
    inner, outer = abs(np.subtract(*lengths(LEG))), total_length(LEG)
    expected = np.minimum(distances(targets) - inner, outer - distances(targets))
    np.testing.assert_allclose(workspace.margin(LEG, targets), expected, atol=1e-14)
    assert workspace.margin(LEG, targets).shape == (15, 15, 15)


def test_the_grid_holds_everything_in_reach() -> None:
    targets = workspace.grid(STRAIGHT, 5)
    assert targets.shape == (5, 5, 5, 3)
    assert targets.min() == -1.8
    assert targets.max() == 1.8


def test_the_edges_are_in_reach_with_nothing_to_spare() -> None:
    margin = workspace.margin(STRAIGHT, np.array(((0, 1.8, 0), (0.2, 0, 0), (0, 1.8 + 1e-9, 0))))
    assert (margin[:2] >= 0).all()
    np.testing.assert_allclose(margin, (0, 0, -1e-9), atol=1e-15)


def test_bend_limits_count() -> None:
    options = Options(bend_min=0.5, bend_max=2.0)
    inner, outer = (np.sqrt(1 + 0.64 + 1.6 * np.cos(angle)) for angle in (2.0, 0.5))
    targets = np.linspace(0.1, 2, 50)[:, None] * np.array((0.6, 0, 0.8))
    expected = np.minimum(distances(targets) - inner, outer - distances(targets))
    np.testing.assert_allclose(workspace.margin(STRAIGHT, targets, options), expected, atol=1e-14)


def test_a_fixed_plane_reaches_nothing_beside_it() -> None:
    margin = workspace.margin(LEG, np.array(((0.3, 1, 0), (0, 1, 0))), Options(plane=Plane.REST))
    np.testing.assert_allclose(margin[0], -0.3)
    assert margin[1] > 0


@pytest.mark.parametrize("options", [{"softness": 0.3}, {"influence": 0.2}, {"unreachable": Unreachable.HOLD}])
def test_what_never_quite_reaches_does_not_count(options: dict) -> None:
    targets = workspace.grid(LEG, 6)
    np.testing.assert_array_equal(workspace.margin(LEG, targets, Options(**options)), workspace.margin(LEG, targets))


def test_stretch_counts() -> None:
    options = Options(unreachable=Unreachable.STRETCH, max_stretch=1.5)
    margin = workspace.margin(STRAIGHT, np.array(((0, 2.6, 0), (0, 3, 0))), options)
    np.testing.assert_allclose(margin, (0.1, -0.3), atol=1e-12)

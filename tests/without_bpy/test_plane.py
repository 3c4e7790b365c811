"""In which plane the limb bends, and what it does where geometry leaves that open."""

from __future__ import annotations

from math import pi, radians

import numpy as np
import pytest

from solver import Bend, Chain, Goals, Options, Plane, Reference, Solution, Status, solve
from support.limbs import (
    LEG,
    STRAIGHT,
    X,
    Y,
    Z,
    limb,
    random_limb,
    random_pose,
    solved,
    targets_within_reach,
)
from support.oracles import angle_between, rotation_about, shortest_rotation

# The direction of the mid joint beside the line to the target is known to 1e-16 / sin of the hinge angle.
CLOSE = 1e-9


def elbow(solution: Solution) -> np.ndarray:
    """(n, 3) unit direction of the mid joint, at right angles to the line from root to tip."""
    aim = solution.joints[:, 2] / np.linalg.norm(solution.joints[:, 2], axis=-1, keepdims=True)
    mid = solution.joints[:, 1]
    side = mid - np.sum(mid * aim, axis=-1, keepdims=True) * aim
    return side / np.linalg.norm(side, axis=-1, keepdims=True)


def beside(vector: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Unit direction of `vector` at right angles to `line`."""
    side = vector - vector @ line / (line @ line) * line
    return side / np.linalg.norm(side)


class TestPole:
    def test_the_mid_joint_points_at_the_pole(self) -> None:
        rng = np.random.default_rng(1)
        for _ in range(100):
            chain, pole = random_limb(rng), rng.normal(size=3)
            (target,) = targets_within_reach(rng, chain, 1)
            for plane in (Plane.POLE, Plane.AUTO):
                found = elbow(solved(chain, target, pole, plane=plane))
                np.testing.assert_allclose(found[0], beside(pole, target), atol=CLOSE)

    def test_it_does_so_however_little_the_knee_bends(self) -> None:
        """Unity drops the pole below 7.25 degrees, and the knee pops in."""
        for degrees in (10, 7.25, 5, 1, 0.1, 0.01):
            reach = np.hypot(1 + 0.8 * np.cos(radians(degrees)), 0.8 * np.sin(radians(degrees)))
            solution = solved(STRAIGHT, (0, 0, reach), (3, 1, 0))
            np.testing.assert_allclose(np.degrees(solution.hinge_angle), degrees, rtol=1e-6)
            np.testing.assert_allclose(elbow(solution)[0], (3 / 10**0.5, 1 / 10**0.5, 0), atol=1e-9)

    @pytest.mark.parametrize("angle", [0.5, -1.0, 3.0])
    def test_pole_angle_turns_the_mid_joint_about_the_target_line(self, angle: float) -> None:
        rng = np.random.default_rng(2)
        for _ in range(20):
            chain, pole = random_limb(rng), rng.normal(size=3)
            (target,) = targets_within_reach(rng, chain, 1)
            expected = rotation_about(target, angle) @ beside(pole, target)
            np.testing.assert_allclose(elbow(solved(chain, target, pole, pole_angle=angle))[0], expected, atol=CLOSE)

    @pytest.mark.parametrize("factor", [0.0, 0.3, 0.5, 1.0])
    def test_pole_influence_turns_part_of_the_angle_to_the_pole(self, factor: float) -> None:
        rng = np.random.default_rng(3)
        for _ in range(20):
            chain, pole = random_limb(rng), rng.normal(size=3)
            (target,) = targets_within_reach(rng, chain, 1)
            without = elbow(solved(chain, target, plane=Plane.AIM))[0]
            towards = beside(pole, target)
            turn = np.arctan2(np.cross(without, towards) @ target / np.linalg.norm(target), without @ towards)
            expected = rotation_about(target, factor * turn) @ without
            found = elbow(solved(chain, target, pole, pole_influence=factor))[0]
            np.testing.assert_allclose(found, expected, atol=CLOSE)

    def test_half_a_pole_poses_one_frame_as_it_poses_the_range(self) -> None:
        """A pole that circles the limb: where a range begins must not change the pose of a frame."""
        turns = np.linspace(0, 4 * pi, 200)
        pole = np.stack((np.sin(turns), 0 * turns, np.cos(turns)), axis=-1)
        target = np.broadcast_to((0, 1.5, 0), (200, 3))
        whole = elbow(solved(LEG, target, pole, pole_influence=0.5))
        alone = [elbow(solved(LEG, target[:1], pole[row : row + 1], pole_influence=0.5))[0] for row in range(200)]
        np.testing.assert_allclose(whole, alone, atol=CLOSE)
        # Half the way, by the shorter turn.
        without = elbow(solved(LEG, target[:1]))[0]
        np.testing.assert_allclose(
            angle_between(whole, without),
            0.5 * angle_between(np.array([beside(p, target[0]) for p in pole]), without),
            atol=1e-7,
        )

    def test_a_pole_is_required_where_it_is_asked_for(self) -> None:
        with pytest.raises(ValueError, match="plane is POLE, but there is no pole"):
            solve(LEG, Goals(target=Y), Options(plane=Plane.POLE))

    @pytest.mark.parametrize(("bend", "towards"), [("REST", 1), ("POSITIVE", 1), ("NEGATIVE", -1)])
    @pytest.mark.parametrize("axis", [X, -X])
    def test_the_side_of_the_bend_counts_from_the_pole(self, bend: Bend, towards: int, axis: np.ndarray) -> None:
        chain = limb((0, 1, 0.1), (0, 1.9, -0.1), axis, use_hinge_axis=True)
        found = elbow(solved(chain, (0.3, 1, 0.2), (1, 2, 5), bend=bend))
        np.testing.assert_allclose(found[0], towards * beside(np.array((1, 2, 5)), np.array((0.3, 1, 0.2))), atol=CLOSE)

    def test_no_bone_turns_over_on_its_way_to_the_pole(self) -> None:
        """The rest pose's own elbow points at the pole, whatever side of the hinge it bends to."""
        for axis in (X, -X):
            chain = limb((0, 1, 0.1), (0, 1.9, -0.1), axis, use_hinge_axis=True)
            solution = solved(chain, chain.joints[2], (0, 1, 5))
            np.testing.assert_allclose(solution.rotations[0], [np.eye(3)] * 2, atol=CLOSE)


class TestAim:
    def test_aim_swings_the_rest_plane_the_shortest_way(self) -> None:
        """A chain without a pole is skipped in silence by Godot."""
        rng = np.random.default_rng(4)
        for _ in range(100):
            chain = random_limb(rng)
            (target,) = targets_within_reach(rng, chain, 1)
            turn = shortest_rotation(chain.joints[2], target)
            expected = beside(turn @ chain.joints[1], target)
            for options in ({"plane": Plane.AIM, "pole": rng.normal(size=3)}, {"plane": Plane.AUTO}):
                np.testing.assert_allclose(elbow(solved(chain, target, **options))[0], expected, atol=CLOSE)

    def test_with_reference_pose_it_starts_from_the_chains_own_pose(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(50):
            chain, pose = random_limb(rng), random_pose(rng, 1)
            (target,) = targets_within_reach(rng, chain, 1)
            links = (pose[0] @ np.diff(chain.joints, axis=0)[..., None])[..., 0]
            turn = shortest_rotation(links.sum(axis=0), target)
            found = elbow(solved(chain, target, pose=pose, reference=Reference.POSE))
            np.testing.assert_allclose(found[0], beside(turn @ links[0], target), atol=CLOSE)

    def test_opposite_to_the_rest_pose_it_keeps_the_last_plane(self) -> None:
        turns = np.array((1.0, 0.5, 0.0, -0.5)) + pi
        target = 1.2 * np.stack((np.sin(turns), np.cos(turns), 0 * turns), axis=-1)
        chain = limb((0, 1, 0.3), (0, 2, 0))
        solution = solved(chain, target)
        assert angle_between(elbow(solution)[1:], elbow(solution)[:-1]).max() < 0.51

    def test_past_the_opposite_the_plane_goes_on_as_it_was_swung(self) -> None:
        """On a way that is neither in the rest plane nor across it, so that the plane has turned meanwhile."""
        chain = limb((0, 1, 0.3), (0, 2, 0))
        turns = pi + np.array((-0.2, -0.1, 0.0, 0.1, 0.2))
        target = np.array([1.2 * rotation_about((1, 0, 1), turn) @ Y for turn in turns])
        target[2] = -1.2 * Y
        solution = solved(chain, target)
        assert angle_between(elbow(solution)[1:], elbow(solution)[:-1]).max() < 0.11
        np.testing.assert_allclose(np.abs(solution.hinge[2]), Z, atol=0.2)

    def test_only_ever_opposite_it_is_the_rest_plane(self) -> None:
        solution = solved(limb((0, 1, 0.3), (0, 2, 0)), (0, -1.2, 0))
        np.testing.assert_allclose(np.abs(solution.hinge), [X], atol=1e-12)


class TestRestPlane:
    def test_the_miss_is_what_projecting_the_target_leaves(self) -> None:
        target = np.array(((5.0, 1.0, 0.4), (-0.3, 1.2, 0.0)))
        solution = solved(LEG, target, plane=Plane.REST)
        np.testing.assert_allclose(solution.joints[..., 0], 0, atol=1e-15)
        np.testing.assert_allclose(solution.joints[:, 2], target * (0, 1, 1), atol=1e-14)
        np.testing.assert_allclose(solution.miss, target * (1, 0, 0), atol=1e-14)
        np.testing.assert_allclose(solution.hinge, [-X, -X], atol=1e-15)

    def test_a_pole_only_chooses_the_side(self) -> None:
        for height in (2.0, -2.0):
            solution = solved(LEG, (0, 1.5, 0), (7, 1, height), plane=Plane.REST)
            np.testing.assert_allclose(elbow(solution)[0], (0, 0, np.sign(height)), atol=1e-14)

    def test_a_pole_in_the_line_keeps_the_last_side(self) -> None:
        pole = np.array(((0, 1, -1), (3, 5, 0), (0, 1, 1), (0, -1, 0)), dtype=float)
        solution = solved(LEG, np.broadcast_to((0, 1.5, 0), (4, 3)), pole, plane=Plane.REST)
        np.testing.assert_allclose(elbow(solution)[:, 2], (-1, -1, 1, 1), atol=1e-14)

    def test_a_pole_always_in_the_line_leaves_the_rest_side(self) -> None:
        for axis in (X, -X):
            chain = limb((0, 1, 0.1), (0, 1.9, -0.1), axis, use_hinge_axis=True)
            solution = solved(chain, (0, 1.5, 0), (0, 3, 0), plane=Plane.REST)
            np.testing.assert_allclose(elbow(solution), [Z], atol=1e-14)


class TestUndecided:
    """Ozz gives three answers, NaN among them, in three builds; users report flips for years."""

    def test_a_pole_in_line_keeps_the_last_frames_plane(self) -> None:
        pole = np.array(((1, 0, 1), (0, 1, 0), (0, -3, 0), (0, 0, 0), (1, 5, 1)), dtype=float)
        solution = solved(LEG, np.broadcast_to((0, 1.5, 0), (5, 3)), pole)
        expected = np.broadcast_to((0.5**0.5, 0, 0.5**0.5), (5, 3))
        np.testing.assert_allclose(elbow(solution), expected, atol=1e-14)

    @pytest.mark.parametrize("options", [{}, {"pole_pin": 1.0, "max_stretch": 1.3}, {"plane": Plane.REST}])
    def test_a_pole_rounded_on_the_root_keeps_the_last_side(self, options: dict) -> None:
        pole = np.array(((0, 0, -1), (1e-8, -3e-8, 2e-8), (0, 0, 0), (3e-8, 3e-8, 3e-8)))
        solution = solved(LEG, np.broadcast_to((0, 1.5, 0), (4, 3)), pole, tolerance=1e-6, **options)
        np.testing.assert_allclose(elbow(solution), [-Z] * 4, atol=1e-12)

    def test_a_pole_in_line_at_first_takes_the_first_decided_plane(self) -> None:
        pole = np.array(((0, 1, 0), (0, 2, 0), (1, 0, 0)), dtype=float)
        solution = solved(LEG, np.broadcast_to((0, 1.5, 0), (3, 3)), pole)
        np.testing.assert_allclose(elbow(solution), [X] * 3, atol=1e-14)

    def test_a_pole_always_in_line_bends_as_without_a_pole(self) -> None:
        target = np.array(((0, 1.5, 0), (0.3, 1.2, 0.4)))
        with_pole, without = solved(LEG, target, 2 * target), solved(LEG, target)
        np.testing.assert_allclose(with_pole.joints, without.joints, atol=1e-12)

    def test_a_held_plane_follows_the_target_the_shortest_way(self) -> None:
        turns = np.linspace(0, 1, 20)
        target = 1.5 * np.stack((0 * turns, np.cos(turns), np.sin(turns)), axis=-1)
        pole = np.where(turns[:, None] < 0.5, (1.0, 0.0, 0.0), 3 * target)
        solution = solved(LEG, target, pole)
        np.testing.assert_allclose(elbow(solution), np.broadcast_to(X, (20, 3)), atol=1e-12)

    @pytest.mark.parametrize("options", [{}, {"pole": (0.3, 0.2, 5.0)}, {"plane": Plane.REST}])
    def test_a_target_on_the_root_keeps_the_last_pose(self, options: dict) -> None:
        chain = limb((0, 1, 0.2), (0, 2, 0))
        target = np.array(((0, 0.3, 0.1), (0, 0.03, 0.01), (0, 0, 0), (0, 1e-300, 0), (0, -0.03, -0.01)))
        solution = solved(chain, target, **options)
        assert (solution.status == Status.REACHED).all()
        assert solution.degenerate.tolist() == [False, False, True, True, False]
        moved = np.linalg.norm(np.diff(solution.joints, axis=0), axis=-1).max(axis=-1)
        # With equal bones the joints move no farther than a hinge that closes the last 0.03 asks for.
        assert moved[1] < 0.04
        assert moved[2] < 1e-12
        np.testing.assert_allclose(solution.joints[2:4, 2], 0, atol=1e-15)

    @pytest.mark.parametrize("difference", [0.0, 1e-7, -1e-7])
    def test_nearly_equal_bones_fold_to_the_side_of_their_bend(self, difference: float) -> None:
        """A hair's difference would have them fold in line with the target, a quarter turn away."""
        joints = np.array(((0, 0, 0), (0, 1, 0.1), (0, 2 + difference, 0)), dtype=float)
        chain = Chain(joints=joints, hinge_axis=X)
        solution = solve(chain, Goals(target=np.array(((0, 0.1, 0), (0, 0, 0)))), Options(tolerance=1e-6))
        assert np.linalg.norm(np.diff(solution.joints, axis=0), axis=-1).max() < 0.11
        np.testing.assert_allclose(solution.joints[1, 2], 0, atol=1e-6)

    def test_frames_after_one_that_decides_nothing_are_right(self) -> None:
        """In other solvers NaN stays for all later frames."""
        target = np.array(((0, 1.5, 0), (0, 0, 0), (0, 1.5, 0), (0.5, 1, 0)))
        pole = np.array(((0, 0, 3), (0, 0, 0), (0, 3, 0), (0, 0, 3)), dtype=float)
        solution = solved(LEG, target, pole)
        np.testing.assert_allclose(solution.joints[2], solution.joints[0], atol=1e-12)
        np.testing.assert_allclose(solution.joints[3], solved(LEG, target[3], pole[3]).joints[0], atol=1e-14)


def smooth_paths() -> dict[str, tuple[np.ndarray, object, float]]:
    """Targets that come through every singular place on a smooth way, and how far the mid joint may move at most.

    Towards an edge of the annulus it goes with the square root of the distance to it: by √(2 x 0.005) in a step.
    """
    time = np.linspace(0, 1, 401)[:, None]
    across_reach = (1.7 + 0.3 * np.sin(2 * pi * time)) * np.array((0.0, 0.6, 0.8))
    turn = 0.3 + (2 * time - 1) ** 2
    into_line = 1.2 * np.concatenate((np.cos(turn), 0 * turn, np.sin(turn)), axis=1)
    return {
        "full reach": (across_reach, (1.0, 0.0, 0.0), 0.12),
        "full fold": ((0.2 + 0.1 * np.cos(2 * pi * time)) * np.array((0.0, 0.6, 0.8)), (1.0, 0.0, 0.0), 0.12),
        "in line with the pole and back": (into_line, 5 * into_line[200], 0.05),
        "past the opposite of the rest pose": (
            1.3 * np.concatenate((np.sin(2 * pi * time), np.cos(2 * pi * time), 0 * time), axis=1),
            None,
            0.05,
        ),
    }


@pytest.mark.parametrize("name", list(smooth_paths()))
def test_a_smooth_path_through_a_singular_place_gives_no_jump(name: str) -> None:
    target, pole, most = smooth_paths()[name]
    solution = solved(limb((0, 1, 0.1), (0, 1.78, 0)), target, pole)
    moved = np.linalg.norm(np.diff(solution.joints, axis=0), axis=-1)
    steps = np.linalg.norm(np.diff(target, axis=0), axis=-1)
    assert (moved[:, 2] <= steps * (1 + 1e-9) + 1e-12).all(), "the tip moves no farther than its target"
    assert moved[:, 1].max() < most

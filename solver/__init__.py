"""Two-bone limbs in closed form: arrays in, arrays out, NumPy only, no Blender.

>>> from solver import planar
>>> planar.forward([2.0, 1.0], planar.angles([2.0, 1.0], [1.5, 2.0], bend=-1))[1].round(12)
array([1.5, 2. ])

    solve : the order of the steps; Influence of the two bones; which pose is held out of reach
    values : chain, goals, options and solution, as data; the words of choices
    inputs : refuses arrays of wrong shape, size or value
    numbers : refuses what is no array of numbers
    reference_pose : the pose from which bones turn; in which plane straight ones bend
    plane : the plane of the limb: pole, pole influence and angle, no pole
    swivel : smooths poles that whirl the plane around
    bend : which of both solutions, within bend limits
    reach : annulus, softness, stretch, and what is out of reach; by how much more, the caller says (`bake/chain`)
    hock : legs of three bones as triangles of two sides
    pole_pin : where a mid joint pinned to its pole goes, as bones scale
    pinned_solution : turns bones to that joint, at a part of the pole pin
    twist : how far a hand is turned, when that is undecided, and the share of each bone
    targets : target and pole from a pose; pole of a straight limb; the opposite pole
    rotation : rotations as other values, without jumps
    reduce : which rows need keys, also between frames
    carry_last : the last decided value holds
    diagnostics : angles, flips, speed, and what counts as nearly straight
    planar : two and three links in a plane; what scripts use of it, and `diagnostics` for angles
    fixed_point : Newton's search, row by row
    shortest_path : the cheapest of two states on each frame
    vectors : algebra of vectors and triads
"""

from . import diagnostics, hock, planar, pole_pin, reach, targets, twist
from .solve import PreparedChain, prepare, solve
from .values import Bend, Chain, Goals, HingeAxis, Hock, Options, Plane, Reference, Solution, Status, Unreachable

__all__ = ["Bend", "HingeAxis", "Plane", "Reference", "Status", "Unreachable"]
__all__ += ["Chain", "Goals", "Hock", "Options", "PreparedChain", "Solution", "prepare", "solve"]
__all__ += ["diagnostics", "hock", "planar", "pole_pin", "reach", "targets", "twist"]

"""Two-bone limbs in closed form: arrays in, arrays out, NumPy only, no Blender.

>>> from solver import planar
>>> planar.forward([2.0, 1.0], planar.angles([2.0, 1.0], [1.5, 2.0], bend=-1))[1].round(12)
array([1.5, 2. ])
"""

from . import diagnostics, hock, planar, pole_pin, reach, targets, twist, workspace
from .solve import PreparedChain, prepare, solve
from .values import Bend, Chain, Goals, HingeAxis, Hock, Options, Plane, Reference, Solution, Status, Unreachable

__all__ = [
    "Bend",
    "Chain",
    "Goals",
    "HingeAxis",
    "Hock",
    "Options",
    "Plane",
    "PreparedChain",
    "Reference",
    "Solution",
    "Status",
    "Unreachable",
    "diagnostics",
    "hock",
    "planar",
    "pole_pin",
    "prepare",
    "reach",
    "solve",
    "targets",
    "twist",
    "workspace",
]

"""Two-bone limbs in closed form: arrays in, arrays out, NumPy only, no Blender.

>>> from solver import planar
>>> planar.forward([2.0, 1.0], planar.angles([2.0, 1.0], [1.5, 2.0], bend=-1))[1].round(12)
array([1.5, 2. ])
"""

from . import diagnostics, planar, reach, targets, workspace
from .solve import PreparedChain, prepare, solve
from .values import Bend, Chain, Goals, HingeAxis, Options, Plane, Reference, Solution, Status, Unreachable

__all__ = [
    "Bend",
    "Chain",
    "Goals",
    "HingeAxis",
    "Options",
    "Plane",
    "PreparedChain",
    "Reference",
    "Solution",
    "Status",
    "Unreachable",
    "diagnostics",
    "planar",
    "prepare",
    "reach",
    "solve",
    "targets",
    "workspace",
]

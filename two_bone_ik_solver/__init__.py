"""Limbs of two bones in closed form, for any Python: see `solver` for one limb, `skeleton` for limbs on a skeleton.

In the checkout these two are folders beside this one; the wheel puts them into it.
"""

from importlib.metadata import version

from . import skeleton, solver

__version__ = version(__name__)

__all__ = ["__version__", "skeleton", "solver"]

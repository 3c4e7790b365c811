"""Limbs out of Blender's own bones, constraints and drivers: `build` has the order of the steps.

Other rooms use of it:

    build : all
"""

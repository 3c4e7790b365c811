"""Limbs out of Blender's own bones, constraints and drivers: `build` has the order of the steps.

`checks` refuses what cannot be built, `parts` makes bones, constraints and drivers and removes them, and `as_built`
is the limb that they make.

Other rooms use of it:

    build : all
"""

"""Limbs out of Blender's own bones, constraints and drivers: `build` has the order of the steps.

    build : the steps; which options become custom properties, on which bone; whether a limb is as built now
    checks : refuses options that Blender's parts cannot follow, constrained or driven bones, uneven scale
    parts : makes bones, constraints and drivers, finds them again and removes them
    as_built : what the rig has of a limb, to be compared with what would be built

The closed form, as bones at rest and expressions of drivers, is in `skeleton/built_limb`. `rigs/built_limbs` tells
which limbs are built, for all rooms.

Other rooms use of it:

    build : all
"""

"""Limbs of known rigs that show FK or IK: `switch` has the order of the steps.

Other rooms use of it:

    bake_built : bake_all
    switch : all
    switch_plan : ControlSet
"""

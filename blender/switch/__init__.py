"""Limbs of known rigs that show FK or IK: `switch` has the order of the steps.

`switch_plan` says which bones show and follow, and what says which set shows. `control_keys` places the controls and
makes their channels, with `skeleton/switch`, where `ik_chain` decides whether IK shows the limb already.
`compare_limbs` measures. `bake_built` bakes built limbs, which show FK from then on.

Other rooms use of it:

    bake_built : bake_all
    switch : all
    switch_plan : ControlSet
"""

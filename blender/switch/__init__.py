"""Limbs of known rigs that show FK or IK: `switch` has the order of the steps.

    switch : the steps; what is refused before a key is written
    switch_plan : which bones show, which controls follow; whether the set shows already; what IK needs set beside
    control_keys : places controls by samples, then on trial; which frames get keys; leaves out channels that change
        nothing
    built_targets : lets To IK key targets of built limbs, with the sentences of `targets/targets_from_pose`
    compare_limbs : which frames are measured, and how far a limb may be off before that is told
    bake_built : the steps of Bake where limbs are built: `switch` keys and refuses these, and they show FK from then on

The arithmetic is in `skeleton/switch`: `control_channels` shapes curves between frames, `ik_chain` decides whether the
keys of IK show the limb already. Where the switch is, is in `rigs/switch_property`, the keys that keep it outside
of the range in `curves/border_keys`.

Other rooms use of it:

    bake_built : bake_all
    switch : all
    switch_plan : ControlSet
"""

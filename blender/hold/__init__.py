"""Targets that stay where they are: `hold` has the order of the steps.

`holds` has the holds of a target, `held_targets` keys them on trial, `leaders` solves the limbs that move what they are
held to, and `kept_keys` gives back the keys from before. `status/hold_state` tells which holds are out of date.

Other rooms use of it:

    hold : all
    holds : all
"""

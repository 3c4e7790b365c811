"""Targets that stay where they are: `hold` has the order of the steps.

`holds` has the holds of a target, and tells which are out of date on the current frame. `held_targets` keys them on
trial, `leaders` solves the limbs that move what they are held to, and `kept_keys` gives back the keys from before.

Other rooms use of it:

    hold : all
    holds : all
"""

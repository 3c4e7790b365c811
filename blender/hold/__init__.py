"""Targets that stay where they are: `hold` has the order of the steps.

    hold : the steps to make, update and remove holds; notes for Check on those out of date
    holds : the stored holds of a target: usual frames, titles, which wins; refuses a target changed since
    held_targets : keys a copy on trial, hold after hold, and writes at last; what it samples for that
    kept_keys : gives a target back its keys from before, in the spans of its holds
    leaders : which limbs are solved first, since they move what targets are held to

Grip and ease are in `skeleton/hold`: on a thing a hold keeps its grip, in the world it grips its target again, where
that then is. Which targets can be held is in `targets/checks`.

Other rooms use of it:

    hold : all
    holds : all
"""

"""Targets that stay where they are: `hold` has the order of the steps.

    hold : the steps to make, update and remove holds; notes for Bake and Check on those out of date
    holds : the stored holds of a target: usual frames, titles, which wins; refuses a target changed since
    held_targets : holds targets on trial, one hold after another, and writes at last; what it samples for that
    trial_copies : copies of targets' objects: keys them in spans, gives back keys from before; lets objects play them
    leaders : which limbs are solved first, since they move what targets are held to

Grip and ease are in `skeleton/hold`: on a thing a hold keeps its grip, in the world it grips its target again, where
that then is. Which targets can be held is in `targets/checks`.

Other rooms use of it:

    hold : all
    holds : all
"""

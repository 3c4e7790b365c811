"""Chains from IK constraints: `takeover` has the order of the steps.

Other rooms use of it:

    option_animation : animate
    takeover : Takeover, has_constraints, takeovers, uneven_differences
"""

"""Chains from IK constraints: `takeover` has the order of the steps.

`three_bones` reads legs with a hock, `pre_constraint_pose` from which pose a constraint starts, and `option_animation`
the animation that options take along.

Other rooms use of it:

    option_animation : animate
    takeover : Takeover, has_constraints, takeovers, uneven_differences
"""

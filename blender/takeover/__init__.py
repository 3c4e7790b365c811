"""Chains from IK constraints: `takeover` has the order of the steps.

    takeover : which constraints become chains, why others cannot, in which ways the pose differs
    three_bones : constraints of three bones as legs with a hock
    pre_constraint_pose : the pose from which a constraint starts, and the pole angle that follows from it
    option_animation : which animation goes over as it is, and which is sampled

Nothing is muted here: that does `bake/mute_constraints`, with the first bake.

Other rooms use of it:

    option_animation : animate
    takeover : Takeover, has_constraints, measured_differences, takeovers
"""

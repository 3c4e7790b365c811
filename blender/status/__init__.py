"""What list, overlay and panel say: how limbs stand, what hides them, and which one is in hand.

Other rooms use of it:

    hiding : all
    in_hand : all
    limb_state : LimbState, State, limb_states
    overlay : all
    ray_cast : surface
"""

"""What list, overlay and panel say: how limbs are posed, where feet stand, what hides them, and which one is in hand.

`overlay` has what is drawn in the views: reach, pole and angles of the limb in hand, where it is off, where feet stand.

Other rooms use of it:

    foot_marks : all
    hiding : all
    in_hand : all
    limb_state : LimbState, State, limb_states
    overlay : all
    ray_cast : surface
    system_info : system_info
"""

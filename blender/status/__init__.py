"""What list, overlay and panel say: how limbs are posed, where feet stand, what hides them, which holds are out of
date, and which limb is in hand.

`overlay` has what is drawn in the views: reach, pole and angles of the limb in hand, where it is off, where feet stand.
The state of a limb, and how often it is measured while Blender plays, is decided in `limb_state`; its color is in
`options.toml`, its sign, icon and words are in `ui/limb_notice.toml`.

Other rooms use of it:

    foot_marks : all
    hiding : all
    hold_state : hold_states
    in_hand : all
    limb_state : LimbState, State, limb_states
    overlay : all
    ray_cast : surface
    system_info : system_info
"""

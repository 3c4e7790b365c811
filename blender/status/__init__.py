"""What list, overlay and panel say.

    in_hand : which limb and armature panel, menus and operators act on, by selection or active chain
    limb_state : how a limb is posed, and what keeps tip and target apart; how often that is measured
    hiding : which constraint or switch hides a limb, and what lets it show
    guides : circles of reach and the line to the pole, around the limb in hand alone; signs in the view
    foot_marks : circles where planted feet are, and whether they stand

The color of a limb's state is in `options.toml`; its sign, icon and words are in `ui/limb_notice.toml`. `ui/overlay`
draws.

Other rooms use of it:

    foot_marks : foot_marks
    guides : CIRCLE, Line, guides, in_view
    hiding : all
    in_hand : all
    limb_state : LimbState, State, limb_states
"""

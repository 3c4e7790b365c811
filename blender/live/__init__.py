"""Limbs that follow their targets while an animator works: `live` has the order of the steps.

Other rooms use of it:

    drag : Drag
    known_ahead : all
    live : follow, is_live, live_changed, pose_ahead, waits_for_drag
    reading : Reading
    state : all
"""

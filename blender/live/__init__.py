"""Limbs that follow their targets while an animator works: `live` has the order of the steps.

Other rooms use of it:

    drag : Drag
    live : follow, live_changed, waits_for_drag
    state : all
"""

"""Limbs that follow their targets while an animator works: `live` has the order of the steps.

Other rooms use of it:

    drag : Drag
    live : follow, is_live, live_changed
    reading : Reading
    state : all
"""

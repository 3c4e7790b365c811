"""Captured feet that stand where they touch the ground: `plant` has the order of the steps.

    plant : the steps of Plant and of finding contacts; notes on ground, hips and toes
    captured_limbs : chooses limbs, what keeps its place, and frames; samples nothing
    feet : points and toes of each foot; which bone is the hips; why keys cannot move these
    checks : refuses constraints on bones of feet, and limbs without length
    captured_action : what was captured, and the copy that plays; which contacts it remembers
    said_contacts : which contacts count as said by keys or caller; refuses those above no floor
    contact_keys : contacts as keys of end bones, also unkeyed ones; which frames Plant offers
    contact_runs : contacts as runs of frames that the panel shows, selects, sets and moves
    floor : how high a level or a mesh is below points
    compare_feet : on which frames feet are measured; how far they slide and turn

When feet stand by themselves, and how they then move, is in `solver/feet`; toes, knees that were captured straight, and
the ground below feet, in `skeleton/feet`.

Other rooms use of it:

    captured_action : remembered
    captured_limbs : PlantChoices
    contact_keys : all
    contact_runs : all
    feet : found_limbs, names_by_end
    floor : Floor
    plant : find_contacts, plant_feet
"""

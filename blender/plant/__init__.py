"""Captured feet that stand where they touch the ground: `plant` has the order of the steps.

`feet` finds legs, arms and hips, and says why keys cannot move hips or toes; `captured_limbs` reads how they move,
`captured_action` keeps what was captured. `contact_keys` has the keys that say when feet stand, `contact_runs` shows
and sets them as runs, and `said_contacts` is what Plant takes of them or of its caller, and refuses where the floor is
not below. When feet stand by themselves, and how they then move, is in `solver/feet`.

Other rooms use of it:

    captured_action : remembered
    captured_limbs : PlantChoices
    contact_keys : all
    contact_runs : all
    feet : found_limbs, names_by_end
    floor : Floor
    foot_paths : all
    plant : find_contacts, plant_feet
    planted_targets : plant_with_targets
"""

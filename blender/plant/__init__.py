"""Captured feet that stand where they touch the ground: `plant` has the order of the steps.

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

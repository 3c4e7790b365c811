"""Captured feet that stand where they touch the ground: `plant` has the order of the steps.

Other rooms use of it:

    captured_limbs : PlantChoices
    contact_keys : all
    floor : Floor
    plant : find_contacts, plant_feet
    planted_targets : plant_with_targets
"""

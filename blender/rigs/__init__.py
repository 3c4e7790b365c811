"""Rigs that are known, as data: their limbs, controls and switches.

Other rooms use of it:

    built_limbs : OPTIONS, built_limb, built_limbs, goals, is_built, property_paths
    controls : all
    known_limbs : all
    rig_files : all
    switch_property : drivers_reading, ik_constraint, pole_on, property_label, property_path, shown_control_set,
        switch_path, toe_path, turn
    wildcards : filled, wildcard_texts, wildcards_in
"""

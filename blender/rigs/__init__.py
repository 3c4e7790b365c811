"""Rigs that are known, as data: their limbs, controls and switches. Each .toml beside is a kind of rig.

    known_limbs : which limbs of an armature are known, or what they lack; which switch hides a chain
    rig_files : what files of rigs may say, ours and users'; which are faulty
    controls : which control is keyed to move a target, and what obstructs it
    switch_property : where a limb's switch is, which control set shows, whether IK has a pole; sets it
    built_limbs : limbs that Build into Rig has made, as known ones: targets and properties
    wildcards : what * and ? in names stand for

Other rooms use of it:

    built_limbs : OPTIONS, built_limb, built_limbs, goals, is_built, property_paths, twists_beside
    controls : all
    known_limbs : all
    rig_files : all
    switch_property : drivers_reading, ik_constraint, pole_on, property_label, property_path, shown_control_set,
        switch_path, toe_path, turn
    wildcards : filled, wildcard_texts, wildcards_in
"""

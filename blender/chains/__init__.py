"""Which limbs there are and how their chains are set up: detected, copied, mirrored, from files.

`new_chains` adds chains. It asks `hinge_side` once, which decides by captured keys to which side limbs bend that are
straight at rest.

Other rooms use of it:

    copy_settings : SECTIONS, copy, known_sections, mirror
    detect/by_name : finger_carrier
    detect/find_limbs : all
    field_values : chains_restorer, set_fields, set_fitting, unchanged_on_error
    hinge_side : all
    hock_fit : all
    inherit_scale : all
    limbs : hiding_constraints, joints, limb_of, mid_and_tip, shows_ik
    new_chains : all
    setup_file : all
"""

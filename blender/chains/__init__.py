"""Which limbs there are and how their chains are set up: detected, copied, mirrored, from files.

`hinge_side` decides to which side limbs bend that are straight at rest, by captured keys; `api.add_chain` asks it once.

Other rooms use of it:

    copy_settings : SECTIONS, chain_of_other_side, copied_shares, copied_values, difference,
        fields_of_other_side, known_sections
    detect/by_name : finger_carrier
    detect/find_limbs : all
    field_values : chains_restorer, set_fields, set_fitting, set_shares, unchanged_on_error
    hinge_side : all
    hock_fit : all
    inherit_scale : all
    limbs : hiding_constraints, joints, limb_of, mid_and_tip, shows_ik
    setup_file : all
"""

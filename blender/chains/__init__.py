"""Which limbs there are and how their chains are set up: detected, copied, mirrored, from files.

    limbs : where joints show that can be pulled; whose limb a bone is; whether IK shows or hides it
    new_chains : adds a chain for a bone, or for each limb without one; asks `hinge_side` once
    detect/find_limbs : finds limbs by names, else by structure; their name, kind, side, and whether fore or hind
    detect/by_name : groups named bones to limbs; which set of bones takes keys; which hand has a finger
    detect/by_structure : pairs limbs by lengths alone: which are arms, which legs; the spine
    detect/bone_names : what the words of a bone's name mean; the name on the other side
    field_values : sets fields, all or none; which settings fit a new chain; shares of twist by hand
    hinge_side : by captured keys, about which axis limbs bend that are straight at rest; no bake decides it
    hock_fit : whether a leg has a third bone, and with which bone that turns, by its keys or at rest
    inherit_scale : sets the bones that the stretch of chains would shear to Aligned
    copy_settings : which settings go to other chains, and how they are mirrored for the other side
    setup_file : reads, applies and saves setup files

Which axes a straight limb can choose is in `bake/chain`, which twist bones it has in `bake/twist_bones`.

Other rooms use of it:

    copy_settings : SECTIONS, copy, known_sections, mirror
    detect/by_name : finger_carrier
    detect/find_limbs : all
    field_values : chains_restorer, set_fields, set_fitting, unchanged_on_error
    hinge_side : all
    hock_fit : all
    inherit_scale : all
    limbs : ik_hiding_chains, joints, limb_of, mid_and_tip, shows_ik
    new_chains : all
    setup_file : all
"""

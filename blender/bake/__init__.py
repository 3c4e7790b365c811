"""From chains and targets to keys and a report: `bake` has the order of the steps, `phases` what each request does.

Other rooms use of it:

    bake : all
    build_plan : Frames, at_current_frame, build_plan, current_plan, frame_range, limb_plan, steps,
        with_dependents
    build_report : build_report, millimetres
    chain : TOLERANCE, bones_below, chain_bones, chain_plan, sheared_bones, unlisted_chain
    chain_report : ChainReport, when
    chosen_chains : TakingPart, after_followed, chains_taking_part, chosen_chains, scene_of, with_bones
    chosen_frames : chosen
    circles : all
    compare : Comparison, compare_joints, compare_targets, near, unmeasurable
    convert : all
    fingerprint : Fingerprint
    foot_report : FootReport, slide_of
    frames : refuse_stretched_time, refuse_too_many_frames
    keys_of_limbs : bone_keys, target_keys
    markers : all
    mute_constraints : mute_constraints
    notes : acting_notes, acts, switch_notes
    phases : Need, Opened, Preparation, Request, Sampled, Written, finish, request, write_together
    pose : all
    report : all
    rest_side : StraightRest, axis_label, rest_chain, straight_rest, undecided
    shared_bones : all
    trial_keys : all
    write_channels : Channels, key_channels, paths, pose_channels, write_keys
"""

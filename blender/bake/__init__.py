"""From chains and targets to keys and a report: `bake` has the order of the steps.

`request` has what all requests do, and many of them together: one evaluation of the scene serves all of them.
`build_plan` reads armature and list, `chain` one limb of it, `twist_bones` which bones take a share of its twist.
`checks` refuses what cannot be solved or written, out of reach with Error too; `convert` decides where keys go, and
`write_channels` on which objects; `mute_constraints` mutes those that would hide the keys; `compare` measures what
plays, and `built` tells a check which limbs show without keys. `pose` is Solve, on the current frame, and poses bones
for Live, with the twists going on from those that it posed last. `unkeyed_moves` finds what a user has moved without a
key.

Other rooms use of it:

    bake : all
    build_plan : Frames, Names, TakingPart, after_followed, at_current_frame, build_plan, chains_taking_part,
        chosen_chains, current_plan, frame_range, limb_plan, scene_of, with_bones, with_dependents
    chain : SLIGHT, StraightRest, TOLERANCE, axis_label, bones_below, chain_bones, chain_plan, rest_chain,
        scales, shear_refusal, sheared_bones, straight_rest, tells_side, twists_found, undecided, unlisted_chain
    chain_report : ChainReport, blank, holding_option, when
    checks : all
    compare : Comparison, chosen_frames, compare_joints, compare_targets
    convert : all
    each_action : all
    fingerprint : Fingerprint, bone_at_rest
    foot_report : FootReport, median_and_worst
    keys_of_limbs : target_keys, without_keys
    markers : all
    mute_constraints : mute_constraints
    notes : acting_notes, acts, switch_notes
    pose : all
    report : all
    request : Answer, MeasurePhase, Need, Preparation, Request, Resources, WritePhase, alone, finish, request,
        write_together
    unkeyed_moves : all
    write_channels : all
"""

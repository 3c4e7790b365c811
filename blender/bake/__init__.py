"""From chains and targets to keys and a report: `bake` has the order of the steps.

    bake : the steps of Bake, and of Check, which is the same without keys
    pose : the steps of Solve on the current frame; poses bones for Live, with twists on from those posed last
    request : the phases of all requests, one at a time; many together share one evaluation of the scene
    each_action : one request for each action whose name fits, played meanwhile; sets the report's `action`
    build_plan : which chains take part, on which frames, with keys on which; which armature is solved before which
    chain : bones, goals and options of one chain, or why not, such as options that do not go together; how far off a
        target counts as reached; whether its rest pose tells the side
    twist_bones : which bones take a share of a limb's twist, and which are left alone
    fingerprint : whether reading the chains again would give the same plan
    checks : refuses too many frames, stretched time, out of reach with Error, shared bones, targets driven in circles
    built : what Check takes of limbs built into the rig: their properties, and that they show without keys
    keys_of_limbs : on which frames a chain's targets, bones or options have keys; which bones have none
    convert : turns solutions into channels, and calls what reduces them
    write_channels : poses or keys several objects, with Auto Keying what has keys; keys a copy on trial
    mute_constraints : which IK constraints hide the keys of a plan; mutes them with their animation
    unkeyed_moves : what a user has moved on the current frame without a key, for which a button is refused
    compare : which frames are measured; how far what plays is off, and from where on it is misposed
    notes : sentences on what changes the pose beside keys: constraints, switches, poles, other tracks; on what options
        that are off now left behind
    chain_report : one chain's report: whether it reached, where it is farthest off, words, summary in numbers
    foot_report : one planted foot's report, and its row of the table
    report : an armature's report: its worst frame, its headline, the order of its lines, JSON; keeps the last
    markers : on which frames Check puts timeline markers, and which it removes

The arithmetic is in `skeleton`: `solve` solves, `bone_channels` makes values of keys and leaves out what Skip skips,
`reduced_keys` and `reduced_targets` choose the fewest keys, `twist` spreads twists. What a limb does without influence
is in `curves/own_keys`.

Other rooms use of it:

    bake : all
    build_plan : Frames, Names, Participants, after_followed, at_current_frame, build_plan, chains_taking_part,
        chosen_chains, current_plan, frame_range, limb_plan, scene_of, with_bones, with_dependents
    chain : SLIGHT, StraightRest, TOLERANCE, axis_label, bones_below, chain_bones, chain_plan, joints_at_rest,
        rest_chain, scales, sheared_bones, straight_rest, tells_side, twists_found, undecided, unlisted_chain
    chain_report : ChainReport, blank, holding_option, when
    checks : all
    compare : Comparison, chosen_frames, compare_joints, compare_targets, unmeasurable
    convert : all
    each_action : all
    fingerprint : Fingerprint, bone_at_rest
    foot_report : FootReport, median_and_worst
    keys_of_limbs : target_keys, without_keys
    markers : all
    mute_constraints : mute_constraints
    notes : acting_notes, acts, flat_notes, switch_notes
    pose : all
    report : all
    request : Answer, MeasurePhase, Need, Preparation, Request, Resources, WritePhase, alone, finish, request,
        write_together
    unkeyed_moves : all
    write_channels : all
"""

"""F-curves and actions: reading them, writing them, and keeping what others have keyed. `write` also poses bones
without keys, as Solve and Live do.

`key_checks` refuses what keys cannot change: locked bones, tweak mode, drivers, strips, modifiers. `action_pairs`
decides which actions are an armature's, and which of its targets' belongs to each.

What stays as it was is told apart by why: `write` leaves all keys outside of the range and frees the handles of their
neighbours, `borders` splits curves at its ends, `own_keys` are on frames without influence, `keys_beside` on those
beside a switch, `kept_outside` on those beside limbs that Plant keys in part.

Other rooms use of it:

    action_pairs : all
    borders : all
    kept_action : all
    kept_outside : all
    key_checks : all
    keys : FEW_KEYS, by_path_and_index, curves_at, evaluated, evaluated_together, key_frames, key_points, key_span,
        numbers_on, single_key_points, twists_before, value_before, values_before, whole_frames
    keys_beside : kept_beside, kept_span, setting_channel, shown_beside
    own_keys : all
    unkeyed_edits : all
    write : all
"""

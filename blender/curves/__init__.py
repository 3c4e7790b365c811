"""F-curves and actions: reading them, writing them, and keeping what others have keyed.

    keys : on which frames curves have keys; their values on any frame, and before a range
    write : sets all keys of a curve at once, and keeps those outside the range; poses bones without keys
    borders : splits curves at the ends of a span, so that they go on as before
    own_keys : keeps a limb's own keys on frames without influence
    border_keys : keeps properties outside the frames of a switch, by keys as near as can be
    kept_outside : keeps what shows on frames outside a span that Plant keys in part
    kept_action : keeps the action from before holds to the bit, plays a copy, gives it back
    key_checks : refuses keys that would not play: locked or muted curves, tweak mode, drivers, strips, modifiers;
        or that would change a curve outside of their frames, as across a Bounce
    action_pairs : which actions are an armature's, and which of its targets' belong to each
    unkeyed_edits : finds edits without a key that Blender would drop, and puts them back

Which values go without a jump is in `solver/rotation`, how few keys do in `solver/reduce`.

Other rooms use of it:

    action_pairs : all
    border_keys : kept_span, setting_channel, shown_outside, with_border_keys
    borders : all
    kept_action : all
    kept_outside : all
    key_checks : all
    keys : FEW_KEYS, by_path_and_index, count_posed, curves_at, driver_at, evaluated, evaluated_together, key_frames,
        key_points, key_span, numbers_on, rotation_curves, single_key_points, twists_before, value_before,
        values_before, values_on, whole_frames
    own_keys : all
    unkeyed_edits : all
    write : all
"""

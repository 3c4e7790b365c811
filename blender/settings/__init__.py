"""What the user sets and the file keeps.

    properties : fields of chains, holds and Plant, as stored; the chain that is active, or of a bone
    keyed_options : options of a chain that its end bone has, so that they can be animated
    key_settings : words and defaults for how keys are written, targets sampled, results measured
    bone_marks : how chains, holds and kept actions follow bones that are renamed

The options themselves are declared in `options.toml`.

Other rooms use of it:

    bone_marks : all
    key_settings : AutoKeys, DEFAULTS, EVERY_FRAME, InsertKeys, KeyProperties, KeySettings, KeyStyle,
        KeyStyleProperties, Keys, MEASURED_WHOLE, Measure, Sampling, inserted, refuse_not_above_zero
    keyed_options : all
    properties : all
"""

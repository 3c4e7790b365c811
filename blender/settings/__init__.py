"""What the user sets and the file keeps: properties, keyed options, key settings, and marks of renamed bones.

Other rooms use of it:

    bone_marks : all
    key_settings : AutoKeys, DEFAULTS, EVERY_FRAME, InsertKeys, KeyProperties, KeySettings, KeyStyle,
        KeyStyleProperties, Keys, MEASURED_WHOLE, Measure, Sampling, inserted, refuse_not_above_zero
    keyed_options : all
    properties : all
"""

"""Targets: created, removed, snapped, keyed from the pose, flipped, and moved to another space.

The pose that they are keyed from is that of the chain's bones, on a known rig the FK controls; `checks` refuses what
cannot be moved, keyed or read, such as controls that do not show the limb.

Other rooms use of it:

    checks : holdable, keyable, keyed_target, pullable, refuse_following, refuse_not_shown
    create_targets : DEFAULT, create_all, lacks, remove
    edit_bones : edit_bones, in_edit_mode
    flip : all
    made_for : made
    new_targets : Role, TargetKind, TargetParent, TargetStyle
    pin : pin_targets
    space : all
    target_bones : all
    target_space : all
    targets_from_pose : all
"""

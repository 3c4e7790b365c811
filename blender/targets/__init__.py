"""Targets: created, snapped, keyed from the pose, flipped, and moved to another space.

    create_targets : the steps to create them; what chains lack; empties instead where bones are impossible
    target_names : name and carrier of a new target: a finger's hangs on the hand; words for kinds
    target_bones : targets that are bones: where they lie at rest, their shapes, why there can be none
    target_empties : targets that are empties: their looks, and in which collection they are
    made_for : which targets we have made, for which of duplicated armatures
    edit_bones : edits bones whatever the mode, and puts mode and selection back
    targets_from_pose : the steps to key or snap targets from the pose, and to take them along with Drag
    checks : how a target is keyed, or why it cannot be moved, held or pulled, as where its limb
        hangs on it, or its rig shows IK
    flip : whether the pole moves to the other side, with its keys, or the chain takes the other Bend
    pin : the steps of Pin: chains and targets where they lack, then Live
    target_space : the steps to hang targets elsewhere; over which frames that counts
    new_space : why targets cannot be hung on a space; how they are keyed there; hangs objects and bones on it
    space : spaces and floors by the names that scripts give

Where target and pole have to be for a pose is in `skeleton/targets_from_pose`, in front or behind too; their channels
on what carries them are in `skeleton/target_channels`. The pose is that of the chain's bones, on a known rig of the
FK controls.

Other rooms use of it:

    checks : holdable, keyed_target, pullable, refuse_following
    create_targets : DEFAULT, create_all, lacks
    edit_bones : edit_bones, in_edit_mode
    flip : all
    target_names : Role, TargetKind, TargetStyle
    pin : pin_targets
    space : all
    target_bones : all
    target_space : all
    targets_from_pose : all
"""

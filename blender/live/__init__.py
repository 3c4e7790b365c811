"""Limbs that follow their targets while an animator works: `live` has the order of the steps.

After Blender has evaluated a scene, changed the frame or opened a file, `handlers` calls Live for all armatures that
are live. `state` answers three questions, in this order:

    is the armature looked at?   it, its data, a target or a pole was updated; or Live has not posed it yet, or looked
                                 in another view layer last; or something may have moved that no update names: in a
                                 render, a request or handlers of others: `RigState.may_have_changed`
    are its limbs solved again?  targets, carriers, options or starting pose are others than before: `update_all`
    are they posed?              they were solved again, or other chains than before are in a circle (`leave_out`), or
                                 keys or the user have put a bone elsewhere: `RigState.pose_to_replace`

In doubt the answer is yes. All limbs of an armature are posed together. What the user sets on a bone of a limb is the
pose that it starts from, for chains that start from one; undo forgets all answers, and that pose is kept in the bones.

Left out are chains that are muted, built into the rig or without a target; those that are refused, as where the
viewport does not have a target (`RigState.read_chains`); and those that follow each other in a circle across armatures
(`live.follow`). An armature is left out as a whole while Drag pulls one of its limbs, and where it is linked, in Edit
Mode or in Rest Position (`scene/checks`). Nothing is posed when Blender evaluates for a render, or while we sample. If
windows show several view layers, only the first that has an armature poses it; a layer that no window shows poses all.

    live : which armature is posed first, leaders before followers; where Live waits for Drag; what happens when it is
        switched off
    state : the three answers above; reads and solves limbs for list and overlay too, with Live off
    drag : the steps of one pull: which of the two below it moves, targets along, keys at its end
    free_limb : solves the two bones that are pulled, from the pose that they had
    pulled_controls : moves IK controls where a known rig shows IK, or the targets of a built limb
    auto_keys : which keys of Auto Keying get the pose that Live shows

`bake/pose` poses the bones. What they start from is the pose without Live: `scene/pose_before` remembers it. How often
list and overlay ask with Live off is in `status/limb_state`.

Other rooms use of it:

    drag : Drag
    live : follow, live_changed, waits_for_drag
    state : all
"""

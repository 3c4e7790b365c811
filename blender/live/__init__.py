"""Limbs that follow their targets while an animator works: `live` has the order of the steps.

After Blender has evaluated a scene or changed the frame, Live poses the limbs of each live armature that do not show
their solution. It leaves out chains that are muted, built into the rig, without a target or refused (`RigState.look`),
as where the viewport leaves out a target (`scene/checks`), and those that follow each other in a circle across
armatures (`live.follow`). While Drag pulls a limb, no limb of that armature is posed. Nothing is posed when Blender
evaluates for a render, or while we sample; if windows show several view layers, an armature is posed in the first that
has it (both in `handlers`). `state` answers, in this order:

    is the armature looked at?   it, its data, a target or a pole is among what was updated; or others may have moved
                                 it unseen: a render, a request, handlers of others: `RigState.may_have_changed`
    are its limbs solved again?  targets, carriers, options or starting pose are others than before: `update_all`
    are they posed?              they were solved again, or the chains in a circle are others (`leave_out`), or the
                                 pose is not the one that Live left: `RigState.pose_to_replace`

    live : which armature is posed first; where Live waits for Drag; what happens when it is switched off
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

"""Limbs that follow their targets while an animator works: `live` has the order of the steps.

After Blender has evaluated a scene or changed the frame, Live poses each limb of its live armatures that does not show
its solution. It leaves out chains that are muted, built into the rig, without a target or refused (`RigState.look`),
and those that follow each other in a circle across armatures (`live.follow`). While Drag pulls a limb, no limb of that
armature is posed. Nothing is posed when Blender evaluates for a render, or while we sample; if windows show several
view layers, an armature is posed in the first that has it (both in `handlers`). `state` answers, in this order:

    is the armature looked at?   it, a target or a pole is among what was updated: `RigState.may_have_changed`
    is a limb solved again?      its targets, carriers, options or starting pose are others than before: `update_all`
    is it posed?                 it was solved, or the pose is not the one that Live left: `RigState.pose_to_replace`

With Live off, `state` reads and solves limbs as well, for list and overlay.

Other rooms use of it:

    drag : Drag
    live : follow, live_changed, waits_for_drag
    state : all
"""

"""What Blender evaluates: samples of objects and bones, what depends on what, and checks of what is sampled.

`need` says what has to be sampled, and `sampling` how: by curves (`curves`), in a scene of its own, with a `probe`, or
by playing the whole scene, and why. `dependencies` decides what follows what, drivers too, also for Live; `ranks` puts
limbs that follow each other in order.

Other rooms use of it:

    bone : bone_or_object, current, from_bone, read_bone, rest
    checks : Removal, given_names, given_rig, refuse_not_finite, refuse_unposable
    curves : OwnTransforms
    dependencies : all
    glance : Glance, GlanceNeed
    need : SampleNeed, pose_need, sample_need
    pose_before : all
    probe : all
    ranks : ranked, ranked_by_parents
    sampling : all
"""

"""What Blender evaluates: samples of objects and bones, what depends on what, and checks of what is sampled.

Other rooms use of it:

    bone : bone_or_object, from_bone, read_bone, rest
    checks : Removal, given_names, given_rig, refuse_not_finite, refuse_other_than_armature, refuse_unposable
    curves : OwnTransforms
    dependencies : all
    glance : Glance, GlanceNeed
    need : SampleNeed, pose_need, sample_need
    pose_before : all
    probe : all
    ranks : ranked, ranked_by_parents
    sampling : all
"""

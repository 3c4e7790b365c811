"""What Blender evaluates: samples of objects and bones, what depends on what, and checks of what is sampled.

Other rooms use of it:

    bone : from_bone, read_bone, rest
    checks : Removal, given_rig, refuse_not_finite, refuse_other_than_armature, refuse_unposable
    curves : OwnTransforms
    dependencies : all
    glance : Glance, GlanceRequest
    names : given_names
    played : all
    pose_before : all
    probe : all
    request : SampleRequest, pose_request, sample_request
    sampling : all
"""

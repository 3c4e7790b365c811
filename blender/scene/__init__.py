"""What Blender evaluates: samples of objects and bones, what depends on what, and checks of what is sampled.

Other rooms use of it:

    armature : given_rig, refuse_other_than_armature, refuse_unposable
    at_work : all
    bone : from_bone, read_bone, rest
    curves : OwnTransforms
    dependencies : all
    finite : refuse_not_finite
    glance : Glance, GlanceRequest
    isolated : all
    names : given_names
    played : all
    pose_before : all
    probe : all
    removed : Removal
    request : SampleRequest, pose_request, sample_request
    sampling : all
"""

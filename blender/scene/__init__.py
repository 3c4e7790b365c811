"""What Blender evaluates: samples of objects and bones, what depends on what, and checks of what is sampled.

    need : what has to be sampled for a plan, or for targets that follow the pose
    sampling : the way to sample: by curves, in a scene apart, or by playing; why it is slow
    curves : samples from F-curves alone, and why these do not tell
    probe : makes Blender evaluate what is hidden or in no scene; leaves the scene as it was
    glance : whether what Live samples has changed since
    dependencies : what follows what, by parents, constraints and drivers; which IK constraint hides keys
    ranks : in which order limbs are solved that follow each other; refuses circles
    bone : a bone's rest and rules; the own transform that a bone or object has now
    checks : refuses what is left out, removed, not finite or not to be posed; clashing numbers; wrong names
    pose_before : which pose bones had before Live, and until when that counts

How poses of bones follow from their channels is in `skeleton/inherit`.

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

"""Switch: which pose of its controls shows a limb as it is.

    switch_plan : controls of both sets, as data; where each has to be
    place_bones : places controls on their parents; which have to wait for an evaluation
    ik_chain : turns and scales what Blender's IK moves until it fits; whether it shows the limb already
    limb_pose : how a limb lies, and by how much two poses differ
    control_channels : slopes between frames, where curves have to pass halfway

Which limbs and controls there are is in `blender/switch`.
"""

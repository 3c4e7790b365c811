"""From samples to channels: limbs on a skeleton, as arithmetic that knows no Blender.

What is decided about one limb, thresholds too, is in `solver`. Here limbs stand side by side on their skeleton:
`twist` and `twist_bones` are about bones that take shares, `reduced_keys` and `reduced_targets` about channels with
fewer keys, and `targets_from_pose` about where empties and bones go; `steps` is how a long calculation tells its
progress.
"""

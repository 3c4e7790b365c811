"""From samples to channels: limbs on a skeleton, as arithmetic that knows no Blender.

What is decided about one limb, thresholds too, is in `solver`. Here limbs stand side by side on their skeleton.
`chain_group` makes the solver's two links of a limb's bones, those in between and below them too, as `inherit` poses
them; `uneven_scale` solves limbs whose links change as they turn, `tail` those that reach with a tail. `solve` goes
from rank to rank, and `carried_along` moves what hangs on solved limbs. `bone_channels` makes keys of solutions, and
leaves out the frames that Skip skips; `twist` and `twist_bones` are about bones that take shares, `reduced_keys` and
`reduced_targets` about channels with fewer keys, and `targets_from_pose` about where empties and bones go; `shown` is
what a report says of poses, and `steps` how a long calculation tells its progress.
"""

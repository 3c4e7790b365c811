"""Feet that stand: `plant` has the order of the steps.

`contacts` finds when they stand, on which point alone, and whether the ground moves; `rigid` how they turn there, and
`toes` how toes do.
`corrections` are how far feet move, in their stands and between these; `free_feet` keeps knees smooth meanwhile, beside
contacts and in the air, and `hips` lowers the body where legs are too short. `jumps` are faults of the capture;
`slides` and `statistics` measure.
"""

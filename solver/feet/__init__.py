"""Feet that stand: `plant` has the order of the steps.

`contacts` finds when they stand, on which point alone, and whether the ground moves; `rigid` how they and their toes
turn there. `corrections` are how far feet move, in their stands and between these; `free_feet` keeps knees smooth
meanwhile, beside contacts and in the air, and `hips` makes their motion fit the legs, and lowers the body where legs
are too short. `jumps` are faults of the capture; `statistics` measures.
"""

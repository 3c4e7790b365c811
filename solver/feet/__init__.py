"""Feet that stand: `plant` has the order of the steps.

    plant : the steps, for all legs of a take
    contacts : when points stand, on which alone; whether the ground moves
    corrections : how far feet move, in stands and between
    rigid : how feet and toes turn as they stand, and how far they are raised
    free_feet : keeps knees smooth beside contacts and in the air
    hips : how hips' motion fits the legs, and how far they go down
    jumps : where a capture jumps, and nothing is smoothed across
    statistics : speed, noise, commonest values; how far feet slide and turn

Points, toes and knees on their skeleton are in `skeleton/feet`.
"""

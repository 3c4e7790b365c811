"""From samples to channels: limbs on a skeleton, as arithmetic that knows no Blender.

What is decided about one limb, thresholds too, is in `solver`. Here limbs are side by side on their skeleton.

    values : the data between the steps: bones, chains, plans, samples, channels
    batches : how many items are worked on at once
    chain_group : which chains are solved side by side; the solver's two links of all their bones
    solve : solves from rank to rank; how far tip or tail misses in the world
    solved_group : chains that were solved side by side: one of them, some rows, what is read of them
    uneven_scale : limbs whose links change as they turn, solved again with fitting lengths
    tail : where the joint has to be for a tail to reach
    inherit : how poses follow from parents' poses and channels, and back
    carried_along : moves samples of what hangs on solved limbs
    bone_channels : solutions as keyed rotations and scale; by how much tip bones follow the target's rotation; leaves
        out the frames that Skip skips
    rotation_mode : rotations as values of a rotation mode, and back
    twist : spreads a limb's twist over its twist bones
    twist_bones : about which line a twist bone turns, and what its keys have turned it
    reduced_keys : fewest keys for bones within a tolerance
    reduced_targets : fewest keys for targets, with the limbs solved for them
    target_channels : places in the world as channels of targets, on what carries them
    targets_from_pose : target and pole that keep a pose best; pole in front or behind, and how far
    hold : grip of a hold, taken again in the world; ease into the own motion
    built_limb : the closed form as bones at rest and drivers' expressions
    shown : what a report says of pole pins and twists
    rounding : within which distance a limb counts as in place
    transform : matrices, taken apart and put together
    steps : how long work tells its progress
"""

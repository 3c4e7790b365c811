"""Plant: from samples of legs to feet that stand, by `solver.feet`, and to channels of the bones."""

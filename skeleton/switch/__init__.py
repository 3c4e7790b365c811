"""Switch: which pose of its controls shows a limb as it is, by `ik_chain` for those of IK, else by `place_bones`."""

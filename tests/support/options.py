"""Combinations of all options of the solver."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from solver import Bend, Plane, Reference, Unreachable

OPTIONS = st.fixed_dictionaries(
    {
        "plane": st.sampled_from([Plane.AUTO, Plane.POLE, Plane.AIM, Plane.REST]),
        "reference": st.sampled_from(Reference),
        "bend": st.sampled_from(Bend),
        "unreachable": st.sampled_from(Unreachable),
        "pole_angle": st.sampled_from((0.0, 0.7, -3.0)),
        "pole_influence": st.sampled_from((1.0, 0.4, 0.0)),
        "softness": st.sampled_from((0.0, 0.1, 1.0)),
        "max_stretch": st.sampled_from((1.0, 1.5)),
        "use_extension_limit": st.booleans(),
        "bend_min": st.sampled_from((-np.pi, -0.5, 0.0, 0.3)),
        "bend_max": st.sampled_from((np.pi, 2.0, 0.4)),
        "influence": st.sampled_from((1.0, 0.3, 0.0)),
    }
)

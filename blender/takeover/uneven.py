"""How far uneven scale takes a limb under an IK constraint from where the chain in its place poses it.

The constraint turns a bone in the space of the armature, as if nothing above sheared it, the chain in the space that
the bone inherits, where only its own rotation counts. Uneven scale of the armature object shears both alike.
"""

from collections.abc import Iterator
from typing import cast

import numpy as np
from bpy.types import PoseBone, Scene

from ...skeleton import inherit, solve
from ...skeleton.bone_channels import keyed_rows
from ...solver.values import Array
from ..armatures import Rig
from ..bake.build_plan import current_plan
from ..bake.compare import compare_joints
from ..messages.numbers import unit_name
from ..messages.refused import Refused
from ..messages.translation import translated
from ..scene import sampling
from ..scene.bone import read_bone
from ..scene.need import sample_need
from ..settings.key_settings import MEASURED_WHOLE
from ..settings.properties import TwoBoneIKChain, root_name

_EVEN = 1e-5
"""Part of the scale that axes may differ by: it is rounding."""

_TOLD = 1e-3
"""Part of the limb: joints that are off by less are so by the constraint's own iteration, too."""


def differences(rig: Rig, chain: TwoBoneIKChain, scene: Scene) -> Iterator[str]:
    """A sentence where uneven scale shears a bone of the chain that takes over, measured on the current frame.

    chain : one whose constraint still acts
    """
    root, end = rig.pose.bones[root_name(rig, chain)], rig.pose.bones[chain.end_bone]
    names = [bone.name for bone, above in ((root, root.parent), (end, root)) if _is_sheared(bone, above)]
    if not names:
        return
    off = _off(rig, chain.name, scene)
    if off is None:
        yield translated("takeover.uneven_scale_unmeasured", bone=names[0])
    elif off > _TOLD * sum((rig.matrix_world.to_3x3() @ bone.vector).length for bone in (root, end)):
        yield translated("takeover.uneven_scale", unit=unit_name(scene), bone=names[0], off=off)


def _is_sheared(bone: PoseBone, above: PoseBone | None) -> bool:
    """Whether what turns with the bone changes its shape, on the present pose of the bone `above`."""
    parent = None if above is None else np.array(above.matrix, dtype=np.float64)[None, None]
    location = np.array(bone.location, dtype=np.float64)[None, None]
    base = inherit.rotation_base((read_bone(cast(Rig, bone.id_data), bone.name),), parent, location)[0, 0, :3, :3]
    squares: Array = base.T @ base
    size = np.trace(squares) / 3.0
    return bool(np.abs(squares - size * np.eye(3)).max() > 2.0 * _EVEN * size)


def _off(rig: Rig, chain: str, scene: Scene) -> float | None:
    """How far the mid joint or the tip is from where the chain has it, in the world; None where that cannot be told."""
    try:
        plan = current_plan(rig, [chain], scene)
        sampling.settle(plan)
        with sampling.sampled_current_frame(plan, sample_need(plan)) as (samples, played):
            solved = solve.solve_groups(plan, samples)
            comparison = compare_joints(plan, solved, keyed_rows(plan, solved), MEASURED_WHOLE)
            measured, _ = comparison.measured_now(played)
    except Refused:
        return None
    return float(measured[chain]["off"][0]) if chain in measured else None

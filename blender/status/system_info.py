"""What belongs to a report of a fault: versions, and how chains are set. It has no names and no paths."""

import platform
from collections.abc import Iterator

import numpy as np

from ..armatures import Chain, Rig
from ..extension import VERSION
from ..settings.properties import chain_fields
from ..versions import BLENDER


def system_info(rig: Rig | None) -> str:
    """A line for each version, one for the armature, and one for each of its chains."""
    lines = [
        f"Two-Bone IK {VERSION}",
        f"Blender {BLENDER}",
        f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.system()} {platform.machine()}",
    ]
    if rig:
        scale = " ".join(f"{factor:.4g}" for factor in rig.matrix_world.to_scale().to_tuple())
        lines.append(f"Armature: {len(rig.data.bones)} bones, scale {scale}, live {rig.two_bone_ik_live}")
        lines += [f"Chain: {', '.join(_settings(chain))}" for chain in rig.two_bone_ik_chains]
    return "\n".join(lines)


def _settings(chain: Chain) -> Iterator[str]:
    """The options that are not at their default; of one that names something only that it is set."""
    for name, field in chain_fields().items():
        value = getattr(chain, name)
        if field.type in {"STRING", "POINTER"}:
            if value and name != "name":
                yield name
        elif value != field.default:
            yield f"{name} {value:.4g}" if field.type == "FLOAT" else f"{name} {value}"

"""The manual says what the extension has: every option, and a first bake that works as it is written."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender.settings.properties import chain_fields

from support import rigify

pytestmark = pytest.mark.once

DOCS = Path(__file__).parents[3] / "docs"


def _options() -> list[str]:
    """As users read them: those of a chain, and those of a bake."""
    bake = bpy.ops.two_bone_ik.bake.get_rna_type().properties
    fields = (*chain_fields().values(), *(field for field in bake if field.identifier != "rna_type"))
    return sorted({field.name for field in fields})


@pytest.mark.parametrize("option", _options())
def test_every_option_is_in_the_manual(option: str) -> None:
    assert option in (DOCS / "reference.md").read_text("utf-8")


def test_the_script_of_the_first_bake_bakes_four_limbs() -> None:
    rig = rigify.metarig("human")
    rig.name = "metarig"
    (script,) = re.findall(r"```python\n(.*?)```", (DOCS / "first_bake.md").read_text("utf-8"), re.DOTALL)
    exec(script, {})
    assert len(rig.two_bone_ik_chains) == 4
    assert tuple(rig.animation_data.action.frame_range) == (1, 48)

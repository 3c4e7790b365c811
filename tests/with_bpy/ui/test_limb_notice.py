"""What the panel says of the limb in hand, and in how many rows, so that nothing below it jumps."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest
from bl_ext.user_default.two_bone_ik import api
from bl_ext.user_default.two_bone_ik.ui import limb_notice
from bpy.types import PropertyGroup

from support import rigs

NO_KEYS, COVERED = "A render does not show Live: Bake", "You see Live, not the keys"
WIDTHS = (180, 280, 600)
"""Pixels of a narrow sidebar, a usual one, and a wide one."""


def rows(chain: PropertyGroup, width: int) -> list[str]:
    """The panel's rows for the limb, in a sidebar of so many pixels."""
    bpy.context.view_layer.update()
    found: list[str] = []
    layout = SimpleNamespace(
        label=lambda text, **_: found.append(text),
        column=lambda **_: layout,
        split=lambda **_: SimpleNamespace(label=layout.label, operator=lambda *_, **__: None),
    )
    context = SimpleNamespace(
        screen=SimpleNamespace(is_animation_playing=False),
        region=SimpleNamespace(width=width),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
    )
    limb_notice.draw(layout, context, chain)
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_the_panel_says_that_a_render_does_not_show_live(width: int) -> None:
    chain = rigs.arm()
    rig = chain.id_data
    api.solve(rig)
    still = rows(chain, width)
    rig.two_bone_ik_live = True
    live = rows(chain, width)
    api.bake(rig, frames=(1, 3))
    covered = rows(chain, width)
    rig.two_bone_ik_live = False
    found = (still, live, covered, rows(chain, width))
    assert [[*filter(None, lines)] for lines in found] == [[], [NO_KEYS], [COVERED], []]
    assert len(set(map(len, found))) == 1

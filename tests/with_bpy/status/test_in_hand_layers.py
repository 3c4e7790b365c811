"""Two windows may show two view layers of one armature: each has a limb in hand."""

from __future__ import annotations

import bpy
import pytest
from bl_ext.user_default.two_bone_ik.blender.status import in_hand

from support import rigs

pytestmark = pytest.mark.versions


def test_each_view_layer_has_its_own_limb_in_hand() -> None:
    rig = rigs.armature()
    targets = [rigs.empty(name) for name in ("First", "Second")]
    for name, target in zip(("upper", "lower"), targets, strict=True):
        rigs.chain(rig, name, target=target)
    layers = [bpy.context.view_layer, bpy.context.scene.view_layers.new("Other")]
    for layer, target in zip(layers, targets, strict=True):
        for item in layer.objects:
            item.select_set(item == target, view_layer=layer)
        layer.objects.active = target
        layer.update()
    for layer in (*layers, *layers):
        layer.update()
        with bpy.context.temp_override(view_layer=layer, object=layer.objects.active):
            found = in_hand.limb_in_hand(bpy.context)
        assert found == (rig, layers.index(layer))

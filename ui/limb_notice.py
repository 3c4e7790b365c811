"""The state of a limb, in words and icons of limb_notice.toml, and the button that mends what hides it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpy.app.translations import pgettext_iface
from bpy.types import Context, UILayout

from ..blender.armatures import Rig, editable
from ..blender.messages.numbers import unit_name
from ..blender.messages.translation import translated
from ..blender.rigs.known_limbs import known_by_end
from ..blender.rigs.switch_property import property_label
from ..blender.settings.properties import TwoBoneIKChain
from ..blender.status.guides import CIRCLE
from ..blender.status.hiding import Hiding, can_be_set
from ..blender.status.limb_state import LimbState, State, limb_states
from .sidebar import wrapped

_STATES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("limb_notice.toml").read_text("utf-8"))


def look(context: Context, rig: Rig) -> Mapping[str, LimbState]:
    """Each limb of an armature, by the name of its chain, as it is evaluated."""
    playing = context.screen.is_animation_playing
    return limb_states(rig, context.scene, context.view_layer.depsgraph, playing=playing)


def short(context: Context, state: LimbState) -> str:
    """A word or two, in the user's language; "" where there is nothing to tell."""
    if state.refusal:
        return pgettext_iface(state.refusal.kind.replace("_", " ").capitalize())
    return _filled(context, state, "short")


def long(context: Context, state: LimbState) -> str:
    """A sentence, in the user's language; "" where there is nothing to be done."""
    return _filled(context, state, "long")


def angles(state: LimbState) -> str:
    """Degrees by which root and mid joint are turned; "" where the limb is not solved."""
    return translated("part.angles", root=state.angles[0], hinge=state.angles[1]) if state.angles else ""


def icon(state: LimbState) -> Any:
    """The sign of its state."""
    return _STATES[state.state]["icon"]


def sign(state: LimbState) -> list[Any]:
    """The lines of the sign of its state, around 0; none where it needs no sign."""
    notice = _STATES[state.state]
    return [*([CIRCLE] if notice.get("in_circle") else []), *notice.get("sign", [])]


def draw(layout: UILayout, context: Context, chain: TwoBoneIKChain) -> None:
    """What is to be known of the chain's limb, and what can be done about it. That it reaches needs no words.

    What comes and goes while a target moves has its place all the time, so that nothing below it jumps.
    """
    rig = chain.id_data
    state = look(context, rig)[chain.name]
    by, button = state.hiding, ""
    # That it has no target yet needs no words either, and that the armature is linked is told above the list.
    refusal = state.refusal if chain.target and editable(rig) else None
    text = str(refusal) if refusal else long(context, state)
    if by:
        name = property_label(by.switch)
        shows_others = pgettext_iface('The rig does not show this limb: "{name}" shows other bones in its place')
        hides = pgettext_iface('Constraint "{constraint}" of bone "{bone}" hides the pose')
        text = (hides if by.constraint else shows_others).format(name=name, constraint=by.constraint, bone=by.bone)
        button = pgettext_iface(_mending(chain, by)).format(name=name, value=by.value)
    elif chain.mute:
        button = pgettext_iface("Unmute Chain")
    lines = wrapped(context, text)
    covers = state.keyed and rig.two_bone_ik_live
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in lines:
        column.label(text=line, translate=False)
    if state.refusal and state.refusal.kind == "SHEAR":
        column.operator("two_bone_ik.set_aligned")
    if button:
        column.operator("two_bone_ik.reveal", text=button, translate=False)
    if covers:
        row = column.split(factor=0.68, align=True)  # the words are longer than the button's
        row.label(text="You see Live, not the keys")
        row.operator("two_bone_ik.live", text="Switch Off")
    for _ in range(_most_lines(context) - len(lines) - bool(button) - covers):
        column.label(text="")


def _mending(chain: TwoBoneIKChain, by: Hiding) -> str:
    """What the button says that lets the chain show; "" where only the user can."""
    rig = chain.id_data
    if not by.switch:
        return "Mute Constraint"
    if can_be_set(rig, by):
        return 'Set "{name}" to {value:g}'
    return "To FK" if chain.end_bone in known_by_end(rig) else ""


def _most_lines(context: Context) -> int:
    """How many lines the sentences take that come and go while a target moves."""
    states = (State.OFF_POLE, State.AS_SET, State.TOO_FAR, State.TOO_CLOSE, State.NOT_POSED, State.PULLED)
    examples = (LimbState(state=state, miss=0.888, cause="Limit Extension") for state in states)
    return max(len(wrapped(context, long(context, example))) for example in examples)


def _filled(context: Context, state: LimbState, length: str) -> str:
    template = _STATES[state.state].get(length, "")
    if not template:
        return ""
    distance = translated("part.length", unit=unit_name(context.scene), value=state.miss)
    item, scenes = state.away
    named = {"distance": distance, "cause": pgettext_iface(state.cause), "item": item, "scenes": scenes}
    return pgettext_iface(template).format(**named)

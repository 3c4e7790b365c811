"""The limb in hand: the one that panel, menus, operators and overlay act on.

The user selects an object or a bone. The limb that has this bone, or that reaches for this object or bone, is in hand.
An armature that is selected itself has its active chain in hand. Selection or active chain: whichever the user changed
last decides. So each view layer keeps in a property which limb was in hand with which selection, and undo and loading a
file bring back both.

Each redraw asks for it. While the selection stays, nothing is searched. When it changes, the chains of the scene's
armatures are searched, and none of its other objects.
"""

from typing import Any

from bpy.types import Context, Object, ViewLayer

from .. import versions
from ..armatures import Chain, Rig, editable, is_rig, local_armatures
from ..settings import keyed_options
from ..settings.properties import limb_bones

_MOST = 8
"""The most selected objects that are searched, and the most armatures that are remembered."""

_following: list[ViewLayer] = []

Selection = list[tuple[Object, str]]
"""Objects, each with the name of a bone, or "" if it is selected as a whole."""


def chain_in_hand(context: Context) -> Chain | None:
    """The chain of the limb in hand; None where the selection tells no limb."""
    limb = _found(context.view_layer, context.object)
    return limb[0].two_bone_ik_chains[limb[1]] if limb and limb[1] < len(limb[0].two_bone_ik_chains) else None


def rig_in_hand(context: Context) -> Rig | None:
    """The armature object of the limb in hand, or the one that is selected and may have no chain yet."""
    limb = _found(context.view_layer, context.object)
    return limb and limb[0]


def bone_in_hand(context: Context) -> str:
    """The bone that is selected in Pose Mode, otherwise the end bone of the limb in hand; "" without either."""
    rig, chain = rig_in_hand(context), chain_in_hand(context)
    if rig and rig.mode == "POSE":
        return _selected_bone(rig)
    return chain.end_bone if chain else ""


def missing(context: Context) -> str:
    """What the user has to do before an armature is in hand, in one sentence; "" where one is."""
    if context.mode.startswith("EDIT"):
        return "Leave Edit Mode: Go to Object Mode or Pose Mode"
    if context.mode not in {"OBJECT", "POSE"}:
        return "Go to Object Mode or Pose Mode"
    return "" if rig_in_hand(context) else "Select an armature or a target"


def linked(rig: Rig) -> str:
    """What the user has to do before this armature can be changed, in one sentence; "" where it can."""
    return "" if editable(rig) else "Linked: make an editable library override of the armature"


def notice(layer: ViewLayer) -> None:
    """Follow where the selection has changed; if it has not, the user may be at work in another view layer."""
    active = layer.objects.active
    if _kept(layer)[1] != _words(_selection(layer, active), active):
        follow(layer)


def follow(layer: ViewLayer) -> None:
    """The limb in hand becomes the active chain of its armature."""
    limb = _found(layer, layer.objects.active)
    if limb and editable(limb[0]) and limb[1] < len(limb[0].two_bone_ik_chains):
        rig, index = limb
        keyed_options.settle(rig)  # of a rig that was appended, or generated again
        if rig.two_bone_ik_active != index:
            _following.append(layer)
            rig.two_bone_ik_active = index
            _following.clear()
        _keep(layer, layer.objects.active, rig)


def search_again(layer: Any) -> None:
    """Follow the selection, whichever chain has been made active since it changed."""
    if layer.id_data.is_editable:
        layer.two_bone_ik_in_hand = "\n".join(("", "", *_kept(layer)[2:]))
    follow(layer)


def take(rig: Rig, context: Context) -> None:
    """Another chain of this armature was made active; with the armature in hand, that chain is from now on."""
    layer = context.view_layer
    limb = None if _following else _found(layer, layer.objects.active)
    if limb and limb[0] == rig and editable(rig):
        _keep(layer, layer.objects.active, rig)


def _found(layer: ViewLayer, active: Object | None) -> tuple[Rig, int] | None:
    """The armature in hand and the index of its chain, which is too high where none is active."""
    if active and active.mode not in {"OBJECT", "POSE"}:
        return None
    selection = _selection(layer, active)
    index, words, *names = _kept(layer)
    scene: Any = layer.id_data
    rigs = local_armatures(scene)
    if words == _words(selection, active):
        for rig in rigs:
            if rig.name == names[0]:
                return rig, int(index)
    places = {name: place for place, name in enumerate(names)}
    return _search(active, selection, sorted(rigs, key=lambda rig: places.get(rig.name, _MOST)))


def _kept(layer: Any) -> list[str]:
    """The index of a chain, the words for the selection, and names of armatures, that of the chain first."""
    return layer.two_bone_ik_in_hand.split("\n") if layer.two_bone_ik_in_hand else ["", ""]


def _keep(layer: Any, active: Object | None, rig: Rig) -> None:
    """Remember that the active chain of this armature is in hand, with the selection as it is."""
    names = dict.fromkeys((rig.name, *_kept(layer)[2:]))
    words = _words(_selection(layer, active), active)
    text = "\n".join((str(rig.two_bone_ik_active), words, *list(names)[:_MOST]))
    if layer.two_bone_ik_in_hand != text and layer.id_data.is_editable:
        layer.two_bone_ik_in_hand = text


def _words(selection: Selection, active: Object | None) -> str:
    return repr((active.name if active else "", [(item.name, bone) for item, bone in selection]))


def _selection(layer: ViewLayer, active: Object | None) -> Selection:
    """What is selected, the active object or bone first; that alone where nothing is selected."""
    if is_rig(active) and active.mode == "POSE":
        return [(active, _selected_bone(active))]
    selected = list(layer.objects.selected[:_MOST])
    # A script may have put another object in the place of the active one.
    if active and (not selected or active != layer.objects.active or active.select_get(view_layer=layer)):
        selected = list(dict.fromkeys((active, *selected)))
    return [(item, "") for item in selected]


def _selected_bone(rig: Rig) -> str:
    """The name of the active bone, or of the first that is selected, where the active bone is not."""
    bones, active = versions.selectable_bones(rig), rig.data.bones.active
    name = active.name if active else ""
    if name in bones and bones[name].select:
        return name
    return next((bone.name for bone in bones if bone.select), name)


def _search(active: Object | None, selection: Selection, rigs: list[Rig]) -> tuple[Rig, int] | None:
    """If several armatures fit, the active one, otherwise the first; of its limbs, the active one."""
    own = active if is_rig(active) else None
    rigs = [own, *rigs] if own else rigs
    if own and (own, "") in selection:
        # A user who selects an armature as a whole wants that one, and its limb if the target is selected too.
        if own.two_bone_ik_chains:
            rigs = [own]
        else:
            selection = [(own, "")]
    for item, bone in selection:
        for rig in rigs:
            limbs = _limbs(rig, item, bone)
            if limbs:
                chains, index = rig.two_bone_ik_chains, rig.two_bone_ik_active
                return rig, index if index in limbs else min(limbs, key=lambda limb: chains[limb].mute)
    own = own or next((item for item, _ in selection if is_rig(item)), None)
    return (own, own.two_bone_ik_active) if own else None


def _limbs(rig: Rig, item: Object, bone: str) -> list[int]:
    """Indices of the chains of `rig` that have this bone; otherwise of those that reach for it or bend towards it."""
    chains = list(enumerate(rig.two_bone_ik_chains))
    if rig == item:
        having = [index for index, chain in chains if bone and bone in limb_bones(rig, chain)]
        if having or not bone:
            return having
    reaching = [(index, chain) for index, chain in chains if item in (chain.target, chain.pole_target)]
    if not bone:
        return [index for index, _ in reaching]
    goals = [(i, ((c.target, c.subtarget), (c.pole_target, c.pole_subtarget))) for i, c in reaching]
    return [index for index, pair in goals if (item, bone) in pair] or _of_known_limb(rig, item, bone)


def _of_known_limb(rig: Rig, item: Object, bone: str) -> list[int]:
    """Indices of the chains on the limb of a known rig that has this bone, as a control of FK or of IK."""
    from ..rigs.known_limbs import limb_having

    limb = limb_having(rig, bone) if rig == item else None
    return [index for index, chain in enumerate(rig.two_bone_ik_chains) if limb and chain.end_bone == limb.fk[1]]

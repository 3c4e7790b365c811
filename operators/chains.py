"""Edit the chains of the armature in hand: by hand, from its limbs, from each other; and copy what they are set to."""

from math import degrees
from typing import Any

from bpy.app.translations import pgettext_iface, pgettext_tip
from bpy.types import Context, OperatorProperties

from ..blender.armatures import Rig
from ..blender.options import option
from ..blender.settings.properties import TwoBoneIKChain, chain_fields, is_from_library
from .armature_operator import ArmatureOperator, ChainOperator, api, in_hand


class TWO_BONE_IK_OT_chain_add(ArmatureOperator):
    """Add a chain that ends with the active bone and starts with its parent"""

    bl_label = "Add Two-Bone IK Chain"

    @classmethod
    def lacks(cls, _context: Context, rig: Rig) -> str:
        return "" if rig.data.bones.active else "Select the end bone of a limb, such as a forearm, in Pose Mode"

    def run(self, context: Context, rig: Rig) -> None:
        api.add_chain(rig, rig.data.bones.active.name)


class TWO_BONE_IK_OT_chains_detect(ArmatureOperator):
    """Find arms and legs by the names of the bones or by their structure, and add a chain for each that has none"""

    bl_label = "Detect Two-Bone IK Limbs"
    takes_selected = True

    # Not remembered: who wanted fingers once may not want them the next time.
    kinds: option("chains", "kinds")
    spread_twist: option("chains", "spread_twist")

    def run(self, context: Context, rig: Rig) -> None:
        from ..blender.bake.chain import twists_found

        added = api.add_detected(rig, self.kinds)
        if added:
            in_hand.search_again(context.view_layer)  # the last of them is active, though the user has not chosen it
        names = ", ".join(limb.chain for limb in added)
        self.inform("note.added_to" if names else "note.nothing_to_add_to", rig=rig.name, chains=names)
        chains = [rig.two_bone_ik_chains[limb.chain] for limb in added]
        self._tell_hocks(rig, [chain for chain in chains if chain.hock_bone])
        twisting = [chain for chain in chains if twists_found(rig, chain).bones]
        for chain in twisting:
            chain.use_twist = self.spread_twist
        if twisting and not self.spread_twist:
            self.inform("note.has_twist_bones", chains=", ".join(chain.name for chain in twisting))

    def _tell_hocks(self, rig: Rig, chains: list[TwoBoneIKChain]) -> None:
        from ..blender.chains import hock_fit

        at_rest: dict[str, list[str]] = {}
        for chain in chains:
            hock = chain_fields()["hock"].enum_items[chain.hock].name
            if apart := hock_fit.by_keys(rig, chain):
                off, other = map(degrees, apart.values())
                self.inform("note.hock_by_keys", chain=chain.name, hock=hock, off=off, other=other)
            else:
                at_rest.setdefault(hock, []).append(chain.name)
        for hock, names in at_rest.items():
            self.inform("note.hock_at_rest", chains=", ".join(names), hock=hock)


class _ListOperator(ChainOperator):
    @classmethod
    def lacks(cls, context: Context, rig: Rig) -> str:
        if lacks := super().lacks(context, rig):
            return lacks
        chain = in_hand.chain_in_hand(context)
        if chain is None:
            return "Select a chain in the list"
        return "The chain belongs to the library of the armature: mute it instead" if is_from_library(chain) else ""


class TWO_BONE_IK_OT_chain_remove(_ListOperator):
    """Remove the active chain; bones and keys stay as they are"""

    bl_label = "Remove Two-Bone IK Chain"

    def run(self, context: Context, rig: Rig) -> None:
        api.remove_chain(rig, *self.active_names(rig))


class TWO_BONE_IK_OT_chain_move(_ListOperator):
    """Move the active chain in the list"""

    bl_label = "Move Two-Bone IK Chain"

    direction: option("chains", "direction")

    def run(self, context: Context, rig: Rig) -> None:
        step = -1 if self.direction == "UP" else 1
        index = min(max(rig.two_bone_ik_active + step, 0), len(rig.two_bone_ik_chains) - 1)
        rig.two_bone_ik_chains.move(rig.two_bone_ik_active, index)
        rig.two_bone_ik_active = index


class TWO_BONE_IK_OT_side_decide(ChainOperator):
    """Choose the side to which the active chain bends, for limbs that are all but straight at rest"""

    bl_label = "Decide Two-Bone IK Side"

    axis: option("chains", "axis")

    def run(self, context: Context, rig: Rig) -> None:
        api.decide_side(rig, self.active_names(rig), axis=self.axis)


class TWO_BONE_IK_OT_twist_share(ArmatureOperator):
    """Let the place of a twist bone between the joints give its share, or set that by hand from now on"""

    bl_label = "Set Share of Twist"

    twist_bone: option("chains", "twist_bone")
    twist_share: option("chains", "twist_share")

    def run(self, context: Context, rig: Rig) -> None:
        bone: Any = rig.pose.bones.get(self.twist_bone)
        if bone is None:
            raise api.Refused("NO_BONE.for_share", object=rig, bone=self.twist_bone)
        bone.two_bone_ik_twist = self.twist_share


class TWO_BONE_IK_OT_set_aligned(ChainOperator):
    """Set Inherit Scale to Aligned on the bones that the stretch of the active chain would shear"""

    bl_label = "Set Inherit Scale to Aligned"

    def run(self, context: Context, rig: Rig) -> None:
        bones = ", ".join(api.set_aligned(rig, self.active_names(rig)))
        self.inform("note.aligned" if bones else "note.none_sheared", bones=bones)


class TWO_BONE_IK_OT_settings_copy(ChainOperator):
    """Give other chains the settings of the active one; on the other side they are mirrored"""

    bl_label = "Copy Two-Bone IK Settings"

    to: option("chains", "to")
    sections: option("chains", "sections")

    @classmethod
    def description(cls, _context: Context, properties: OperatorProperties) -> str:
        """Names what the button copies, and to which chains."""
        items = properties.rna_type.properties["sections"].enum_items
        sections = ", ".join(pgettext_iface(items[name].name) for name in items.keys() if name in properties.sections)
        mirrored = properties.to == "OTHER_SIDE"
        template = "Copy {}, mirrored, to the other side" if mirrored else "Copy {} to all chains of the armature"
        return pgettext_tip(template).format(sections)

    def run(self, context: Context, rig: Rig) -> None:
        [chain] = self.active_names(rig)
        copy = api.mirror_settings if self.to == "OTHER_SIDE" else api.copy_settings
        copied = copy(rig, chain, sections=self.sections)
        names = ", ".join(copied)
        self.inform("note.copied" if names else "note.no_other_chain", chains=names)
        for sentence in filter(None, copied.values()):
            self.report({"WARNING"}, sentence)

"""Which chains an armature has, and what they are set to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from bpy.types import Object, Scene

from ..blender.armatures import Chain, Rig
from ..blender.bake.build_plan import chosen_chains, scene_of
from ..blender.bake.chain import bones_below, chain_bones
from ..blender.bake.request import alone
from ..blender.chains import hinge_side, inherit_scale, new_chains, setup_file
from ..blender.chains.copy_settings import SECTIONS, copy, known_sections, mirror
from ..blender.chains.detect import find_limbs
from ..blender.chains.detect.find_limbs import Kind, Limb
from ..blender.chains.field_values import set_fields, unchanged_on_error
from ..blender.chains.setup_file import Setup
from ..blender.messages.refused import Refused
from ..blender.scene.checks import given_rig, refuse_unposable
from ..blender.settings.properties import chain_of, is_from_library
from ..blender.takeover.option_animation import animate
from ..blender.takeover.takeover import Takeover, measured_differences, takeovers
from ..blender.targets.create_targets import DEFAULT, create_all
from .options import ChainOptions


def add_chain(rig: Object, end_bone: str, **fields: Unpack[ChainOptions]) -> Chain:
    """Add a chain that ends in this bone, named after it, and return it; `fields` are its options: see `ChainOptions`.

    Where its rest pose is too straight to tell the side to bend to, and no field does, the keys of its bones tell, as
    with `decide_side`.

    raises : Refused where the bones make no chain, where the end bone has one, unless either is muted, for an unknown
        option, or for a value that an option cannot have

    >>> chain = api.add_chain(rig, "forearm.R", target=hand, unreachable="STRETCH")
    >>> chain.name, chain.bend
    ('forearm.R', 'REST')
    """
    return new_chains.add_chain(given_rig(rig), end_bone, **fields)


def ensure_chain(rig: Object, end_bone: str, **fields: Unpack[ChainOptions]) -> Chain:
    """The chain that ends in this bone, with these `fields` set and all others as they are; added where there is none.

    So a script that sets up a rig may run twice. Of several chains with this end bone, the first that is not muted.

    raises : as `add_chain` does; then the chain is as it was

    >>> chain = api.ensure_chain(rig, "forearm.L", softness=0.5)
    >>> len(rig.two_bone_ik_chains), chain.target.name, chain.softness
    (1, 'Hand', 0.5)
    """
    rig = given_rig(rig)
    chain = chain_of(rig, end_bone)
    if chain is None:
        return add_chain(rig, end_bone, **fields)
    refuse_unposable(rig)
    chain_bones(rig, end_bone, str(fields.get("root_bone", chain.root_bone)), chain.name)
    with unchanged_on_error(rig):
        set_fields(chain, fields)
        bones_below(rig, chain, chain.end_bone)
    return chain


def remove_chain(rig: Object, chain: str) -> None:
    """Remove the chain of this name; its bones and targets, and all keys, stay as they are.

    raises : Refused where there is none, or where it belongs to the library of the armature

    >>> api.remove_chain(rig, "forearm.L")
    >>> len(rig.two_bone_ik_chains)
    0
    """
    rig = given_rig(rig)
    (item,) = chosen_chains(rig, [chain])
    if is_from_library(item):
        raise Refused("OF_LIBRARY", chain=item)
    chains, index, active = rig.two_bone_ik_chains, rig.two_bone_ik_chains.find(chain), rig.two_bone_ik_active
    chains.remove(index)
    # What is active stays so; if it goes, the one that comes next is, or the last.
    rig.two_bone_ik_active = max(0, min(active - (index < active), len(chains) - 1))


def detect(rig: Object, kinds: Collection[str] = ("ARMS", "LEGS")) -> tuple[Limb, ...]:
    """The limbs that the armature has, by the names of its bones or by its structure, and why; nothing is added.

    kinds : any of ARMS, LEGS, FINGERS and SPINE

    >>> for limb in api.detect(rig):
    ...     print(limb.name, limb.end_bone, limb.chain or "has no chain", limb.why, sep=", ")
    Arm.L, forearm.L, forearm.L, Named so: "upper_arm.L", "forearm.L"
    Arm.R, forearm.R, has no chain, Named so: "upper_arm.R", "forearm.R"
    """
    return find_limbs.limbs(given_rig(rig), Kind.several(kinds))


def add_detected(rig: Object, kinds: Collection[str] = ("ARMS", "LEGS")) -> tuple[Limb, ...]:
    """Add a chain for each limb that `detect` finds and that has none yet, and return these limbs.

    A chain with a tip bone follows the rotation of its target; one whose bones have keys has the reference POSE, and
    of a leg with a hock the kind that the keys fit better. On a known rig chains are on the FK controls, and get the
    bones that its IK reaches for as targets and poles.

    raises : Refused where no limb is found at all

    >>> [(limb.chain, limb.end_bone) for limb in api.add_detected(rig)]
    [('Arm.R', 'forearm.R')]
    """
    return new_chains.add_detected(given_rig(rig), kinds)


@alone()
def chains_from_constraints(rig: Object, *, scene: Scene | None = None) -> tuple[Takeover, ...]:
    """Add a chain for each IK constraint of two bones that poses the rig as it does, and return what was found.

    One of three bones gets a chain with a hock, whose third bone turns with the bone that it fits better on the keyed
    frames, and the takeover tells by how many degrees the constraint turns it otherwise.

    One of one bone on the root bone, an elbow control, is the pole target of the chain of the two bones, if both
    constraints act fully and nothing else pulls them; the takeover tells how far joints are apart on this frame.

    A chain takes the animation of its constraint along: influence, pole angle, and whether it acts. The constraints go
    on acting until a bake mutes them. Those whose bones have a chain with a target are left out; a
    chain without one, as `add_detected` adds them, gets that of the constraint.

    raises : Refused for a known rig, such as a generated Rigify rig: `switch` goes from its IK to its FK

    >>> constraint = rig.pose.bones["forearm.R"].constraints.new("IK")
    >>> constraint.target, constraint.chain_count = hand, 1
    >>> for takeover in api.chains_from_constraints(rig):
    ...     print(takeover)
    Constraint "IK" of bone "forearm.R": no chain
      It moves one bone, and a chain has two: set its Chain Length to 2
    """
    rig = given_rig(rig)
    refuse_unposable(rig)
    scene = scene_of(rig, scene)
    candidates = list(takeovers(rig, scene))
    names = {limb.end_bone: limb.name for limb in find_limbs.limbs(rig, set(Kind)) if not limb.chain}
    return tuple(_taken(rig, scene, takeover, names) if takeover.fields else takeover for takeover in candidates)


def _taken(rig: Rig, scene: Scene, takeover: Takeover, names: Mapping[str, str]) -> Takeover:
    """names : that of a new chain by its end bone, where detect has one"""
    end = takeover.fields["end_bone"]
    named: dict[str, Any] = {"name": names[end]} if end in names else {}
    chain = ensure_chain(rig, **named, **takeover.fields)
    animate(rig, chain.end_bone, scene, takeover.animations)
    constraint: Any = rig.pose.bones[takeover.bone].constraints[takeover.constraint]
    differences = measured_differences(constraint, chain, scene)
    return replace(takeover, chain=chain.name, differs=(*takeover.differs, *differences))


def set_aligned(rig: Object, chains: Sequence[str] | None = None) -> list[str]:
    """Set Inherit Scale to Aligned on the bones that the stretch of these chains would shear; the names of the bones.

    A chain with Out of Reach set to Stretch is refused while such a bone has Full, which is Blender's default.

    >>> rig.two_bone_ik_chains["forearm.L"].unreachable = "STRETCH"
    >>> api.set_aligned(rig)
    ['forearm.L']
    >>> rig.data.bones["forearm.L"].inherit_scale
    'ALIGNED'
    """
    return inherit_scale.set_aligned(given_rig(rig), chains)


def decide_side(rig: Object, chains: Sequence[str] | None = None, *, axis: str = "KEYS") -> None:
    """Choose the side to which the chains bend: by positive angles about an axis of the end bone.

    axis : X, Z, NEG_X, NEG_Z; or KEYS, that of them about which the keys of the chain's own bones bend it most, which
        leaves chains as they are whose rest pose bends by 3 degrees or more
    raises : Refused where a chain has no keys that bend it; then no chain has changed

    >>> api.decide_side(rig, axis="NEG_X")
    >>> rig.two_bone_ik_chains["forearm.L"].hinge_axis, rig.two_bone_ik_chains["forearm.L"].bend
    ('NEG_X', 'POSITIVE')
    """
    rig = given_rig(rig)
    refuse_unposable(rig)
    axes = [(chain, hinge_side.chosen(rig, chain, axis)) for chain in chosen_chains(rig, chains)]
    for chain, chosen in axes:
        if chosen:
            hinge_side.decide(chain, chosen)


def copy_settings(
    rig: Object, chain: str, to: Sequence[str] | None = None, *, sections: Collection[str] = tuple(SECTIONS)
) -> dict[str, str]:
    """Give other chains the settings of this one; those on the other side get them mirrored.

    to : names of chains; None for all that are not muted
    sections : any of TARGET, BONES, BEND and REACH, as in the panel. Targets, bones, shares of twist that were set by
        hand, and hinge axis go to the chain of the same limb on the other side only, with .L and .R exchanged in names;
        every other chain keeps its own
    returns : by chain what keeps its poses from being mirror images, "" if nothing does
    raises : Refused where bones or chains do not exist; then no chain has changed

    >>> _ = api.add_detected(rig)
    >>> chain = api.ensure_chain(rig, "forearm.L", pole_angle=0.5, use_bend_limits=True, bend_max=2.0)
    >>> api.copy_settings(rig, "forearm.L", sections=["BEND"])
    {'Arm.R': ''}
    >>> rig.two_bone_ik_chains["Arm.R"].pole_angle, rig.two_bone_ik_chains["Arm.R"].bend_max
    (-0.5, 2.0)
    """
    rig = given_rig(rig)
    refuse_unposable(rig)
    sections = known_sections(sections)
    [source] = chosen_chains(rig, [chain])
    others = [other for other in chosen_chains(rig, to) if other != source]
    return copy(rig, source, others, sections)


def mirror_settings(rig: Object, chain: str, *, sections: Collection[str] = tuple(SECTIONS)) -> dict[str, str]:
    """Give the chain of the same limb on the other side the settings of this one, mirrored as `copy_settings` does it.

    A chain is added where there is none.

    raises : Refused where there is no other side; then no chain has changed

    >>> api.mirror_settings(rig, "forearm.L")
    {'forearm.R': ''}
    >>> rig.two_bone_ik_chains["forearm.R"].end_bone
    'forearm.R'
    """
    rig = given_rig(rig)
    refuse_unposable(rig)
    [source] = chosen_chains(rig, [chain])
    return mirror(rig, source, known_sections(sections))


def save_setup(rig: Object, path: str | PathLike[str], *, create_targets: bool = False) -> None:
    """Write all chains of the armature to a setup file in TOML, for this rig elsewhere and for others like it.

    create_targets : chains that have no target get one where the setup is applied

    >>> api.save_setup(rig, path)
    >>> print(path.read_text())
    # Two-Bone IK chains of 'Hero'
    <BLANKLINE>
    [[chain]]
    name = "forearm.L"
    end_bone = "forearm.L"
    target = "Hand"
    <BLANKLINE>
    """
    setup_file.save(given_rig(rig), Path(path), create_targets=create_targets)


def load_setup(path: str | PathLike[str]) -> Setup:
    r"""Read a setup file, which does not need a rig yet; `Refused` names what in the file does not fit.

    >>> _ = path.write_text('[[chain]]\nend_bone = "forearm.?"\ntarget = "Hand"\nbnd = "NEAREST"\n')
    >>> try:
    ...     api.load_setup(path)
    ... except api.Refused as refused:
    ...     print(str(refused).replace(str(path), "hero.toml"))
    Chain 1 of "hero.toml" has "bnd", which means nothing: the nearest is "bend"
    """
    return setup_file.load(Path(path))


@alone()
def apply_setup(rig: Object, setup: Setup) -> list[str]:
    r"""Give the armature the chains of a setup and return their names; those of the same name change, others stay.

    raises : Refused where the rig has no such bone or the file no such object; then no chain has changed

    >>> _ = path.write_text('[[chain]]\nend_bone = "forearm.?"\ntarget = "Hand"\n')
    >>> api.apply_setup(rig, api.load_setup(path))
    ['forearm.L', 'forearm.R']
    """
    rig = given_rig(rig)
    return setup_file.apply(rig, setup, lambda names: create_all({rig: names}, None, DEFAULT, choose_settings=False))

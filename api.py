"""The Python interface, for scripts and for everything else of this extension: plain functions over objects.

None of them needs a context, a selection or a mode. `chains` are names of chains, None for all that are not muted;
`frames` is (start, end) or (start, end, step), None for the scene's range; `scene` is by default the first that holds
the armature. A request that cannot be carried out raises `Refused`, and then nothing has changed:

    >>> try:
    ...     api.bake(rig, ["leg.L"])
    ... except api.Refused as refused:
    ...     print(refused.kind, refused.object, refused.value)
    UNKNOWN_CHAIN Hero leg.L

The examples are run as tests. In them `rig` is an armature with two arms and one chain, "forearm.L", which follows
`hand`, an empty that moves from frame 1 to 10; `path` is that of a file which is not there yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from bpy.types import Object, PropertyGroup, Scene

from .blender import bend_limits, markers, pipeline, setup_file, targets
from .blender.errors import Refused
from .blender.pipeline import Steps, read
from .blender.pipeline.channel import Keys, KeyStyle
from .blender.pipeline.read.chain import chain_bones
from .blender.pipeline.sample import Sampling
from .blender.properties import chain_fields
from .blender.report import ChainReport, Report
from .blender.setup_file import Setup
from .solver.values import Bend

__all__ = [
    "ChainReport",
    "KeyStyle",
    "Keys",
    "Refused",
    "Report",
    "Setup",
    "Steps",
    "add_chain",
    "apply_setup",
    "bake",
    "bake_targets",
    "baking",
    "check",
    "create_targets",
    "flip_bend",
    "load_setup",
    "remove_markers",
    "save_setup",
    "snap_targets",
    "solve",
    "take_bend_limits",
]


def bake(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: read.Frames | None = None,
    *,
    scene: Scene | None = None,
    keys: str = "EVERY_FRAME",
    tolerance: float = 1e-3,
    interpolation: str = "BEZIER",
    key_type: str = "KEYFRAME",
    new_action: bool = False,
    mute_constraints: bool = True,
    sampling: str = "AUTO",
) -> Report:
    """Key the rotations of the chains' bones so that the tips follow their targets.

    keys : EVERY_FRAME; TARGET_KEYS, only those frames on which target or pole target have keys; REDUCED, as few as keep
        joints within `tolerance`, in world units, on every frame
    interpolation, key_type : as Blender's `Keyframe.interpolation` and `Keyframe.type`
    new_action : key a copy of the armature's action and leave the action itself as it is
    mute_constraints : mute the IK constraints that would hide the keys
    sampling : AUTO, CURVES, ISOLATED or SCENE

    >>> report = api.bake(rig, frames=(1, 10))
    >>> print(report)
    forearm.L: 10 of 10 frames reached
    >>> report.reached, float(report.chains[0].miss.max()) < 1e-5
    (True, True)
    >>> api.Report.from_json(report.to_json()).reached
    True
    """
    style = KeyStyle(
        keys=Keys(keys),
        tolerance=tolerance,
        interpolation=interpolation,
        key_type=key_type,
        new_action=new_action,
    )
    return pipeline.run(
        baking(rig, chains, frames, scene=scene, style=style, mute_constraints=mute_constraints, sampling=sampling)
    )


def baking(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: read.Frames | None = None,
    *,
    scene: Scene | None = None,
    style: KeyStyle,
    mute_constraints: bool = True,
    sampling: str = "AUTO",
) -> Steps:
    """A bake bit by bit: yields the part that is done, then returns the report; closed early, it leaves no trace.

    >>> for done in api.baking(rig, frames=(1, 10), style=api.KeyStyle(), sampling="ISOLATED"):
    ...     assert 0.0 <= done <= 1.0
    """
    way = Sampling(sampling)
    return pipeline.bake(rig, chains, frames, scene, way=way, style=style, mute_constraints=mute_constraints)


def check(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: read.Frames | None = None,
    *,
    scene: Scene | None = None,
    sampling: str = "AUTO",
    add_markers: bool = False,
) -> Report:
    """The report that a bake would give; no key is written.

    add_markers : put timeline markers where a chain falls short or flips, in place of those of the last check

    >>> hand.animation_data_clear()
    >>> hand.location = (3, 0, 1)
    >>> print(api.check(rig, frames=(1, 10), add_markers=True))
    forearm.L: 0 of 10 frames reached
      too far on 10 frames (1-10), by up to 1.156
    >>> [marker.name for marker in scene.timeline_markers]
    ['Too Far: forearm.L']
    """
    report = pipeline.run(pipeline.check(rig, chains, frames, scene, way=Sampling(sampling)))
    if add_markers:
        markers.replace(scene or rig.users_scene[0], report)
    return report


def remove_markers(rig: Object, *, scene: Scene | None = None) -> None:
    """Take away the markers that checks of this armature's chains have put on the timeline.

    >>> api.remove_markers(rig)
    """
    for found in [scene] if scene else rig.users_scene:
        markers.remove(found, [chain.name for chain in rig.two_bone_ik_chains])


def flip_bend(rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None) -> Report:
    """Bend the chains the other way from how they bend now, and pose them so.

    >>> report = api.flip_bend(rig)
    >>> rig.two_bone_ik_chains["forearm.L"].bend
    'NEGATIVE'
    """
    for name, sign in pipeline.bends(rig, chains, scene).items():
        rig.two_bone_ik_chains[name].bend = Bend.NEGATIVE if sign > 0 else Bend.POSITIVE
    return solve(rig, chains, scene=scene)


def solve(
    rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None, insert_keys: bool = False
) -> Report:
    """Pose the chains for the scene as it stands, on its current frame; key them where `insert_keys` is set.

    >>> print(api.solve(rig))
    forearm.L: 1 of 1 frames reached
    """
    return pipeline.pose(rig, chains, scene, insert_keys=insert_keys)


def create_targets(rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None) -> Report:
    """Create empties for the target and pole target that chains lack, placed so that the pose does not move.

    >>> chain = api.add_chain(rig, "forearm.R")
    >>> print(api.create_targets(rig, ["forearm.R"]))
    forearm.R: 1 of 1 frames reached
    Created "forearm.R Target"
    Created "forearm.R Pole"
    """
    return targets.create(rig, chains, scene)


def snap_targets(
    rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None, insert_keys: bool = False
) -> Report:
    """Move target and pole target to where the pose is that shows; key them where `insert_keys` is set.

    >>> print(api.snap_targets(rig))
    forearm.L: 1 of 1 frames reached
    """
    return pipeline.snap_targets(rig, chains, scene, insert_keys=insert_keys)


def bake_targets(
    rig: Object,
    chains: Sequence[str] | None = None,
    frames: read.Frames | None = None,
    *,
    scene: Scene | None = None,
    sampling: str = "AUTO",
) -> Report:
    """Key target and pole target so that they follow the pose that shows: a bake gives it back.

    >>> report = api.bake_targets(rig, frames=(1, 10))
    """
    return pipeline.run(pipeline.bake_targets(rig, chains, frames, scene, way=Sampling(sampling)))


def take_bend_limits(rig: Object, chains: Sequence[str] | None = None) -> None:
    """Limit the bend of the chains by the IK limits of their end bones.

    >>> forearm = rig.pose.bones["forearm.L"]
    >>> forearm.use_ik_limit_z, forearm.ik_min_z, forearm.ik_max_z = True, -2.0, 0.0
    >>> api.take_bend_limits(rig)
    >>> rig.two_bone_ik_chains["forearm.L"].use_bend_limits
    True
    """
    for chain in read.chosen(rig, chains):
        bend_limits.take(rig, chain)


def add_chain(rig: Object, end_bone: str, **fields: object) -> PropertyGroup:
    """Add a chain that ends in this bone, named after it, and return it; `fields` are properties of the chain.

    raises : Refused where the bones make no chain; TypeError, AttributeError or ValueError for fields that do not fit

    >>> chain = api.add_chain(rig, "forearm.R", target=hand, unreachable="STRETCH")
    >>> chain.name, chain.bend
    ('forearm.R', 'REST')
    """
    read.refuse_unposable(rig)
    chain_bones(rig, end_bone, str(fields.get("root_bone", "")))
    known = chain_fields()
    for name in fields:
        # Blender would take any name, and nobody would ever read it.
        if name not in known:
            raise AttributeError(f'a chain has no field "{name}"')
    chain = rig.two_bone_ik_chains.add()
    try:
        chain.end_bone = end_bone
        for name, value in {"name": end_bone, **fields}.items():
            setattr(chain, name, value)
    except (AttributeError, TypeError, ValueError):
        rig.two_bone_ik_chains.remove(len(rig.two_bone_ik_chains) - 1)
        raise
    rig.two_bone_ik_active = len(rig.two_bone_ik_chains) - 1
    return chain


def save_setup(rig: Object, path: str | PathLike[str]) -> None:
    """Write all chains of the armature to a setup file in TOML, for this rig elsewhere and for others like it.

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
    setup_file.save(rig, Path(path))


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


def apply_setup(rig: Object, setup: Setup) -> list[str]:
    r"""Give the armature the chains of a setup and return their names; those of the same name change, others stay.

    raises : Refused where the rig has no such bone or the file no such object; then no chain has changed

    >>> _ = path.write_text('[[chain]]\nend_bone = "forearm.?"\ntarget = "Hand"\n')
    >>> api.apply_setup(rig, api.load_setup(path))
    ['forearm.L', 'forearm.R']
    """
    return setup_file.apply(rig, setup)

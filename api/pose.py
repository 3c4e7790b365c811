"""From targets to the pose of one frame: solved, bent the other way, or pulled."""

from collections.abc import Sequence

from bpy.types import Object, Scene

from ..blender.bake import pose as pose_steps
from ..blender.bake.build_plan import scene_of
from ..blender.bake.report import Report
from ..blender.bake.request import Request, alone
from ..blender.chains.detect.find_limbs import Limb
from ..blender.live.drag import Drag
from ..blender.scene.checks import given_rig
from ..blender.scene.pose_before import posing
from ..blender.settings.key_settings import inserted
from ..blender.targets import flip as flip_steps
from .command import command


@alone()
def flip_bend(rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None) -> Report:
    """Bend the chains the other way from how they bend now, and pose them so.

    A pole target moves to the other side, and so do its keys: the chain still bends towards it. Where there is none, or
    it cannot be moved, or does not decide alone (Pole Influence below 1), Bend is set to the other solution.

    >>> report = api.flip_bend(rig)
    >>> rig.two_bone_ik_chains["forearm.L"].bend
    'NEGATIVE'
    """
    rig = given_rig(rig)
    with posing(rig) as pose_before:
        return flip_steps.flip(rig, chains, scene, pose_before)


@command
def solve(
    rig: Object, chains: Sequence[str] | None = None, *, scene: Scene | None = None, insert_keys: bool | str = False
) -> Request:
    """Pose the chains for the scene as it is, on its current frame; key them where `insert_keys` is set.

    Where Live poses a chain already, Solve starts from the pose before Live, and so gives the same pose again. The
    report tells, as that of a bake does, where Blender then shows a chain in another pose.

    insert_keys : True, or as auto keying would: AVAILABLE, only properties that have an F-curve; REPLACE, only those
        that have a key on this frame

    >>> print(api.solve(rig))
    forearm.L: 1 of 1 frames reached
    """
    rig = given_rig(rig)
    return pose_steps.pose(rig, chains, scene, insert_keys=inserted(insert_keys), posing=posing(rig))


@alone()
def drag(rig: Object, chain: str | Limb, *, scene: Scene | None = None, insert_keys: bool | str = False) -> Drag:
    """Begin to drag a limb through space by its tip or its mid joint, from its current pose; see `Drag`.

    chain : its name; or a limb that `detect` has found and that has no chain, and it gets none
    insert_keys : as for `solve`

    >>> drag = api.drag(rig, "forearm.L")
    >>> drag.to((0.6, -0.2, 1.3))
    >>> drag.finish()
    []
    >>> arm = next(limb for limb in api.detect(rig) if not limb.chain)
    >>> drag = api.drag(rig, arm)
    >>> drag.bend_towards((-0.6, 0.4, 1.0))
    >>> drag.finish()
    []
    """
    rig = given_rig(rig)
    return Drag(rig, chain, scene_of(rig, scene), insert_keys=inserted(insert_keys))

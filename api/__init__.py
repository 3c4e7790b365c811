"""The Python interface, for scripts and for everything else of this extension: plain functions over objects.

None of them needs a context, a selection or a mode. `chains` are names of chains, or one name; None for all that are
not muted. `frames` is (start, end) or (start, end, step), or a `range`, whose stop is no frame of it; None for the
scene's range, unless the function says otherwise. `scene` is by default the first that holds the armature. A request
that cannot be carried out raises `Refused`, and then nothing has changed:

    >>> try:
    ...     api.bake(rig, ["leg.L"])
    ... except api.Refused as refused:
    ...     print(refused.kind, refused.object, refused.value)
    UNKNOWN_CHAIN Hero leg.L

What may take long has its request too, as `bake.request`, called like `bake` itself. Its `prepare()` yields the part
that is done and changes nothing, its `write()` changes the file and gives the report. A request that is closed before
that leaves no trace. A loop over the request itself goes through both:

    >>> for done in api.bake_targets.request(rig, frames=(1, 10)):
    ...     assert 0.0 <= done <= 1.0

    bake : Bake, Check and their markers, for one armature or many
    build : limbs built into the rig, or taken out
    chains : the list of chains, their settings, setup files, detection and takeover
    command : how a function gets its `request`, and one for each of several actions
    holds : holds made, updated, removed
    options : the keyword arguments, as types for editors
    plant : Plant, and when feet stand
    pose : one frame: Solve, Flip, Drag
    switch : known limbs, and FK or IK
    takes : import of a capture
    targets : targets created, removed, snapped, keyed, moved, pinned

What is imported here is the interface. The examples are run as tests. In them `rig` is an armature with two arms and
one chain, "forearm.L", which follows `hand`, an empty that moves from frame 1 to 10; `path` is that of a file which is
not there yet.
"""

from ..blender.armatures import Chain, Rig
from ..blender.bake.chain_report import ChainReport
from ..blender.bake.foot_report import FootReport
from ..blender.bake.report import Report
from ..blender.bake.request import Request, write_together
from ..blender.chains.detect.find_limbs import Kind, Limb
from ..blender.chains.setup_file import Setup
from ..blender.extension import VERSION as __version__
from ..blender.live.drag import Drag
from ..blender.messages.refused import Refused
from ..blender.rigs.rig_files import KnownLimb
from ..blender.settings.key_settings import Keys, KeyStyle, Measure
from ..blender.takeover.takeover import Takeover
from ..blender.targets.target_names import TargetKind
from ..skeleton.feet.feet import Contact
from ..solver.feet.contacts import Stillness
from .bake import bake, check, followed_first, remove_markers
from .build import build, unbuild
from .chains import (
    add_chain,
    add_detected,
    apply_setup,
    chains_from_constraints,
    copy_settings,
    decide_side,
    detect,
    ensure_chain,
    load_setup,
    mirror_settings,
    remove_chain,
    save_setup,
    set_aligned,
)
from .holds import hold, remove_hold, update_holds
from .options import BakeOptions, ChainOptions
from .plant import contacts, plant
from .pose import drag, flip_bend, solve
from .switch import known_limb_of, known_limbs, switch
from .takes import import_take
from .targets import bake_targets, change_target_space, create_targets, pin, snap_targets, target_keys

__all__ = ["Chain", "ChainReport", "Contact", "Drag", "FootReport", "KnownLimb", "Limb", "Report", "Request", "Rig"]
__all__ += ["BakeOptions", "ChainOptions", "KeyStyle", "Keys", "Kind", "Measure", "Setup", "Stillness", "TargetKind"]
__all__ += ["Refused", "Takeover", "__version__", "write_together"]
__all__ += ["bake", "build", "check", "drag", "flip_bend", "followed_first", "remove_markers", "solve", "unbuild"]
__all__ += ["add_chain", "add_detected", "chains_from_constraints", "detect", "ensure_chain", "remove_chain"]
__all__ += ["apply_setup", "copy_settings", "decide_side", "load_setup", "mirror_settings", "save_setup", "set_aligned"]
__all__ += ["bake_targets", "change_target_space", "create_targets", "pin", "snap_targets", "target_keys"]
__all__ += ["hold", "known_limb_of", "known_limbs", "remove_hold", "switch", "update_holds"]
__all__ += ["contacts", "import_take", "plant"]

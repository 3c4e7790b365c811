"""The Python interface, for scripts and for everything else of this extension: plain functions over objects.

None of them needs a context, a selection or a mode. `chains` are names of chains, or one name; None for all that are
not muted. `frames` is (start, end) or (start, end, step), or a `range`, whose stop is no frame of it; None for the
scene's range. `scene` is by default the first that holds the armature. A request that cannot be carried out raises
`Refused`, and then nothing has changed:

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

What is imported here is the interface; `as` says so to editors and mypy. The examples are run as tests. In them `rig`
is an armature with two arms and one chain, "forearm.L", which follows `hand`, an empty that moves from frame 1 to 10;
`path` is that of a file which is not there yet.
"""

import inspect

from ..blender.armatures import Chain as Chain
from ..blender.armatures import Rig as Rig
from ..blender.bake.chain_report import ChainReport as ChainReport
from ..blender.bake.foot_report import FootReport as FootReport
from ..blender.bake.report import Report as Report
from ..blender.bake.request import Request as Request
from ..blender.bake.request import write_together as write_together
from ..blender.chains.detect.find_limbs import Kind as Kind
from ..blender.chains.detect.find_limbs import Limb as Limb
from ..blender.chains.setup_file import Setup as Setup
from ..blender.extension import VERSION as __version__  # noqa: F401
from ..blender.live.drag import Drag as Drag
from ..blender.messages.refused import Refused as Refused
from ..blender.rigs.rig_files import KnownLimb as KnownLimb
from ..blender.settings.key_settings import Keys as Keys
from ..blender.settings.key_settings import KeyStyle as KeyStyle
from ..blender.settings.key_settings import Measure as Measure
from ..blender.takeover.takeover import Takeover as Takeover
from ..blender.targets.new_targets import TargetKind as TargetKind
from ..blender.targets.new_targets import TargetParent as TargetParent
from ..skeleton.feet.feet import Contact as Contact
from ..solver.feet.contacts import Stillness as Stillness
from .bake import bake as bake
from .bake import check as check
from .bake import followed_first as followed_first
from .bake import remove_markers as remove_markers
from .build import build as build
from .build import unbuild as unbuild
from .chains import add_chain as add_chain
from .chains import add_detected as add_detected
from .chains import apply_setup as apply_setup
from .chains import chains_from_constraints as chains_from_constraints
from .chains import decide_side as decide_side
from .chains import detect as detect
from .chains import ensure_chain as ensure_chain
from .chains import load_setup as load_setup
from .chains import remove_chain as remove_chain
from .chains import save_setup as save_setup
from .chains import set_aligned as set_aligned
from .chains import taking_part as taking_part
from .holds import hold as hold
from .holds import remove_hold as remove_hold
from .holds import update_holds as update_holds
from .options import BakeOptions as BakeOptions
from .options import ChainOptions as ChainOptions
from .plant import contacts as contacts
from .plant import plant as plant
from .pose import drag as drag
from .pose import flip_bend as flip_bend
from .pose import solve as solve
from .settings import copy_settings as copy_settings
from .settings import mirror_settings as mirror_settings
from .switch import known_limb_of as known_limb_of
from .switch import known_limbs as known_limbs
from .switch import switch as switch
from .takes import import_take as import_take
from .targets import bake_targets as bake_targets
from .targets import change_target_space as change_target_space
from .targets import create_targets as create_targets
from .targets import pin as pin
from .targets import remove_targets as remove_targets
from .targets import snap_targets as snap_targets
from .targets import target_keys as target_keys

__all__ = [
    name for name, item in globals().items() if name == "__version__" or not (name[0] == "_" or inspect.ismodule(item))
]

"""The command `detect`: finds the limbs of a rig and writes a setup file for them."""

import sys
from argparse import Namespace

from .. import api
from ..blender.chains.rigs import rig_files
from . import blend_file
from .outcome import ExitStatus


def run(arguments: Namespace) -> int:
    """List the limbs of the rig and write their chains if an output is named; the exit status."""
    file = blend_file.named_or_open(arguments.file)
    if arguments.output:
        blend_file.refuse_overwriting([file], [arguments.output])
    if arguments.file:
        blend_file.load(file, enable_autoexec=arguments.enable_autoexec)
    (rig,) = blend_file.rigs(file, arguments.rig or "", with_chains=False)
    for note in rig_files.notes():
        print(f"two_bone_ik: {note}", file=sys.stderr)
    for limb in api.detect(rig):
        print(f"{limb.name}: {limb.end_bone}. {limb.why}")
    api.add_detected(rig)
    if arguments.output:
        api.save_setup(rig, arguments.output, create_targets=True)
    return ExitStatus.DONE

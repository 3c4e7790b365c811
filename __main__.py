"""`python -m two_bone_ik bake …`: the command line beside a bpy wheel, where there is no `blender --command`.

Python has to find the package by this name: unpacked into a folder of `sys.path`, or with PYTHONPATH set to the folder
of extensions that holds it.
"""

import os
import sys

import bpy

from . import register
from .command_line import main, standard_streams

if __name__ == "__main__":
    # As enabled in the preferences, which are always those of the factory here.
    bpy.context.preferences.addons.new().module = __package__
    register()
    status = main.main(sys.argv[1:], [sys.executable, "-m", __package__], f"python -m {__package__}")
    standard_streams.tell("", end="")  # what scripts and argparse have left in the buffer of stdout
    os._exit(status)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers

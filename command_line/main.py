"""The command line: `blender shot.blend --command two_bone_ik bake …`, or `python -m two_bone_ik` with a bpy wheel.

It ends with an `ExitStatus`. If that is not 0, one line on stderr gives the reason.
"""

import sys
import traceback
from collections.abc import Sequence

from ..blender.messages.refused import Refused
from . import detect, interrupt, run_command, standard_streams
from .arguments import parser
from .outcome import ExitStatus


def main(argv: Sequence[str], program: Sequence[str], usage: str) -> int:
    """Carry out the command and return the exit status.

    argv : the arguments, from the name of the command on
    program : the command line before them, with which other processes are started
    usage : what users write before the name of a command
    """
    standard_streams.prepare()
    try:
        with interrupt.heard():
            arguments = parser(usage).parse_args(argv)
            if arguments.command == "detect":
                return detect.run(arguments)
            return run_command.run(arguments, [*program, *argv])
    except Refused as refused:
        standard_streams.complain(refused)
        return ExitStatus.USAGE if refused.kind == "ARGUMENTS" else ExitStatus.REFUSED
    except KeyboardInterrupt:
        standard_streams.complain("interrupted")
        return ExitStatus.INTERRUPTED
    except SystemExit as end:  # argparse has printed its help
        return int(end.code or 0)
    except Exception:  # noqa: BLE001  (our bug, for which Blender has an exit status of its own)
        standard_streams.tell(traceback.format_exc(), end="", stream=sys.stderr)
        return ExitStatus.CRASHED

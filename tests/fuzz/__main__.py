"""Random scenes against an oracle of its own: `make fuzz SCENES=20000 SEED=1`.

Each scene ends refused and untouched, or done and with every word of its report true. A failure prints its seed and
the smallest scene that has it; `--seed` with `--scenes 1` plays one again, `--scene` one that was printed.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
from pathlib import Path
from types import SimpleNamespace

from support.blender_process import MODULE, start_blender

CHECKOUT = Path(__file__).parents[2]


def arguments() -> argparse.Namespace:
    """What the user asked for."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--scenes", type=int, default=2000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first; each further one has the next")
    parser.add_argument(
        "--only", default="", help="scenes of one kind, by its number or name, or of several at once: 24,live"
    )
    parser.add_argument("--counts", action="store_true", help="how often each kind of scene came up, and how it ended")
    parser.add_argument("--failures", type=int, default=10, help="end after so many")
    parser.add_argument("--scene", help="a scene as it was printed, instead of one drawn")
    parser.add_argument("--keep-size", action="store_true", help="do not shrink scenes that fail")
    parser.add_argument("--trace", action="store_true", help="print each seed ahead of its scene, should Blender crash")
    return parser.parse_args()


def main(process: SimpleNamespace) -> None:
    """Runs the scenes; the process ends with 1 where one failed."""
    given = arguments()
    (start_blender(process) / "two_bone_ik").symlink_to(CHECKOUT)
    import addon_utils

    assert addon_utils.enable(MODULE, default_set=True), "the add-on was not enabled; Blender has said why"
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    from fuzz import run

    process.exitstatus = run.scenes(given)


if __name__ == "__main__":
    process = SimpleNamespace(exitstatus=2)
    faulthandler.enable()
    main(process)
    sys.exit(process.exitstatus)

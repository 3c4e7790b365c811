"""Runs inside of Blender: writes three shots and their manifest, the second of them broken.

Usage:
    blender --background --python make_shots.py -- FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import season

folder = Path(sys.argv[-1])
for number, kind in enumerate(("good", "truncated", "good"), 1):
    season.make_shot(folder / f"{number}.blend", kind, number)
(folder / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
(folder / "season.toml").write_text("".join(f'[[shot]]\nfile = "{number}.blend"\n' for number in (1, 2, 3)))

"""Manifests of many shots: what a farm's task costs that does one of a hundred thousand.

`make bench` installs the extension and runs this file with the Python of a Blender wheel. Each run starts a Blender,
which reads its arguments and the manifest, chooses the shot, and tries to open its file, which is not there. On a busy
machine all of it takes longer; how much longer, `tomllib` tells, which alone takes 1.5 to 2.2 s on a quiet one.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import bpy

PACKAGE = "bl_ext.user_default.two_bone_ik"
SHOTS = 100_000
CHOSEN = 77_777
ROUNDS = 3
MOST = 1.0
"""Seconds of processor time that the other shots may cost."""


def season(folder: Path, count: int) -> Path:
    """A manifest of so many shots with names and frames."""
    path = folder / f"{count}.toml"
    shots = range(1, count + 1)
    path.write_text(
        "".join(
            f'[[shot]]\nname = "walk_{shot}"\nfile = "seq{shot // 100:04}/walk{shot:06}.blend"\nframes = "1:{shot}"\n\n'
            for shot in shots
        )
    )
    return path


def seconds(manifest: Path, shot: object) -> float:
    """Processor time of a Blender that does this shot; the least of several runs."""
    command = [sys.executable, "-m", "two_bone_ik", "bake", "--manifest", manifest, "--shot", shot]
    command += ["--output-dir", manifest.parent / "out"]
    found = []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert "No such file" in ended.stdout + ended.stderr, ended
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def main() -> None:
    """Print a row for a shot chosen by number, and one for a shot chosen by name."""
    import addon_utils  # on the path since bpy is imported

    module = addon_utils.enable(PACKAGE, default_set=True)
    os.environ["PYTHONPATH"] = str(Path(module.__file__).parents[1])
    print(f"Blender {bpy.app.version_string}; seconds of processor time for one shot")
    with tempfile.TemporaryDirectory() as name:
        one, many = (season(Path(name), count) for count in (1, SHOTS))
        begun = time.process_time()
        tomllib.loads(many.read_text())
        print(f"tomllib alone takes {time.process_time() - begun:.2f} for {SHOTS} shots")
        least = seconds(one, 1)
        for way, shot in (("number", CHOSEN), ("name", f"walk_{CHOSEN}")):
            found = seconds(many, shot)
            verdict = "yes" if found - least <= MOST else "NO"
            title = f"of one | of {SHOTS}, by {way}"
            print(f"{title:52}{least:8.2f}{found:8.2f}   at most {MOST:g} more: {verdict}", flush=True)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 hangs and 4.2 crashes in its exit handlers

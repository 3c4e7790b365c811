"""Python inside a file runs when the command was told so, whatever Blender's preferences allow."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from support.waiting import SECONDS

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("enabled")]

TRUSTING = """
import json, os, sys
import bpy, two_bone_ik
from two_bone_ik.command_line import main
bpy.context.preferences.filepaths.use_scripts_auto_execute = True
bpy.context.preferences.addons.new().module = "two_bone_ik"
two_bone_ik.register()
lines = json.loads(sys.argv[2]) if sys.argv[1] == "all" else [sys.argv[1:]]
status = max(main.main(line, [sys.executable, __file__], "two_bone_ik") for line in lines)
sys.stdout.flush()
os._exit(status)
"""
"""As the package's own start, with the preference Auto Run Python Scripts on, and for many lines one after another."""

SUBCOMMANDS = {
    "one": "bake {shot} --setup {folder}/setup.toml --output {out}/baked.blend",
    "detect": "detect {shot}",
    "many": "bake --manifest {shot}.toml --output-dir {out}",
    "pool": "bake --manifest {shot}.toml --output-dir {out} --jobs 1",
}


def write_shot(path: Path) -> None:
    """A file whose Python leaves marks beside it where it runs: a registered text, and a driver."""
    from support import season

    season.make_shot(path)
    text = bpy.data.texts.new("startup.py")
    text.use_module = True
    text.write("import bpy\nopen(bpy.data.filepath + '.text', 'w').close()")
    driver = bpy.data.objects["Target"].driver_add("location", 2).driver
    driver.expression = "open(bpy.data.filepath + '.driver', 'w').close() or 1.4"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def test_scripts_run_only_where_the_command_says_so(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "trusting.py").write_text(TRUSTING)
    (tmp_path / "setup.toml").write_text('chain = [{end_bone = "lower", target = "Target"}]')
    write_shot(tmp_path / "shot.blend")
    lines = []
    # Blender lets scripts run for longer than the file that was opened with them: those come last.
    for option in ([], ["--enable-autoexec"]):
        for name, line in SUBCOMMANDS.items():
            out = tmp_path / " ".join([name, *option])
            out.mkdir()
            shot = Path(shutil.copy(tmp_path / "shot.blend", out / "shot.blend"))
            manifest = f'shot = [{{file = "shot.blend", setup = "{tmp_path}/setup.toml"}}]'
            shot.with_name("shot.blend.toml").write_text(manifest)
            words = line.replace(" ", "\n").format(shot=shot, folder=tmp_path, out=out / "out").splitlines()
            lines.append([*words, *option])
    line = [sys.executable, str(tmp_path / "trusting.py"), "all", json.dumps(lines)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    assert "Traceback (most" not in done.stderr
    for name in SUBCOMMANDS:
        assert marks(tmp_path / name) == set()
        assert marks(tmp_path / f"{name} --enable-autoexec") == {"shot.blend.text", "shot.blend.driver"}


def marks(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.suffix in (".text", ".driver")}

"""An option is declared once: what is made from its row has it, and a check tells where it has to be written out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.declared_options import ADDED, faults

pytestmark = pytest.mark.once

CHECKOUT = Path(__file__).parents[3]
EXTENSION = ("solver", "skeleton", "blender", "api", "operators", "ui", "command_line", "docs")
FILES = ("__init__.py", "__main__.py", "blender_manifest.toml")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The extension with four options more, in resources of its own."""
    folder = tmp_path / "resources/extensions/user_default/two_bone_ik"
    for name in EXTENSION:
        shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "images"))
    for name in FILES:
        shutil.copy(CHECKOUT / name, folder)
    with (folder / "blender/options.toml").open("a", encoding="utf-8") as file:
        file.write(ADDED)
    return folder


def test_every_option_is_where_it_is_written_out() -> None:
    assert faults(CHECKOUT) == []


def test_an_added_option_is_at_every_door(copy: Path, tmp_path: Path) -> None:
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path / "resources")}
    command = [sys.executable, CHECKOUT / "tests/support/declared_options.py", tmp_path]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    doors = json.loads(run.stdout.splitlines()[-1])
    assert [door for door, is_there in doors.items() if not is_there] == []


def test_where_an_added_option_has_to_be_written_is_told(copy: Path) -> None:
    assert sorted(faults(copy)) == [
        "api/bake.py: bake lacks ghost",
        "api/options.py: BakeOptions lacks ghost",
        "api/options.py: ChainOptions lacks sway",
        "api/options.py: ChainOptions lacks twin_bone",
        "api/plant.py: plant lacks stiff",
        "blender/armatures.py: Chain lacks sway",
        "blender/armatures.py: Chain lacks twin_bone",
        "blender/settings/key_settings.py: KeySettings lacks ghost",
        "command_line/shot.py: Shot lacks ghost",
        "docs/command_line_and_python.md lacks stiff",
        "docs/reference.md lacks ghost",
        "docs/reference.md lacks sway",
        "docs/reference.md lacks twin_bone",
        "ui lacks sway",
        "ui lacks twin_bone",
        "ui lacks two_bone_ik_stiff",
    ]


@pytest.mark.parametrize(
    ("file", "before", "after", "fault"),
    [
        (
            "api/options.py",
            "    softness: float\n",
            "    softness: int\n",
            "softness of ChainOptions is int, not float",
        ),
        ("api/options.py", '"AIM", ', "", "plane of ChainOptions is Literal['AUTO', 'POLE', 'REST'], not"),
        ("api/options.py", "    softness: float\n", "    softness: float\n    old: float\n", "ChainOptions has old"),
        ("solver/feet/contacts.py", "speed: float = 0.15", "speed: float = 0.2", "default of speed is 0.2, not 0.15"),
        ("blender/settings/key_settings.py", '= "BEZIER"', '= "LINEAR"', "default of interpolation is 'LINEAR'"),
    ],
)
def test_what_is_written_otherwise_is_told(copy: Path, file: str, before: str, after: str, fault: str) -> None:
    shutil.copy(CHECKOUT / "blender/options.toml", copy / "blender/options.toml")
    text = (copy / file).read_text("utf-8")
    (copy / file).write_text(text.replace(before, after), "utf-8")
    assert [line for line in faults(copy) if fault in line] == faults(copy) != []

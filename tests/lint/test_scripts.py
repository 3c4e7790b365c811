"""What mypy says of scripts: those of README and manual, and one that names the types of all results."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections import defaultdict
from pathlib import Path

import pytest

from support.blender_types import BLENDERS, environment
from support.manual import CHECKOUT, blocks

PAGES = ["README.md", *sorted(path.relative_to(CHECKOUT).as_posix() for path in CHECKOUT.glob("docs/*.md"))]
PASTED = {
    f"{page}, {number}": script
    for page in PAGES
    for number, script in enumerate(blocks(page, "python"))
    if not any(name in script for name in ("two_bone_ik_solver", "import Client", "import ray"))
}
"""By page and number. Those of the solver as a library, and of clusters, have tests of their own."""

RESULTS = """
from typing import assert_type

import bpy
import numpy as np
from bl_ext.user_default.two_bone_ik import api
from numpy.typing import NDArray

Floats = NDArray[np.float64]
rig = bpy.data.objects["Hero"]
report = api.bake(rig)
assert_type(report, api.Report)
assert_type(api.bake([rig]), list[api.Report])
assert_type(api.bake(item for item in bpy.data.objects if item.type == "ARMATURE"), list[api.Report])
assert_type(api.bake((rig,)), list[api.Report])
for given in (api.check(rig), api.solve(rig), api.flip_bend(rig), api.snap_targets(rig), api.bake_targets(rig)):
    assert_type(given, api.Report)
for given in (api.hold(rig), api.update_holds(rig), api.pin(rig), api.plant(rig), api.switch(rig, "FK")):
    assert_type(given, api.Report)
assert_type(api.create_targets(rig), api.Report)
assert_type(api.create_targets([rig]), list[api.Report])
assert_type(api.change_target_space(rig, space=(rig, "chest")), api.Report)
for request in (api.bake.request(rig), api.bake_targets.request(rig)):
    assert_type(request, api.Request)
for request in (api.plant.request(rig), api.hold.request(rig), api.update_holds.request(rig), api.solve.request(rig)):
    assert_type(request, api.Request)
for request in (api.switch.request(rig, "IK"), api.change_target_space.request(rig, space=None)):
    assert_type(request, api.Request)
    assert_type(request.write(), api.Report)
    assert_type([*request.prepare()], list[float])
assert_type(api.write_together([request]), list[api.Report | api.Refused])
assert_type(api.followed_first([rig]), list[api.Rig])
assert_type(api.contacts(rig)[0].start, float)
assert_type(api.detect(rig)[0].end_bone, str)
assert_type(api.add_detected(rig)[0].chain, str)
assert_type(api.known_limbs(rig)[0].fk, tuple[str, ...])
assert_type(api.known_limb_of(rig, "hand_ik.L"), api.KnownLimb)
assert_type(api.chains_from_constraints(rig)[0].chain, str)
assert_type(api.target_keys(rig), list[float])
assert_type(api.apply_setup(rig, api.load_setup("hero.toml")), list[str])
assert_type(api.copy_settings(rig, "arm.L"), dict[str, str])
assert_type(api.mirror_settings(rig, "arm.L"), dict[str, str])
assert_type(api.drag(rig, "arm.L").finish(), list[str])
assert_type(api.drag(rig, "arm.L").tip, tuple[float, ...])

assert_type(report.reached, bool)
assert_type(report.posed, bool)
assert_type(report.worst, tuple[float, float] | None)
assert_type(report.to_know, int)
assert_type(report.title, str)
assert_type(report.notes, tuple[str, ...])
assert_type(report.lines(), list[str])
assert_type(api.Report.from_json(report.to_json()), api.Report)
assert_type(report.chains, tuple[api.ChainReport, ...])
assert_type(report.chains[0].miss, Floats)
assert_type(report.chains[0].status, NDArray[np.int8])
assert_type(report.chains[0].measured, NDArray[np.bool_])
assert_type(report.chains[0].worst, tuple[float, float] | None)
assert_type(report.feet[0].before, tuple[float, float])

for chain in (api.add_chain(rig, "forearm.L", softness=0.1), api.ensure_chain(rig, "forearm.L", target=rig)):
    assert_type(chain, api.Chain)
    assert_type(chain.name, str)
    assert_type(chain.target, bpy.types.Object | None)
    assert_type(chain.softness, float)
    assert_type(chain.use_rotation, bool)
"""

FAULTS = """
import bpy
from bl_ext.user_default.two_bone_ik import api

rig = bpy.data.objects["Hero"]
api.bake("Hero")  # a name
api.bake(bpy.context.object)  # perhaps None
api.bake(rig, keys=3)
api.bake(rig, tolernce=0.1)
api.bake([rig]).chains
api.add_chain(rig, "forearm.L", softnes=0.1)
api.add_chain(rig, "forearm.L", bend="NEARST")
rig.two_bone_ik_chains
api.check(rig).chans
"""


@pytest.fixture(scope="module", params=BLENDERS)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> defaultdict[str, list[str]]:
    """What mypy says of each script by the types of a Blender, strictly and set up as the manual says.

    One run for all of them: most of its time goes to the extension, which they import.
    """
    folder, extensions = tmp_path_factory.mktemp("scripts"), tmp_path_factory.mktemp("extensions")
    (extensions / "user_default").mkdir()
    (extensions / "user_default/two_bone_ik").symlink_to(CHECKOUT)
    python = folder / ".venv/bin/python"
    venv.create(python.parents[1], symlinks=True)
    packages = Path("lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
    (python.parents[1] / packages / "types.pth").write_text(str(environment(request.param) / packages), "utf-8")
    (python.parents[1] / packages / "bl_ext").symlink_to(extensions)
    scripts = {**PASTED, "results": RESULTS, "faults": FAULTS}
    files = {f"script_{number}.py": name for number, name in enumerate(scripts)}
    for file, name in files.items():
        (folder / file).write_text(scripts[name], "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", f"--python-executable={python}", "--no-error-summary", *files]
    run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, timeout=300)
    lines = defaultdict(list)
    for line in run.stdout.splitlines():
        file, _, rest = line.partition(":")
        lines[files.get(file, file)].append(rest)
    return lines


def test_scripts_of_the_manual_are_typed_strictly(told: defaultdict[str, list[str]]) -> None:
    assert len(PASTED) > 6
    assert {name: lines for name, lines in told.items() if name not in {"results", "faults"}} == {}


def test_results_of_the_interface_have_their_types(told: defaultdict[str, list[str]]) -> None:
    assert told["results"] == []


def test_what_is_wrong_in_a_script_is_found(told: defaultdict[str, list[str]]) -> None:
    first = FAULTS.splitlines().index('api.bake("Hero")  # a name') + 1
    wrong = {line.split(":")[0] for line in told["faults"] if ": error:" in line}
    assert wrong == {str(number) for number in range(first, len(FAULTS.splitlines()) + 1)}, told["faults"]

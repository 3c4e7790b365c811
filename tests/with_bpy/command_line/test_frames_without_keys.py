"""Frames without keys in the files of a run: report and arrays have what the file plays once it is opened again."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from bl_ext.user_default.two_bone_ik import api

from support.command import run
from support.json_schema import faults
from support.rigs import animate, arm
from support.truth import Limb

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "schemas" / "report.schema.json").read_text("utf-8"))
FRAMES = range(1, 21)


def baked(folder: Path, suffix: str, far: bool, *options: object) -> int:
    """The exit status of a bake of an arm whose target has three keys, the second out of reach if it is `far`."""
    chain = arm(unreachable="SKIP" if far else "CLAMP")
    on_the_way = (2.9, -1.2, 1.9) if far else (0.3, -1.2, 1.9)
    animate(chain.target, location={1: (1.2, -0.5, 1.2), 10: on_the_way, 20: (-0.8, -0.9, 1.1)})
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES[0], FRAMES[-1]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
    files = "--output", folder / f"baked{suffix}", "--report", folder / "report.json"
    return run("bake", folder / "shot.blend", *files, "--keys", "EVERY_FRAME" if far else "TARGET_KEYS", *options)


def played(path: Path) -> np.ndarray:
    """(n,) distance from tip to target in a file."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return Limb().offs(FRAMES)


@pytest.mark.parametrize("far", [False, True], ids=["target keys", "skip"])
def test_report_and_arrays_tell_what_plays(tmp_path: Path, empty_file: None, far: bool) -> None:
    assert baked(tmp_path, ".blend", far, "--strict", "--measure", "ALL") == 3
    truth = played(tmp_path / "baked.blend")
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert faults(report, SCHEMA) == []
    [chain] = api.Report.from_dict(report["reports"][0]).chains
    np.testing.assert_allclose(chain.miss, truth, atol=1e-5)
    assert report["summary"][0]["chains"][0]["worst_miss"] == pytest.approx(truth.max(), abs=1e-5)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert baked(tmp_path, ".npz", far) == 0
    with np.load(tmp_path / "baked.npz") as arrays:
        np.testing.assert_allclose(arrays["miss"][:, 0], truth, atol=1e-5)
        off = truth > 1e-3
        assert off.sum() > 2
        assert (arrays["status"][off, 0] == (1 if far else -1)).all()
        assert np.isnan(arrays["angles"][off]).all()


def test_strict_with_a_distance_takes_what_plays_between_keys(tmp_path: Path, empty_file: None) -> None:
    assert baked(tmp_path, ".blend", False) == 0
    worst = played(tmp_path / "baked.blend").max()
    for strict, status in ((worst + 0.001, 0), (worst - 0.001, 3)):
        bpy.ops.wm.read_homefile(use_empty=True)
        assert baked(tmp_path, ".blend", False, "--strict", strict) == status


def test_what_nobody_measured_is_null_in_json(tmp_path: Path, empty_file: None) -> None:
    assert baked(tmp_path, ".blend", False, "--strict", "--measure", "NONE") == 0
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert faults(report, SCHEMA) == []
    assert report["reports"][0]["chains"][0]["miss"].count(None) == 17
    assert report["summary"][0]["chains"][0]["unmeasured"] == 17

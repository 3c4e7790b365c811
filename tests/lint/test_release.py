"""The workflows: they call the Makefile and hold no logic, and what they take from others is pinned."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from support import release
from support.manual import CHECKOUT

WORKFLOWS = sorted((CHECKOUT / ".github/workflows").glob("*.yml"))
MAKEFILE = (CHECKOUT / "Makefile").read_text("utf-8")
SYSTEM = ("sudo apt-get update", "sudo apt-get install --yes --no-install-recommends $LIBRARIES")
"""The steps that are no targets: what wheels of Blender load."""
PINNED = re.compile(r"uses: actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def jobs(path: Path) -> dict[str, dict]:
    return yaml.safe_load(path.read_text("utf-8"))["jobs"]


def commands() -> Iterator[str]:
    """The lines that are run, each with the values of a matrix filled in."""
    for path in WORKFLOWS:
        for job in jobs(path).values():
            for values in job.get("strategy", {}).get("matrix", {}).get("include", [{}]):
                for step in job["steps"]:
                    yield re.sub(
                        r"\$\{\{ matrix\.(\w+) \}\}", lambda word, values=values: values[word[1]], step.get("run", "")
                    )


RUN = sorted(set(commands()) - {"", *SYSTEM})


@pytest.mark.parametrize("command", RUN)
def test_every_step_is_a_target_of_the_makefile(command: str) -> None:
    assert command.startswith("make ")
    words = [word for word in command.split() if not word.startswith("PYTHON=")]
    given = ["TAG=v1", "WEBSITE=https://a.b/"]
    run = subprocess.run([*words, "--dry-run", *given], cwd=CHECKOUT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    for target in (word for word in words[1:] if "=" not in word):
        assert re.search(rf"^[\w -]*\b{target}\b[\w -]*:", MAKEFILE, re.MULTILINE), target


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_pinned_by_its_commit(path: Path) -> None:
    lines = [line.strip(" -") for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    assert lines
    assert [line for line in lines if not PINNED.match(line)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_reads_unless_a_job_says_more(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    written = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    publishing = {"publish": {"contents": "write"}, "pages": {"pages": "write", "id-token": "write"}}
    assert written == (publishing if path.stem == "release" else {})
    assert "secrets." not in path.read_text("utf-8")


def test_a_release_is_tested_on_every_wheel() -> None:
    wheels = re.findall(r"^WHEELS_OF_(\S+) := (.*)$", MAKEFILE, re.MULTILINE)
    tested = {
        name: jobs(CHECKOUT / f".github/workflows/{name}.yml")["tests"]["strategy"]["matrix"]
        for name in ("test", "release")
    }
    pairs = {name: [(each["python"], each["blender"]) for each in matrix["include"]] for name, matrix in tested.items()}
    assert pairs["release"] == [(python, wheel) for python, listed in wheels for wheel in listed.split()]
    assert pairs["test"] == [pairs["release"][0], pairs["release"][-1]]


def test_a_tag_of_another_version_is_refused() -> None:
    release.tag(f"v{release.version()}")
    for name in (release.version(), f"v{release.version()}.1", ""):
        with pytest.raises(SystemExit, match=release.version()):
            release.tag(name)


def test_the_notes_are_of_this_version_alone() -> None:
    notes = release.notes()
    assert notes in (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    assert "\n## " not in notes
    assert "The first version" not in notes


def test_all_files_say_the_same_address() -> None:
    library = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert library["urls"] == {"Documentation": release.MANIFEST["website"]}


@pytest.mark.parametrize("website", ["", "two-bone-ik.html", "https://a.b"])
def test_what_is_no_address_of_a_folder_is_refused(website: str) -> None:
    with pytest.raises(SystemExit, match="no address"):
        release.address(website)

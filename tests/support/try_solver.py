"""Tries the solver as pip has installed it: python -I try_solver.py, in an environment with nothing else."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.manual import CHECKOUT, blocks

NAME = "two_bone_ik_solver"


def main() -> None:
    """Import each module of the checkout from where it was installed, and paste what README and manual say."""
    package = Path(importlib.import_module(NAME).__file__ or "").parent
    assert not package.is_relative_to(CHECKOUT / NAME), package
    assert (package / "py.typed").is_file(), package
    modules = [path for room in ("solver", "skeleton") for path in sorted((CHECKOUT / room).glob("*.py"))]
    for path in modules:
        module = importlib.import_module(f"{NAME}.{path.parent.name}.{path.stem}".removesuffix(".__init__"))
        assert module.__file__ == str(package / path.relative_to(CHECKOUT)), module
    assert importlib.import_module(NAME).__version__ == distribution(NAME).version
    subprocess.run([sys.executable, "-I", "-m", NAME], check=True, timeout=60)
    examples = [*blocks(f"{NAME}/README.md", "python"), *blocks("docs/solver.md", "python")]
    assert examples
    for example in examples:
        exec(example, {})
    beside = {found.name for found in distributions()} - {NAME}
    assert beside == {"numpy"}, beside
    others = {name.partition(".")[0] for name in sys.modules} & {"bpy", "mathutils"}
    assert not others, others
    version = distribution(NAME).version
    print(f"{NAME} {version}: {len(modules)} modules and {len(examples)} examples, with NumPy alone")


main()

"""An ament prefix before the built one: `ros2 run` and the supervisor find nodes there that can be broken."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graph.fault_injection.switches import VARIABLE

TESTS = Path(__file__).parents[2]
BREAKABLE = {
    "openral_sim": ("sim", "graph.fault_injection.faulty_sim"),
    "openral_perception_ros": ("detector", "graph.fault_injection.faulty_detector"),
    "openral_reasoner_ros": ("reasoner", "graph.fault_injection.faulty_reasoner"),
}
"""Package -> its executable, and the module that stands in for it."""


@contextmanager
def overlaid(folder: Path) -> Iterator[None]:
    """Processes started meanwhile find the breakable nodes, and their switches in ``folder``/switches."""
    for package, (executable, module) in BREAKABLE.items():
        _write(folder / "prefix", package, executable, module)
    added = {
        "AMENT_PREFIX_PATH": f"{folder / 'prefix'}:{os.environ['AMENT_PREFIX_PATH']}",
        "PYTHONPATH": ":".join(filter(None, (os.environ.get("PYTHONPATH"), str(TESTS)))),
        VARIABLE: str(folder / "switches"),
    }
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _write(prefix: Path, package: str, executable: str, module: str) -> None:
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True, exist_ok=True)
    (index / package).touch()
    script = prefix / "lib" / package / executable
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(f"#!{sys.executable}\nfrom {module} import main\n\nmain()\n")
    script.chmod(0o755)

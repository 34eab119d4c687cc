"""Build and test packages one by one in workspaces that hold nothing but what they declare; print a table.

    tools/env python tools/isolated_packages.py [PACKAGE ...]

A workspace has the package, the packages of this repository that its package.xml names, and those that they
need at run time. Interfaces are linked from the build of this checkout (`make robot`), the declared ones
alone; wheels and ROS come from the virtual environment. Beside the packages lie `conftest.py`,
`pyproject.toml`, `examples`, and the modules and recorded interfaces of `tests/`, which the tests of all
packages share.
"""

import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workspace.environments import DEFAULTS, build_environment
from workspace.packages import Package, find_packages
from workspace.paths import Layout
from workspace.ros_sources import RosSource, find_ros

SHARED = ("conftest.py", "pyproject.toml", "colcon.meta")
RUN_TAGS = ("depend", "exec_depend", "build_depend", "build_export_depend")
DEFAULT_BUILD = (
    *(
        "openral_msgs",
        "openral_rskills",
        "openral_robots",
        "openral_scenes",
        "openral_core",
        "openral_mapping",
    ),
    *("openral_reasoner", "openral_ros", "openral_world_state", "openral_perception_ros", "openral_recorder"),
    *("openral_reasoner_ros", "openral_skills_ros", "openral_mcp", "openral_console", "openral_sim"),
    "openral_bringup",
)
QUIET = ("--event-handlers", "console_direct-", "console_stderr-", "status-", "desktop_notification-")


@dataclass(frozen=True)
class Outcome:
    """Result of one package; ``tests`` is None if it was not built or registers no test."""

    package: str
    beside: int
    built: bool
    tests: dict[str, int] | None
    seconds: float

    @property
    def passed(self) -> bool:
        counts = self.tests or {}
        return self.built and not counts.get("failures", 0) + counts.get("errors", 0)

    def row(self) -> str:
        """Return the outcome as a row of the table."""
        counts = self.tests or {}
        numbers = (counts.get(name, 0) for name in ("tests", "failures", "errors", "skipped"))
        cells = (self.package, self.beside, "yes" if self.built else "no", *numbers, f"{self.seconds:.0f}")
        return f"| {' | '.join(map(str, cells))} |"


def declared(package: Package, *tags: str) -> set[str]:
    """Return the names that a package declares with these tags."""
    root = ET.parse(package.path / "package.xml").getroot()
    return {(element.text or "").strip() for element in root if element.tag in tags}


def needed(name: str, packages: Mapping[str, Package]) -> set[str]:
    """Return what a package is built and tested with: its dependencies, and theirs at run time."""
    found, waiting = {name}, declared(packages[name], *RUN_TAGS, "test_depend") & packages.keys()
    while waiting - found:
        chosen = (waiting - found).pop()
        found.add(chosen)
        waiting |= declared(packages[chosen], *RUN_TAGS) & packages.keys()
    return found


def link_interfaces(packages: Iterable[Package], install: Path, prefix: Path) -> None:
    """Link built interface packages, and nothing else, into a prefix."""
    for package in packages:
        name = package.name
        patterns = (
            *(f"lib/lib{name}__*", f"lib/python3.*/site-packages/{name}", f"include/{name}", f"share/{name}"),
            *(f"share/ament_index/resource_index/*/{name}", f"share/colcon-core/packages/{name}"),
        )
        for file in (file for pattern in patterns for file in install.glob(pattern)):
            target = prefix / file.relative_to(install)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file)


def copy_sources(packages: Iterable[Package], layout: Layout, source: Path) -> None:
    """Copy packages to where they lie in the repository, and what the tests of all packages share."""
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info", "node_modules")
    for package in packages:
        shutil.copytree(package.path, source / package.path.relative_to(layout.root), ignore=ignore)
    for name in SHARED:
        shutil.copy(layout.root / name, source)
    shutil.copytree(layout.root / "examples", source / "examples", ignore=ignore)
    (source / "tests" / "goldens").mkdir(parents=True)
    shutil.copy(layout.root / "tests" / "goldens" / "graph_interfaces.json", source / "tests" / "goldens")
    for module in (layout.root / "tests").glob("*.py"):
        if not module.name.startswith("test_"):
            shutil.copy(module, source / "tests")


def environment(layout: Layout, ros: RosSource, prefix: Path) -> dict[str, str]:
    """Return the environment of ROS and the linked interfaces."""
    variables = build_environment(layout, ros)
    (modules,) = prefix.glob("lib/python3.*/site-packages") if (prefix / "lib").exists() else (prefix,)
    for name, folder in (
        ("AMENT_PREFIX_PATH", prefix),
        ("CMAKE_PREFIX_PATH", prefix),
        ("LD_LIBRARY_PATH", prefix / "lib"),
        ("PYTHONPATH", modules),
    ):
        variables[name] = f"{folder}:{variables.get(name, '')}".rstrip(":")
    return {**variables, **DEFAULTS, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


def counts_of(build: Path) -> dict[str, int] | None:
    """Return the sums of the reports of tests; None if there are none."""
    reports = [*build.glob("pytest.xml"), *build.glob("test_results/**/*.xunit.xml")]
    suites = [suite for report in reports for suite in ET.parse(report).getroot().iter("testsuite")]
    names = ("tests", "failures", "errors", "skipped")
    return {name: sum(int(suite.get(name, 0)) for suite in suites) for name in names} if suites else None


def tried(
    name: str, packages: Mapping[str, Package], layout: Layout, ros: RosSource, folder: Path
) -> Outcome:
    """Build and test one package in a new workspace below ``folder``."""
    began = time.monotonic()
    chosen = [packages[each] for each in sorted(needed(name, packages))]
    linked = [package for package in chosen if package.has_interfaces and package.name != name]
    copied = [package for package in chosen if package not in linked]
    workspace, prefix = folder / name, folder / name / "interfaces"
    prefix.mkdir(parents=True)
    link_interfaces(linked, layout.install, prefix)
    copy_sources(copied, layout, workspace / "src")
    env = environment(layout, ros, prefix)
    colcon = [str(layout.python), "-m", "colcon", "--log-level", "error"]
    common = ["--merge-install", *QUIET]
    python = f"-DPython3_EXECUTABLE={layout.python}"
    build = [
        *colcon,
        "build",
        "--base-paths",
        "src",
        "--symlink-install",
        *common,
        "--cmake-args",
        python,
        "-Wno-dev",
    ]
    built = subprocess.run(build, cwd=workspace, env=env, check=False).returncode == 0
    if built:
        test = shlex.join([*colcon, "test", "--base-paths", "src", "--packages-select", name, *common])
        script = f"COLCON_CURRENT_PREFIX=install . install/local_setup.sh && exec {test}"
        subprocess.run(["/bin/sh", "-c", script], cwd=workspace, env=env, check=False)
    tests = counts_of(workspace / "build" / name) if built else None
    return Outcome(name, len(chosen) - 1, built, tests, time.monotonic() - began)


def say(line: str) -> None:
    """Write a line at once, also into a file."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(names: Iterable[str]) -> int:
    """Try packages; return 1 if one of them failed. Workspaces of those that fail are kept."""
    layout, ros = Layout.here(), find_ros()
    packages = {package.name: package for package in find_packages(layout, ros, robot=True, mcp=True)}
    folder = Path(tempfile.mkdtemp(prefix="isolated_"))
    say("| package | packages beside it | builds | tests | failures | errors | skipped | s |")
    say("|---|---|---|---|---|---|---|---|")
    outcomes = []
    for name in names:
        outcome = tried(name, packages, layout, ros, folder)
        say(outcome.row())
        outcomes.append(outcome)
        if outcome.passed:
            shutil.rmtree(folder / name)
    failed = [outcome.package for outcome in outcomes if not outcome.passed]
    if failed:
        say(f"failed: {', '.join(failed)}; their workspaces are kept in {folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or DEFAULT_BUILD))

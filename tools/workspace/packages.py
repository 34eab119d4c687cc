"""The workspace's colcon packages and what of each decides that it must be built again."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workspace.fingerprint import digest
from workspace.paths import Layout
from workspace.ros_sources import RosSource

UNDERLAY = "underlay"
ROBOT_UNDERLAY = "underlay/robot"
"""Interfaces of Nav2, MoveIt and ros2_control, which only robots need: they double the time of a build."""
LAB = "lab"
"""Benchmarks, evaluations and the fleet, which no robot needs."""
MCP = "openral_mcp"
"""Server for agents on a desk; a robot runs without it."""
DECLARATIONS = frozenset({"package.xml", "setup.py", "setup.cfg", "CMakeLists.txt"})
INTERFACES = frozenset({".msg", ".srv", ".action"})
IGNORED = frozenset({"__pycache__", "test"})
NAME = re.compile(r"<name>\s*([\w-]+)\s*</name>")


@dataclass(frozen=True)
class Package:
    """One colcon package of the workspace."""

    name: str
    path: Path

    @property
    def has_interfaces(self) -> bool:
        """True if it declares messages, services or actions, against which others are compiled."""
        return any((self.path / suffix[1:]).is_dir() for suffix in INTERFACES)

    def names(self, other: "Package") -> bool:
        """Test if its manifest names another package."""
        return f">{other.name}<" in (self.path / "package.xml").read_text()

    def fingerprint(self) -> str:
        """Return a digest of the files that are copied or generated at build time.

        Python modules and data are linked into the install, so of those only the names count.
        """
        return digest(part for file in sorted(_files(self.path)) for part in _contribution(file, self.path))


def find_packages(
    layout: Layout, ros: RosSource, robot: bool = False, lab: bool = False, mcp: bool = False
) -> list[Package]:
    """List the packages of the workspace, and those of the underlay that ROS does not provide.

    Args:
        layout: Folders of the workspace.
        ros: Source of ROS 2.
        robot: Include `ROBOT_UNDERLAY`.
        lab: Include `LAB`.
        mcp: Include `MCP`.
    """
    underlay = [*_packages_in(layout, UNDERLAY), *(_packages_in(layout, ROBOT_UNDERLAY) if robot else ())]
    wanted = [
        *(package for package in _packages_in(layout, ".") if mcp or package.name != MCP),
        *(_packages_in(layout, LAB) if lab else ()),
        *(package for package in underlay if not ros.provides(package.name)),
    ]
    return sorted(wanted, key=lambda package: package.name)


def robot_interfaces(layout: Layout) -> set[str]:
    """Return the names of the packages of `ROBOT_UNDERLAY`."""
    return {package.name for package in _packages_in(layout, ROBOT_UNDERLAY)}


def _packages_in(layout: Layout, folder: str) -> list[Package]:
    return [_package(file.parent) for file in (layout.root / folder).glob("*/package.xml")]


def _package(path: Path) -> Package:
    found = NAME.search((path / "package.xml").read_text())
    return Package(found[1] if found else path.name, path)


def _files(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if _counts(name)]
        yield from (Path(folder, name) for name in names if _counts(name))


def _counts(name: str) -> bool:
    return name not in IGNORED and not name.startswith(".") and not name.endswith((".egg-info", ".pyc"))


def _contribution(file: Path, top: Path) -> tuple[str | bytes, ...]:
    name = str(file.relative_to(top))
    if file.name in DECLARATIONS or file.suffix in INTERFACES:
        return (name, file.read_bytes())
    return (name,)

"""Incremental build with colcon."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

from workspace.environments import build_environment, write_environment_file
from workspace.errors import WorkspaceError
from workspace.fingerprint import digest, digest_of_files
from workspace.packages import LAB, MCP, Package, find_packages, robot_interfaces
from workspace.paths import Layout
from workspace.ros_sources import RosSource
from workspace.shell import step

RECORD = "fingerprints.json"
COMMON_INPUTS = "ground"
"""Key of their digest in the record."""
WORKERS = 2
"""Packages built in parallel, and make jobs per package: compilers of messages need memory."""


class BuildFailed(WorkspaceError):
    """A build in which colcon failed."""

    def __init__(self, packages: list[Package], status: int, layout: Layout) -> None:
        names = " ".join(package.name for package in packages)
        super().__init__(
            f"colcon failed with exit status {status} while building: {names}.\n"
            f"The compiler output is above; that of each package is in {layout.root / 'log' / 'latest_build'}"
        )


def ensure_built(
    layout: Layout, ros: RosSource, robot: bool = False, lab: bool = False, mcp: bool = False
) -> None:
    """Build the packages whose sources changed.

    All of them are built, from nothing, if a common input changed, or if a built package has left its folder:
    the install would keep its entry points. After a failure or an interruption, the next call builds what was
    to be built, and keeps the rest. ``robot`` adds the interfaces of Nav2, MoveIt and ros2_control, ``lab``
    the packages of the laboratory, ``mcp`` the MCP server; once built, they are kept up to date.
    """
    record = _read_record(layout)
    robot = robot or not robot_interfaces(layout).isdisjoint(record)
    lab = lab or any(_folder(entry).startswith(f"{LAB}/") for entry in record.values())
    packages = find_packages(layout, ros, robot, lab, mcp or MCP in record)
    wanted = {package.name: _entry(layout, package) for package in packages}
    common_inputs = _common_inputs(layout, ros)
    if record.get(COMMON_INPUTS) != common_inputs or _has_moved(record, wanted):
        shutil.rmtree(layout.build, ignore_errors=True)
        shutil.rmtree(layout.install, ignore_errors=True)
        record = {}
    if record != {**wanted, COMMON_INPUTS: common_inputs}:
        chosen = _to_build(packages, wanted, record)
        kept = {name: record[name] for name in record.keys() - {package.name for package in chosen}}
        _write_record(layout, {**kept, COMMON_INPUTS: common_inputs})
        _build(layout, ros, packages, chosen)
        write_environment_file(layout, ros, lab)
        _write_record(layout, {**wanted, COMMON_INPUTS: common_inputs})
    _compile_modules(layout, packages)


def _entry(layout: Layout, package: Package) -> str:
    """Return the folder and the fingerprint of a package, as the record has them."""
    return f"{package.path.relative_to(layout.root)} {package.fingerprint()}"


def _folder(entry: str) -> str:
    return entry.rpartition(" ")[0]


def _has_moved(record: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Test if a package that was built is no longer in its folder."""
    built = {name: entry for name, entry in record.items() if name != COMMON_INPUTS}
    return any(_folder(entry) != _folder(wanted.get(name, "")) for name, entry in built.items())


def _to_build(packages: list[Package], wanted: Mapping[str, str], record: Mapping[str, str]) -> list[Package]:
    """Return the packages that changed, and the interface packages compiled against one of them."""
    changed = [package for package in packages if record.get(package.name) != wanted[package.name]]
    stale = [other for other in packages if other.has_interfaces and any(map(other.names, changed))]
    return [package for package in packages if package in changed or package in stale]


def _common_inputs(layout: Layout, ros: RosSource) -> str:
    """Digest of the common inputs: location, interpreter, ROS and build settings."""
    files = [layout.root / "colcon.meta", *(layout.requirements / name for name in ("build.txt", "ros.txt"))]
    return digest([str(layout.root), sys.version, str(ros), digest_of_files(files)])


def _read_record(layout: Layout) -> dict[str, str]:
    """Read the fingerprints of what is built; of the common inputs alone if the install is incomplete."""
    file = layout.build / RECORD
    record: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    if layout.environment_file.exists():
        return record
    return {name: value for name, value in record.items() if name == COMMON_INPUTS}


def _write_record(layout: Layout, record: Mapping[str, str]) -> None:
    layout.build.mkdir(exist_ok=True)
    (layout.build / RECORD).write_text(json.dumps(record, indent=1))


def _build(layout: Layout, ros: RosSource, packages: list[Package], chosen: list[Package]) -> None:
    with step(f"Building {len(chosen)} of {len(packages)} packages"):
        command = _colcon(layout, packages, chosen)
        status = subprocess.run(
            command, cwd=layout.root, env=_environment(layout, ros), check=False
        ).returncode
        if status != 0:
            raise BuildFailed(chosen, status, layout)


def _compile_modules(layout: Layout, packages: list[Package]) -> None:
    """Compile Python modules that changed.

    Where PYTHONDONTWRITEBYTECODE is set, as in many container images, every node would compile them at each
    start. One that cannot be compiled fails where it is imported.
    """
    folders = [str(folder) for package in packages if (folder := package.path / package.name).is_dir()]
    command = [str(layout.python), "-m", "compileall", "-q", "-j", str(WORKERS), *folders]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def _environment(layout: Layout, ros: RosSource) -> dict[str, str]:
    """Return the build environment with a bounded number of make jobs."""
    env = build_environment(layout, ros)
    return {**env, "MAKEFLAGS": f"-j{min(WORKERS, os.cpu_count() or 1)}"}


def _colcon(layout: Layout, packages: list[Package], chosen: list[Package]) -> list[str]:
    python = f"-DPython3_EXECUTABLE={layout.python}"
    paths = [str(package.path) for package in packages]
    names = [package.name for package in chosen]
    return [
        *(str(layout.python), "-m", "colcon", "--log-level", "error"),
        *("--log-base", str(layout.root / "log"), "build"),
        *("--paths", *paths, "--packages-select", *names),
        *("--merge-install", "--symlink-install", "--parallel-workers", str(WORKERS)),
        *("--event-handlers", "console_direct-", "console_stderr+", "status-", "desktop_notification-"),
        *("--cmake-args", python, "-Wno-dev"),
    ]

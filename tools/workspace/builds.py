"""Build with colcon what has changed since the last build, and nothing else."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

from workspace.digests import digest, digest_of_files
from workspace.environments import build_environment, write_environment_file
from workspace.errors import WorkspaceError
from workspace.layouts import Layout
from workspace.packages import Package, find_packages
from workspace.ros_sources import RosSource
from workspace.steps import step

RECORD = "fingerprints.json"
GROUND = "ground"
WORKERS = 2


class BuildFailed(WorkspaceError):
    """colcon could not build every package."""

    def __init__(self, packages: list[Package], status: int, layout: Layout) -> None:
        names = " ".join(package.name for package in packages)
        super().__init__(
            f"colcon ended with exit status {status} while building: {names}.\n"
            f"The compilers' output is above; each package's is in {layout.root / 'log' / 'latest_build'}"
        )


def ensure_built(layout: Layout, ros: RosSource) -> None:
    """Build the packages whose sources changed; all of them if what they stand on changed."""
    packages = find_packages(layout, ros)
    wanted = {package.name: package.fingerprint() for package in packages}
    ground = _ground(layout, ros)
    record = _read_record(layout)
    if record.get(GROUND) != ground:
        shutil.rmtree(layout.build, ignore_errors=True)
        shutil.rmtree(layout.install, ignore_errors=True)
        record = {}
    if record == {**wanted, GROUND: ground}:
        return
    _build(layout, ros, packages, _to_build(packages, wanted, record))
    write_environment_file(layout, ros)
    (layout.build / RECORD).write_text(json.dumps({**wanted, GROUND: ground}, indent=1))


def _to_build(packages: list[Package], wanted: Mapping[str, str], record: Mapping[str, str]) -> list[Package]:
    """Packages that changed, and the interface packages compiled against one of them."""
    changed = [package for package in packages if record.get(package.name) != wanted[package.name]]
    stale = [other for other in packages if other.has_interfaces and any(map(other.names, changed))]
    return [package for package in packages if package in changed or package in stale]


def _ground(layout: Layout, ros: RosSource) -> str:
    """What every build stands on: its place, the interpreter, ROS, and the settings of the build."""
    files = [layout.root / "colcon.meta", *(layout.requirements / name for name in ("build.txt", "ros.txt"))]
    return digest([str(layout.root), sys.version, str(ros), digest_of_files(files)])


def _read_record(layout: Layout) -> dict[str, str]:
    """What the last complete build was made from; empty if there was none."""
    file = layout.build / RECORD
    if not file.exists() or not layout.environment_file.exists():
        return {}
    record: dict[str, str] = json.loads(file.read_text())
    return record


def _build(layout: Layout, ros: RosSource, packages: list[Package], chosen: list[Package]) -> None:
    (layout.build / RECORD).unlink(missing_ok=True)
    layout.build.mkdir(exist_ok=True)
    with step(f"Building {len(chosen)} of {len(packages)} packages"):
        command = _colcon(layout, packages, chosen)
        status = subprocess.run(
            command, cwd=layout.root, env=_environment(layout, ros), check=False
        ).returncode
        if status != 0:
            raise BuildFailed(chosen, status, layout)


def _environment(layout: Layout, ros: RosSource) -> dict[str, str]:
    """The build environment, and packages already installed for those that are not built this time."""
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

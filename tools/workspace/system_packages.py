"""Programs and libraries of the operating system, and the installation of missing ones."""

import ctypes
import importlib.util
import os
import shutil
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workspace.errors import WorkspaceError
from workspace.shell import run, step

OPENGL_DRIVERS = (
    "lib*/dri/swrast_dri.so",
    "lib*/*/dri/swrast_dri.so",
    "lib*/libgallium-*.so",
    "lib*/*/libgallium-*.so",
    "share/glvnd/egl_vendor.d/*nvidia*.json",
)


@dataclass(frozen=True)
class SystemPackage:
    """A required package of Debian or Ubuntu, with a check for it."""

    name: str
    present: Callable[[], bool]


class SystemPackagesMissing(WorkspaceError):
    """Missing system packages that this user may not install."""

    def __init__(self, names: list[str], apt: bool) -> None:
        listed = " ".join(names)
        with_apt = f"Run: sudo apt-get update && sudo apt-get install --yes {listed}"
        without_apt = f"Install the equivalents of the Debian packages {listed}"
        super().__init__(f"System packages are missing: {listed}.\n{with_apt if apt else without_apt}")


def _program(*names: str) -> Callable[[], bool]:
    return lambda: all(shutil.which(name) for name in names)


def _library(name: str) -> Callable[[], bool]:
    def loads() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return loads


def _python_header() -> bool:
    return Path(sysconfig.get_path("include"), "Python.h").exists()


def _opengl_driver() -> bool:
    """Test for the software renderer of Mesa, in its old or new form, or a driver of a vendor."""
    return any(match for pattern in OPENGL_DRIVERS for match in Path("/usr").glob(pattern))


NEEDED = (
    SystemPackage("build-essential", _program("cc", "c++", "make")),
    SystemPackage("cmake", _program("cmake")),
    SystemPackage("python3-dev", _python_header),
    SystemPackage("python3-venv", lambda: importlib.util.find_spec("ensurepip") is not None),
    SystemPackage("libegl1", _library("libEGL.so.1")),
    SystemPackage("libgl1-mesa-dri", _opengl_driver),
)


CHROMIUM = SystemPackage(
    "chromium", lambda: any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
)
"""The browser of the tests of pages."""


def ensure_system_packages(logs: Path, needed: tuple[SystemPackage, ...] = NEEDED) -> None:
    """Install the missing ones of ``needed`` if this user may do so.

    Raises:
        SystemPackagesMissing: If packages are missing and this user may not install them.
    """
    names = [package.name for package in needed if not package.present()]
    if not names:
        return
    apt = shutil.which("apt-get") is not None
    if not apt or os.geteuid() != 0:
        raise SystemPackagesMissing(names, apt)
    with step(f"Installing system packages: {' '.join(names)}"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        run("apt-get update", ["apt-get", "update"], logs / "apt-update.log", env)
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *names]
        run("apt-get install", install, logs / "apt-install.log", env)

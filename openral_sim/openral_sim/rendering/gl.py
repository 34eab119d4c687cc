"""OpenGL platform of MuJoCo, chosen before MuJoCo is first imported, and its off-screen contexts."""

import os
import sys
from ctypes.util import find_library
from typing import TYPE_CHECKING

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    import mujoco

_LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
_PACKAGES = {"egl": "libegl1 libgl1-mesa-dri", "osmesa": "libosmesa6"}


class NoGlPlatform(OpenRALError):
    """Neither headless OpenGL platform is installed."""

    def __init__(self) -> None:
        commands = "\n".join(f"  apt-get install {names}" for names in _PACKAGES.values())
        super().__init__(f"rendering requires EGL or OSMesa and neither was found; install one:\n{commands}")


class MissingGlLibrary(OpenRALError):
    """`MUJOCO_GL` names an OpenGL platform that is not installed."""

    def __init__(self, platform: str) -> None:
        super().__init__(
            f"MUJOCO_GL={platform}, but lib{_LIBRARIES[platform]} is not installed; "
            f"run apt-get install {_PACKAGES[platform]}, or unset MUJOCO_GL"
        )


class GlPlatformChosenTooLate(OpenRALError):
    """MuJoCo was imported before its OpenGL platform was chosen, and loaded another one."""

    def __init__(self, chosen: str, loaded: str) -> None:
        super().__init__(
            f"MuJoCo renders with {loaded} instead of {chosen}: "
            f"import openral_sim before mujoco, or set MUJOCO_GL={chosen} in the environment"
        )


class GlContextRefused(OpenRALError):
    """The chosen OpenGL platform could not open an off-screen context."""

    def __init__(self, platform: str, cause: Exception) -> None:
        super().__init__(
            f"OpenGL platform '{platform}' could not open a context ({cause}); install its driver with "
            f"apt-get install {_PACKAGES['egl']}, or set MUJOCO_GL=osmesa after apt-get install libosmesa6"
        )


def choose_gl_platform() -> str | None:
    """Set `MUJOCO_GL` to EGL, else to OSMesa (reported on stderr); keep a value that is already set.

    Returns:
        The platform, or None if neither library is installed: only rendering fails then.

    Raises:
        MissingGlLibrary: If `MUJOCO_GL` names a platform whose library is missing.
    """
    chosen = os.environ.get("MUJOCO_GL")
    if chosen:
        _check_installed(chosen)
        return chosen
    for platform, library in _LIBRARIES.items():
        if find_library(library) is not None:
            os.environ["MUJOCO_GL"] = platform
            if platform != "egl":
                sys.stderr.write(f"openral_sim: EGL not found; rendering with {platform}\n")
            return platform
    return None


def _check_installed(platform: str) -> None:
    if platform in _LIBRARIES and find_library(_LIBRARIES[platform]) is None:
        raise MissingGlLibrary(platform)


def open_gl(width: int, height: int) -> "mujoco.GLContext":
    """Open an off-screen context of the chosen platform.

    Raises:
        NoGlPlatform: If no platform was found when the package was imported.
        GlPlatformChosenTooLate: If MuJoCo was imported before this package.
        GlContextRefused: If the platform cannot open a context.
    """
    import mujoco

    platform = os.environ.get("MUJOCO_GL")
    if not platform:
        raise NoGlPlatform
    loaded = mujoco.GLContext.__module__.rpartition(".")[2]
    if loaded != platform:
        raise GlPlatformChosenTooLate(platform, loaded)
    try:
        return mujoco.GLContext(width, height)
    except (ImportError, RuntimeError, AttributeError) as error:
        raise GlContextRefused(platform, error) from error

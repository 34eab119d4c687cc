"""Which OpenGL platform MuJoCo draws with; chosen before MuJoCo is first imported."""

import os
import sys
from ctypes.util import find_library

from openral_core.errors import OpenRALError

_LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
_PACKAGES = {"egl": "libegl1 libgl1-mesa-dri", "osmesa": "libosmesa6"}


class NoGlPlatform(OpenRALError):
    """Neither headless OpenGL platform is installed."""

    def __init__(self) -> None:
        commands = "\n".join(f"  apt-get install {names}" for names in _PACKAGES.values())
        super().__init__(f"rendering needs EGL or OSMesa and neither was found; install one:\n{commands}")


class MissingGlLibrary(OpenRALError):
    """The environment asks for an OpenGL platform that is not installed."""

    def __init__(self, platform: str) -> None:
        super().__init__(
            f"MUJOCO_GL={platform}, but there is no lib{_LIBRARIES[platform]}; "
            f"apt-get install {_PACKAGES[platform]}, or unset MUJOCO_GL"
        )


def choose_gl_platform() -> str | None:
    """Set `MUJOCO_GL` to EGL, else to OSMesa (said on stderr); a value already set is kept.

    Returns:
        The platform, or None where neither library is installed: only rendering then fails.

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
                sys.stderr.write(f"openral_sim: EGL not found, rendering with {platform}\n")
            return platform
    return None


def _check_installed(platform: str) -> None:
    if platform in _LIBRARIES and find_library(_LIBRARIES[platform]) is None:
        raise MissingGlLibrary(platform)

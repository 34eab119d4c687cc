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


def choose_gl_platform() -> str | None:
    """Set `MUJOCO_GL` to EGL, else to OSMesa (said on stderr); a value already set is kept.

    Returns:
        The platform, or None where neither library is installed: only rendering then fails.
    """
    chosen = os.environ.get("MUJOCO_GL")
    if chosen:
        return chosen
    for platform, library in _LIBRARIES.items():
        if find_library(library) is not None:
            os.environ["MUJOCO_GL"] = platform
            if platform != "egl":
                sys.stderr.write(f"openral_sim: EGL not found, rendering with {platform}\n")
            return platform
    return None

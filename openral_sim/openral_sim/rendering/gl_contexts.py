"""Off-screen OpenGL contexts."""

import os

import mujoco

from openral_core.errors import OpenRALError
from openral_sim.gl_platform import NoGlPlatform


class GlContextRefused(OpenRALError):
    """The chosen OpenGL platform could not open an off-screen context."""

    def __init__(self, platform: str, why: Exception) -> None:
        super().__init__(
            f"OpenGL platform '{platform}' opened no context ({why}); install its driver: apt-get install "
            "libegl1 libgl1-mesa-dri, or set MUJOCO_GL=osmesa after apt-get install libosmesa6"
        )


def open_gl(width: int, height: int) -> mujoco.GLContext:
    """An off-screen context of the chosen platform.

    Raises:
        NoGlPlatform: If no platform was found when the package was imported.
        GlContextRefused: If the platform cannot open a context.
    """
    platform = os.environ.get("MUJOCO_GL")
    if not platform:
        raise NoGlPlatform
    try:
        return mujoco.GLContext(width, height)
    except (ImportError, RuntimeError, AttributeError) as error:
        raise GlContextRefused(platform, error) from error

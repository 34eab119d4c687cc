"""Off-screen OpenGL contexts."""

import os

import mujoco

from openral_core.errors import OpenRALError
from openral_sim.gl_platform import NoGlPlatform


class GlPlatformChosenTooLate(OpenRALError):
    """MuJoCo was imported before its OpenGL platform was chosen, and took another one."""

    def __init__(self, wanted: str, found: str) -> None:
        super().__init__(
            f"MuJoCo draws with {found} instead of {wanted}: "
            f"import openral_sim before mujoco, or set MUJOCO_GL={wanted} in the environment"
        )


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
        GlPlatformChosenTooLate: If MuJoCo was imported before this package.
        GlContextRefused: If the platform cannot open a context.
    """
    platform = os.environ.get("MUJOCO_GL")
    if not platform:
        raise NoGlPlatform
    found = mujoco.GLContext.__module__.rpartition(".")[2]
    if found != platform:
        raise GlPlatformChosenTooLate(platform, found)
    try:
        return mujoco.GLContext(width, height)
    except (ImportError, RuntimeError, AttributeError) as error:
        raise GlContextRefused(platform, error) from error

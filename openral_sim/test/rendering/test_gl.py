from collections.abc import Callable

import mujoco
import pytest

from openral_sim.rendering import gl as gl_platform
from openral_sim.rendering.gl import (
    GlContextRefused,
    GlPlatformChosenTooLate,
    MissingGlLibrary,
    NoGlPlatform,
    choose_gl_platform,
    open_gl,
)


def installed(*libraries: str) -> Callable[[str], str | None]:
    return lambda name: f"lib{name}.so" if name in libraries else None


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)


@pytest.mark.parametrize(
    ("libraries", "chosen"), [(("EGL", "OSMesa"), "egl"), (("OSMesa",), "osmesa"), ((), None)]
)
def test_egl_is_preferred_and_osmesa_second(
    monkeypatch: pytest.MonkeyPatch, libraries: tuple[str, ...], chosen: str | None
) -> None:
    monkeypatch.setattr(gl_platform, "find_library", installed(*libraries))
    assert choose_gl_platform() == chosen


def test_falling_back_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gl_platform, "find_library", installed("OSMesa"))
    choose_gl_platform()
    assert "EGL not found; rendering with osmesa" in capsys.readouterr().err


def test_a_choice_already_made_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    monkeypatch.setattr(gl_platform, "find_library", installed("EGL"))
    assert choose_gl_platform() == "glfw"


def test_without_a_platform_rendering_names_the_packages_to_install() -> None:
    with pytest.raises(NoGlPlatform, match=r"(?s)libegl1.*libosmesa6"):
        open_gl(8, 8)


def test_asking_for_a_platform_that_is_not_installed_names_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    monkeypatch.setattr(gl_platform, "find_library", installed("EGL"))
    with pytest.raises(MissingGlLibrary, match="apt-get install libosmesa6"):
        choose_gl_platform()


def test_choosing_after_mujoco_was_imported_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "some_other_platform")
    with pytest.raises(GlPlatformChosenTooLate, match="import openral_sim before mujoco"):
        open_gl(8, 8)


def test_a_platform_that_opens_no_context_names_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        __module__ = "mujoco.egl"

        def __init__(self, width: int, height: int) -> None:
            raise RuntimeError("no display device")

    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setattr(mujoco, "GLContext", Broken)
    with pytest.raises(GlContextRefused, match=r"no display device.*libgl1-mesa-dri"):
        open_gl(8, 8)

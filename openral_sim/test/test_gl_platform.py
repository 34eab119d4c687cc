from collections.abc import Callable

import pytest

from openral_sim import gl_platform
from openral_sim.gl_platform import NoGlPlatform, choose_gl_platform
from openral_sim.rendering.gl_contexts import open_gl


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
    assert "EGL not found, rendering with osmesa" in capsys.readouterr().err


def test_a_choice_already_made_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    monkeypatch.setattr(gl_platform, "find_library", installed("EGL"))
    assert choose_gl_platform() == "glfw"


def test_without_a_platform_rendering_names_the_packages_to_install() -> None:
    with pytest.raises(NoGlPlatform, match=r"(?s)libegl1.*libosmesa6"):
        open_gl(8, 8)

"""Tests of the installation of a browser."""

import platform
from collections.abc import Sequence
from pathlib import Path

import pytest

from workspace import browser
from workspace.browser import ensure_browser
from workspace.paths import Layout
from workspace.system_packages import SystemPackage


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record what would be installed on a machine without a browser."""
    titles: list[str] = []

    def run(title: str, command: Sequence[str | Path], log: Path) -> None:
        titles.append(f"{title}: {command[-1]}")

    monkeypatch.setattr(browser, "CHROMIUM", SystemPackage("chromium", lambda: False))
    monkeypatch.setattr(browser, "run", run)
    monkeypatch.setattr(
        browser, "ensure_system_packages", lambda logs, needed: titles.extend(one.name for one in needed)
    )
    return titles


@pytest.mark.parametrize(
    ("distribution", "titles"),
    [("debian", ["chromium"]), ("ubuntu", ["playwright install: chromium"])],
)
def test_takes_the_package_of_the_system_unless_that_is_a_snap(
    installed: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    distribution: str,
    titles: list[str],
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": distribution})
    ensure_browser(Layout(tmp_path), tmp_path)
    assert installed == titles


def test_keeps_the_browser_that_playwright_installed(
    installed: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "ubuntu"})
    shell = tmp_path / "chromium_headless_shell-1200" / "chrome-linux" / "headless_shell"
    shell.parent.mkdir(parents=True)
    shell.touch()
    ensure_browser(Layout(tmp_path), tmp_path)
    assert installed == []


def test_does_nothing_where_a_browser_is_installed(
    installed: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(browser, "CHROMIUM", SystemPackage("chromium", lambda: True))
    ensure_browser(Layout(tmp_path), tmp_path)
    assert installed == []

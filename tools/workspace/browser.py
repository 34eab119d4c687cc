"""The browser of the tests of pages: Chromium of the system, or Playwright's where that one is a snap."""

import platform
from pathlib import Path

from workspace.paths import Layout
from workspace.shell import run, step
from workspace.system_packages import CHROMIUM, ensure_system_packages

SNAPS = frozenset({"ubuntu"})
"""Distributions whose package of Chromium installs a snap, which a container cannot run."""
HEADLESS_SHELL = "chromium_headless_shell-*/*/*headless*shell*"
"""Playwright's browser below its folder of browsers."""


def ensure_browser(layout: Layout, browsers: Path | None = None) -> None:
    """Install a browser unless there is one.

    Args:
        layout: Folders of the workspace; its virtual environment has Playwright.
        browsers: Playwright's folder of browsers.

    Raises:
        SystemPackagesMissing: If this user may not install Debian's Chromium.
        StepFailed: If an installation failed.
    """
    if CHROMIUM.present():
        return
    if _distribution() not in SNAPS:
        ensure_system_packages(layout.logs, (CHROMIUM,))
        return
    home = browsers or Path.home() / ".cache" / "ms-playwright"
    if any(home.glob(HEADLESS_SHELL)):
        return
    with step("Installing Playwright's headless Chromium for the tests of pages"):
        command: list[str | Path] = [layout.python, "-m"]
        command += ["playwright", "install", "--with-deps", "--only-shell", "chromium"]
        run("playwright install", command, layout.logs / "playwright.log")


def _distribution() -> str:
    """Return the ID of os-release, "" where there is none."""
    try:
        return platform.freedesktop_os_release().get("ID", "")
    except OSError:
        return ""

"""Chromium of the system, driven by Playwright, for tests of pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import Browser, ViewportSize, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDE, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless browser; the test is skipped where none is installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()

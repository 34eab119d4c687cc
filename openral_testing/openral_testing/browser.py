"""Chromium, driven by Playwright, for tests of pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import Browser, Error, ViewportSize, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
"""Chromium of the system; without one, Playwright's own is used."""
WIDE, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless browser; without one the test fails."""
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except Error as error:
            pytest.fail(f"no Chromium starts; run: make browser ({str(error).splitlines()[0]})")
        yield browser
        browser.close()

"""A browser that people use: Chromium of the system, driven by Playwright."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    ViewportSize,
    sync_playwright,
)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDE, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
TIMEOUT = 20_000.0
"""Longest wait for the page [ms]."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`open_page(site, view, phone=False)`; an error on the page, or a request to another site, fails."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def opened(site: Any, view: str = "mission", phone: bool = False, query: str = "") -> Page:
        own = (site.url, "blob:")

        def check(asked: Request) -> None:
            if not asked.url.startswith(own):
                problems.append(asked.url)

        context = browser.new_context(viewport=PHONE if phone else WIDE, has_touch=phone)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", check)
        page.goto(f"{site.url}{query}#{view}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []

"""Draw the pictures of docs/console.md from a recorded run.

    tools/env python tools/console_pictures.py RUN [--time SECONDS] [--out docs/images]

Needs Chromium and Playwright, which the tests of the console use too.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import uvicorn
from playwright.sync_api import Page, sync_playwright

from openral_console.security import Access
from openral_console.server import address_of, listen, make_app
from openral_testing.recordings.ros.source import RecordingSource

SIZES = {"wide": (1440, 900), "phone": (390, 844)}
PICTURES = (
    ("mission", "wide", "light"),
    ("home", "wide", "dark"),
    ("map", "wide", "light"),
    ("cameras", "wide", "light"),
    ("memory", "wide", "dark"),
    ("mission", "phone", "dark"),
    ("home", "phone", "light"),
)
"""View, size and colour scheme of each picture."""
SETTLED = 2500.0
"""Time for images and fonts of a view [ms]."""
CHOSEN = {"map": "#plan_lists button", "cameras": "[data-boxes] button", "memory": "#objects tbody button"}
"""What is clicked in a view, if it is there."""


@contextmanager
def served(run: Path) -> Iterator[str]:
    """Serve the recording on a free port of this machine; give its address."""
    opened = listen("127.0.0.1", 0)
    config = uvicorn.Config(make_app(RecordingSource(run), Access()), log_level="warning", ws="none")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    try:
        yield address_of(opened)
    finally:
        server.should_exit = True
        thread.join(timeout=5.0)


def photograph(page: Page, view: str, path: Path) -> None:
    """Save one view."""
    page.evaluate(f"location.hash = '#{view}'")
    page.wait_for_timeout(SETTLED)
    if view in CHOSEN and page.locator(CHOSEN[view]).count():
        page.locator(CHOSEN[view]).first.click()
        page.wait_for_timeout(SETTLED / 5.0)
    page.screenshot(path=path)


def main() -> int:
    """Draw every picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--time", type=float, default=0.0, help="moment of the recording [s]; 0 = its end")
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    parser.add_argument("--all", action="store_true", help="every view, size and colour scheme")
    given = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.stderr.write("No Chromium is installed: apt-get install chromium\n")
        return 1
    views = ("mission", "home", "map", "cameras", "memory", "detectors", "health")
    every = [(view, size, scheme) for size in SIZES for scheme in ("light", "dark") for view in views]
    with served(given.run) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for view, size, scheme in every if given.all else PICTURES:
            width, height = SIZES[size]
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            page = context.new_page()
            page.goto(f"{address}?t={given.time}")
            photograph(page, view, given.out / f"console_{view}_{size}_{scheme}.png")
            context.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

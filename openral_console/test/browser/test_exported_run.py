"""An exported run in the browser: it opens from disk, asks nothing of any network, and its scrubber works."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from openral_testing.recordings.ros.html_export import export_run

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_an_exported_run_opens_from_disk(
    size: tuple[int, int], recorded: Any, browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "exported.html"
    file.write_text(export_run(recorded.source, 10_000_000).html)
    recorded.close()
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True)
    page: Page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda asked: problems.append(asked.url) if asked.url.startswith("http") else None)
    page.goto(f"{file.as_uri()}?t=4#mission")
    mission = page.get_by_role("region", name="Mission")
    expect(mission).to_contain_text("looking around")
    page.get_by_role("button", name="Next failure").click()
    expect(page.locator("footer output")).to_contain_text("5.0 s of 10.0 s")
    page.get_by_label("Time in the recording").fill("10")
    expect(mission).to_contain_text("brought it")
    page.get_by_role("link", name="Cameras").click()
    expect(page.locator("canvas[data-camera]")).to_have_js_property("width", 64)
    page.get_by_role("link", name="Home").click()
    expect(page.locator("#drawn")).to_contain_text("4 objects drawn")
    context.close()
    assert problems == []

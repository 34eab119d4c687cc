"""The page of a recorded run: one scrubber moves every view."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from openral_console.security import Access
from openral_testing.recordings.ros.source import RecordingSource
from openral_testing.ros.recorded_decision import record_decision

Open = Callable[..., Page]
pytestmark = pytest.mark.timeout(120)


def test_the_scrubber_moves_the_mission(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded)
    state = page.get_by_role("region", name="Mission")
    expect(state).to_contain_text("brought it")
    page.get_by_label("Time in the recording").fill("3")
    expect(state).to_contain_text("looking around")
    assert "t=3.0" in page.url


def test_jumps_lead_to_decisions_and_failures(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded, query="?t=0.5")
    page.get_by_role("button", name="Next decision").click()
    expect(page.locator("footer output")).to_contain_text("2.0 s of 10.0 s")
    page.get_by_role("button", name="Next failure").click()
    expect(page.locator("footer output")).to_contain_text("5.0 s of 10.0 s")
    page.get_by_role("button", name="Previous decision").click()
    expect(page.locator("footer output")).to_contain_text("2.0 s of 10.0 s")


def test_a_link_leads_to_a_moment(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded, query="?t=4.0")
    expect(page.locator("footer output")).to_contain_text("4.0 s of 10.0 s")
    expect(page.get_by_role("region", name="Mission")).to_contain_text("looking around")


def test_the_image_of_the_moment_is_shown(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded, "cameras", query="?t=4.0")
    expect(page.locator("canvas[data-camera]")).to_have_js_property("width", 64)


def test_a_recording_offers_no_actions(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded)
    expect(page.get_by_role("region", name="Mission")).to_be_visible()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_hidden()
    assert page.get_by_label("Goal").count() == 0


def test_the_home_of_the_moment_is_drawn(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded, "home", query="?t=1.0")
    expect(page.locator("#drawn")).to_contain_text("4 objects drawn")


def test_a_phone_scrubs_a_recording(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded, phone=True, query="?t=4.0")
    page.get_by_label("Time in the recording").fill("10")
    expect(page.get_by_role("region", name="Mission")).to_contain_text("brought it")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_spans_of_the_moment_move_with_the_scrubber(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded, query="?t=3.0")
    spans = page.get_by_role("region", name="Spans")
    expect(spans.get_by_role("listitem")).to_contain_text("grasp sim2.0 s")
    expect(spans.locator(".track .now")).to_have_count(1)
    page.get_by_label("Time in the recording").fill("9")
    expect(spans.locator(".track .now")).to_have_count(0)
    expect(spans.get_by_role("listitem")).to_have_count(1)


def test_two_runs_side_by_side_show_where_they_differ(
    tmp_path: Path, site_class: Any, open_page: Open
) -> None:
    bad = record_decision(tmp_path / "bad", "BLOCKED", 100.0)
    good = record_decision(tmp_path / "good", "SUCCEEDED", 900.0)
    site = site_class(RecordingSource(bad, beside=good), Access())
    try:
        page = open_page(site, query="?t=0.5")
        beside = page.get_by_role("region", name="Beside good")
        expect(beside).to_contain_text("first difference: the same decision, another outcome")
        expect(beside).to_contain_text("bad: GRASP mug: blocked")
        expect(beside).to_contain_text("good: GRASP mug: succeeded")
        page.get_by_role("button", name="Next difference").click()
        expect(page.locator("footer output")).to_contain_text("4.0 s of 4.0 s")
        expect(page.locator(".marks .difference")).to_have_attribute("title", "GRASP mug: blocked")
    finally:
        site.close()

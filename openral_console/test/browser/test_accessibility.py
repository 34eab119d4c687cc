"""The page for people who use a screen reader or no mouse: rules of axe-core, and keys alone."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("axe_playwright_python")
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from openral_testing.ros.mapper import Mapper
from openral_testing.ros.robot import PlayedRobot, frontier, picture

Open = Callable[..., Page]
VIEWS = ("Mission", "Home", "Map", "Cameras", "Memory", "Detectors", "Health")
SHOWN = ("frontier", "pictures", "failures", "handoff", "floor", "home_edits")
pytestmark = pytest.mark.timeout(120)


def serious(page: Page) -> list[str]:
    """Rules of axe-core that the page breaks seriously, with the elements."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url} {each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("phone", [False, True])
def test_no_view_breaks_a_serious_rule(
    phone: bool, site: Any, robot: PlayedRobot, mapper: Mapper, open_page: Open
) -> None:
    robot.frontier.publish(frontier("table"))
    robot.pictures.publish(picture("mug_1"))
    robot.fail("the worker crashed")
    robot.ask("Which mug do you mean?", ["the red one"])
    site.wait(lambda: all(site.section(name) for name in SHOWN))
    page = open_page(site, "mission", phone=phone)
    page.emulate_media(color_scheme="dark" if phone else "light")
    problems: list[str] = []
    for view in VIEWS:
        page.get_by_role("navigation").get_by_role("link", name=view).click()
        if view == "Memory":
            page.get_by_role("button", name="mug").click()
        if view == "Map":
            page.get_by_role("button", name="sofa").click()
        expect(page.locator("main .card").first).to_be_visible()
        problems += serious(page)
    assert problems == []


def test_no_view_of_a_recording_breaks_a_serious_rule(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded)
    expect(page.get_by_label("Time in the recording")).to_be_visible()
    assert serious(page) == []


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element of this name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        active = "[document.activeElement.textContent, document.activeElement.getAttribute('aria-label')]"
        if name in page.evaluate(active):
            return
    raise AssertionError(f"no Tab leads to {name!r}")


def test_the_robot_is_stopped_with_keys_alone(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site)
    expect(page.get_by_label("Goal")).to_be_visible()
    tab_to(page, "Stop")
    page.keyboard.press("Enter")
    robot.wait_for_prompt("stop")


def test_an_object_is_found_and_forgotten_with_keys_alone(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site)
    expect(page.get_by_label("Goal")).to_be_visible()
    tab_to(page, "Memory")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="bowl")).to_be_visible()
    tab_to(page, "bowl")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Forget", exact=True)).to_be_visible()
    tab_to(page, "Forget")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    site.wait(lambda: [edit.node_id for edit in robot.edits] == ["bowl_2"])


def test_a_recording_is_scrubbed_with_keys_alone(recorded: Any, open_page: Open) -> None:
    page = open_page(recorded)
    state = page.get_by_role("region", name="Mission")
    expect(state).to_contain_text("brought it")
    tab_to(page, "Previous decision")
    page.keyboard.press("Enter")
    expect(page.locator("footer output")).to_contain_text("2.0 s of 10.0 s")
    expect(state).to_contain_text("looking around")
    tab_to(page, "Time in the recording")
    page.keyboard.press("End")
    expect(state).to_contain_text("brought it")

"""The map of a home that the robot found: what is shown, and the edits that people make."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from openral_console.ros.robot import LiveSource
from openral_console.security import Access
from openral_core.home_edits import HomeEdits
from openral_testing.ros.mapper import Mapper
from openral_testing.ros.robot import HOSTILE, PlayedRobot

Open = Callable[..., Page]
pytestmark = pytest.mark.timeout(120)


def serve(site_class: Any, ros_domain: int, *, allow_actions: bool) -> Iterator[Any]:
    source = LiveSource(domain=ros_domain)
    opened = site_class(source, Access(allow_actions=allow_actions))
    opened.wait(lambda: all(opened.section(name) for name in ("floor", "found_home", "home_edits", "scene")))
    yield opened
    opened.close()
    source.close()


@pytest.fixture
def site(site_class: Any, ros_domain: int, robot: PlayedRobot, mapper: Mapper) -> Iterator[Any]:
    yield from serve(site_class, ros_domain, allow_actions=True)


@pytest.fixture
def watching(site_class: Any, ros_domain: int, robot: PlayedRobot, mapper: Mapper) -> Iterator[Any]:
    yield from serve(site_class, ros_domain, allow_actions=False)


def click_map(page: Page, x: float, y: float) -> None:
    """Click a point of the map [m], which is drawn as wide as its rooms."""
    canvas = page.locator("#plan")
    zoom = float(canvas.get_attribute("data-zoom") or 0.0)
    frame = canvas.bounding_box()
    assert frame is not None
    across, up = (x - 4.5) * zoom, (y - 2.25) * zoom
    canvas.click(position={"x": frame["width"] / 2 + across, "y": frame["height"] / 2 - up})


def test_the_map_shows_what_was_found_and_a_click_tells_about_it(site: Any, open_page: Open) -> None:
    page = open_page(site, "map")
    expect(page.locator("#plan_text")).to_contain_text("2 rooms, 1 doorway, 4 pieces of furniture, 1 person.")
    click_map(page, 8.4, 2.2)
    expect(page.get_by_role("region", name="sofa")).to_contain_text(re.compile(r"0\.90 . 1\.90 . 0\.90 m"))
    click_map(page, 1.0, 1.0)
    expect(page.get_by_role("region", name="kitchen", exact=True)).to_be_visible()


def test_rooms_and_furniture_are_renamed_and_a_name_that_is_taken_is_refused(
    site: Any, robot: PlayedRobot, mapper: Mapper, open_page: Open
) -> None:
    page = open_page(site, "map")
    page.get_by_role("button", name="room 2").click()
    page.get_by_label("New name").fill("living room")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("button", name="living room")).to_be_visible()
    page.get_by_role("button", name="table", exact=True).click()
    expect(page.get_by_role("region", name="table", exact=True)).to_be_visible()
    page.get_by_label("New name").fill("living room")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("alert")).to_contain_text("'living room' is the name of room_2 already")
    assert mapper.edits.room_names == {"room_2": "living room"}
    assert mapper.edits.furniture_names == {}
    assert robot.prompts == []


def test_a_zone_is_drawn_by_clicks_and_a_place_is_typed_and_both_are_removed(
    site: Any, mapper: Mapper, open_page: Open
) -> None:
    page = open_page(site, "map")
    page.get_by_role("button", name="Add no-go zone").click()
    page.get_by_label("Name").fill("cat tray")
    for corner in ((0.5, 0.5), (1.5, 0.5), (1.5, 1.5)):
        click_map(page, *corner)
    page.get_by_role("button", name="Add zone").click()
    expect(page.get_by_role("button", name="cat tray")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("The map was changed.")
    (zone,) = mapper.edits.no_go_zones
    assert [[round(value, 1) for value in corner] for corner in zone.polygon] == [
        [0.5, 0.5],
        [1.5, 0.5],
        [1.5, 1.5],
    ]
    page.get_by_role("button", name="Add place", exact=True).click()
    page.get_by_label("Name").fill("charger")
    page.get_by_label("Position x y [m]").fill("20 20")
    page.get_by_role("button", name="Add place", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("place 'charger': (20.0, 20.0) is in no room")
    page.get_by_label("Position x y [m]").fill("7.0 1.0")
    page.get_by_role("button", name="Add place").click()
    for name in ("charger", "cat tray"):
        page.get_by_role("button", name=name).click()
        page.get_by_role("button", name="Remove", exact=True).click()
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    assert mapper.edits.places == mapper.edits.no_go_zones == ()


def test_found_furniture_is_accepted_and_rejected_and_had_back(
    site: Any, mapper: Mapper, open_page: Open
) -> None:
    page = open_page(site, "map")
    page.get_by_role("button", name="sofa").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("region", name="sofa")).to_contain_text("accepted")
    page.get_by_role("button", name="plant").click()
    page.get_by_role("button", name="Reject").click()
    rejected = page.get_by_role("region", name="Rejected (1)")
    expect(rejected).to_contain_text("plant")
    expect(page.locator("#plan_text")).to_contain_text("3 pieces of furniture")
    rejected.get_by_role("button", name="Restore").click()
    expect(page.locator("#plan_text")).to_contain_text("4 pieces of furniture")
    edits = mapper.edits
    assert ([item.id for item in edits.accepted], edits.rejected) == (["sofa_1"], ())


def test_a_console_without_actions_shows_the_map_and_changes_nothing(
    watching: Any, mapper: Mapper, open_page: Open
) -> None:
    page = open_page(watching, "map")
    expect(page.locator("#plan_text")).to_contain_text("start the console with --allow-actions")
    page.get_by_role("button", name="sofa").click()
    expect(page.get_by_role("region", name="sofa")).to_be_visible()
    expect(page.get_by_role("button", name="Rename")).to_have_count(0)
    expect(page.get_by_role("button", name="Add place", exact=True)).to_have_count(0)
    with watching.client() as client:
        answer = client.post("/api/commands/edit_home", json={"operation": "reject", "id": "sofa_1"})
    assert answer.status_code == 403
    assert "--allow-actions" in answer.text
    assert mapper.edits.rejected == ()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"operation": "name_room", "id": "room_2", "name": "\\ud800"}', 400),
        ('{"operation": "drive", "to": [1, 2]}', 409),
        ('{"operation": "add_zone", "name": "z", "polygon": [[0, 0], [1, NaN], [1, 1]]}', 409),
        ('{"operation": "name_room", "id": "room_2", "name": {"a": 1}}', 409),
        ("{}", 409),
    ],
)
def test_what_is_no_edit_is_refused_and_changes_nothing(
    site: Any, mapper: Mapper, body: str, status: int
) -> None:
    with site.client(**{"content-type": "application/json"}) as client:
        answer = client.post("/api/commands/edit_home", content=body)
    assert answer.status_code == status, answer.text
    assert mapper.edits == HomeEdits()


def test_a_hostile_name_is_text_on_the_map(site: Any, mapper: Mapper, open_page: Open) -> None:
    page = open_page(site, "map")
    page.get_by_role("button", name="sofa").click()
    page.get_by_label("New name").fill(HOSTILE)
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name=HOSTILE)).to_be_visible()
    assert page.evaluate("window.hacked") is None

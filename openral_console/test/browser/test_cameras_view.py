"""The cameras view: images, questions to a locator, and what can be done with a box."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from openral_testing.ros.robot import NOW, PlayedRobot, pose, scene

Open = Callable[..., Page]
pytestmark = pytest.mark.timeout(120)


def test_an_image_is_drawn_and_its_subscription_ends_with_the_view(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "cameras")
    expect(page.locator("canvas[data-camera]")).to_have_js_property("width", 160)
    expect(page.locator("[data-age]")).to_contain_text("1 by locator")
    page.get_by_role("link", name="Health").click()
    site.wait(lambda: robot.image_subscribers() == 0)


def test_a_locator_is_asked(site: Any, open_page: Open) -> None:
    page = open_page(site, "cameras")
    page.get_by_label("Is there a").fill("red mug")
    page.get_by_role("button", name="Look").click()
    expect(page.locator("#located")).to_contain_text("FOUND: 1 in view")


def in_view(name: str) -> Any:
    """Return the scene with an object in the middle of the camera's image."""
    found = scene()
    next(node for node in found.nodes if node.id == name).pose = pose(3.1, 2.6, 1.3)
    return found


def test_a_box_of_a_detector_is_remembered_renamed_and_brought(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "cameras")
    page.get_by_role("button", name="mug", exact=True).click()
    chosen = page.get_by_role("region", name="Chosen box")
    expect(chosen).to_contain_text("No remembered object")
    chosen.get_by_role("button", name="Remember this").click()
    expect(chosen).to_contain_text("In memory as mug_1")
    (asked,) = robot.observed
    (box,) = asked.detections.detections
    assert (asked.camera, asked.detector, asked.detections.header.frame_id) == (
        "head",
        "sim-locator",
        "head_optical",
    )
    assert asked.detections.header.stamp.sec >= NOW
    assert (box.bbox.center.position.x, box.bbox.size_y) == (80.0, 30.0)
    chosen.get_by_label("New name").fill("cup")
    chosen.get_by_role("button", name="Rename").click()
    site.wait(lambda: [(edit.node_id, edit.label) for edit in robot.edits] == [("mug_1", "cup")])
    chosen.get_by_role("button", name="Bring me this").click()
    assert robot.wait_for_prompt("bring me this").objects == ["mug_1"]


def test_a_box_that_memory_lacks_is_remembered_before_it_is_brought(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "cameras")
    page.get_by_role("button", name="mug", exact=True).click()
    page.get_by_role("region", name="Chosen box").get_by_role("button", name="Bring me this").click()
    assert robot.wait_for_prompt("bring me this").objects == ["mug_1"]
    assert len(robot.observed) == 1


def test_a_box_clicked_in_the_image_is_the_object_that_is_remembered_there(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    robot.scene.publish(in_view("mug_1"))
    page = open_page(site, "cameras")
    expect(page.locator("[data-age]")).to_contain_text("1 by locator")
    page.locator("canvas[data-camera]").click()
    chosen = page.get_by_role("region", name="Chosen box")
    expect(chosen).to_contain_text("In memory as mug_1, mug, present")
    chosen.get_by_role("button", name="mug_1").click()
    expect(page.get_by_role("region", name="mug", exact=True)).to_contain_text("mug_1")

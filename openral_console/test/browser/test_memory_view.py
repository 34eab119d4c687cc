"""The memory view: what is known of each object, and its corrections."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Header

from openral_testing.ros.robot import PlayedRobot, picture, scene

Open = Callable[..., Page]
pytestmark = pytest.mark.timeout(120)


def test_memory_is_searched_and_asked_as_the_robot_asks(site: Any, open_page: Open) -> None:
    page = open_page(site, "memory")
    expect(page.get_by_role("button", name="bowl")).to_be_visible()
    page.get_by_label("Object", exact=True).fill("mug")
    expect(page.get_by_role("button", name="bowl")).to_have_count(0)
    page.get_by_role("button", name="Ask memory").click()
    expect(page.get_by_role("region", name="What the robot would recall")).to_contain_text("label is equal")


def test_an_object_is_renamed_moved_merged_forgotten_and_had_back(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "memory")
    page.get_by_role("button", name="mug").click()
    page.get_by_label("New name").fill("cup")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("alert")).to_contain_text("mug_1 edited")
    page.get_by_label("Put it onto").select_option("table")
    page.get_by_label("x [m]").fill("3.7")
    page.get_by_role("button", name="Move").click()
    site.wait(lambda: len(robot.edits) == 2)
    page.get_by_label("Merge with").select_option("bowl_2")
    page.get_by_role("button", name="Merge").click()
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("button", name="Really forget mug").click()
    site.wait(lambda: len(robot.edits) == 4)
    page.get_by_role("button", name="Undo").click()
    site.wait(lambda: len(robot.edits) == 5)
    moved = robot.edits[1].position
    assert (moved.x, moved.y, moved.z) == (3.7, 1.5, 0.8)
    assert [(edit.operation, edit.label, edit.other) for edit in robot.edits] == [
        (0, "cup", ""),
        (1, "", ""),
        (3, "", "bowl_2"),
        (2, "", ""),
        (4, "", ""),
    ]


def test_of_two_mugs_the_one_that_is_shown_is_fetched(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    two = scene()
    next(node for node in two.nodes if node.id == "bowl_2").label = "mug"
    two.revision += 1  # the table is drawn anew for another revision
    robot.scene.publish(two)
    page = open_page(site, "memory")
    mugs = page.get_by_role("button", name="mug", exact=True)
    expect(mugs).to_have_count(2)
    for place in range(2):
        mugs.nth(place).click()
        page.get_by_role("button", name="Bring me this").click()
        site.wait(lambda count=place + 1: len(robot.prompts) == count)
    assert {each.text for each in robot.prompts} == {"bring me this"}
    assert sorted(each.objects[0] for each in robot.prompts) == ["bowl_2", "mug_1"]


def test_an_object_is_shown_as_it_was_seen_best(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    robot.pictures.publish(picture("mug_1"))
    site.wait(lambda: site.section("pictures"))
    page = open_page(site, "memory")
    expect(page.locator("img.thumb")).to_have_js_property("naturalWidth", 60)
    page.get_by_role("button", name="mug").click()
    expect(page.get_by_role("img", name="Picture of mug")).to_have_js_property("naturalWidth", 60)
    robot.pictures.publish(CompressedImage(header=Header(frame_id="mug_1")))
    expect(page.locator("main img")).to_have_count(0)


def test_what_is_typed_about_an_object_survives_its_next_observation(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "memory")
    page.get_by_role("button", name="mug").click()
    page.get_by_label("New name").fill("tall cup")
    seen_again = scene()
    for node in seen_again.nodes:
        node.observation_count += 40
        node.pose.position.x = 0.5
    robot.scene.publish(seen_again)
    expect(page.get_by_role("region", name="mug", exact=True)).to_contain_text("Observations82")
    expect(page.get_by_role("region", name="History")).to_contain_text("moved to (0.50, 3.60, 0.95) m")
    expect(page.get_by_label("New name")).to_have_value("tall cup")

"""The page of a running robot, as a person uses it."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from openral_console.checks import Checks
from openral_console.ros.robot import LiveSource
from openral_console.security import Access
from openral_msgs.msg import MissionStatus, SceneNode, ToolCallRecord
from openral_testing.ros.robot import HOSTILE, PlayedRobot, frontier, mission, picture, pose, scene

Open = Callable[..., Page]
VIEWS = ("mission", "home", "cameras", "memory", "detectors", "health")
pytestmark = pytest.mark.timeout(120)


def test_the_mission_is_shown_with_every_call_and_its_reason(site: Any, open_page: Open) -> None:
    page = open_page(site)
    expect(page.get_by_role("heading", name="bring me the baguette")).to_be_visible()
    calls = page.get_by_role("region", name="Tool calls")
    expect(calls).to_contain_text("not in memory; near miss: bread_4")
    expect(calls).to_contain_text("5.1 s")
    expect(page.get_by_role("progressbar", name="locates used")).to_have_attribute("value", "3")


def test_a_change_on_the_robot_appears_without_reloading(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site)
    expect(page.get_by_text("Under way")).to_be_visible()
    robot.mission.publish(mission(MissionStatus.STATE_SUCCEEDED, reason="I brought it"))
    expect(page.get_by_role("region", name="Mission")).to_contain_text("Done")
    expect(page.locator("#summary")).to_contain_text("bring me the baguette: I brought it")


def test_a_goal_is_given_by_keyboard_alone(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site)
    expect(page.get_by_label("Goal")).to_be_visible()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "goal":
            break
    page.keyboard.type("find the mug")
    page.keyboard.press("Enter")
    robot.wait_for_prompt("find the mug")
    expect(page.get_by_role("alert").filter(has_text="understood")).to_be_visible()
    expect(page.get_by_label("Goal")).to_have_value("")


def test_what_is_typed_survives_changes_of_the_robot(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site)
    page.get_by_label("Goal").fill("find the")
    robot.mission.publish(mission(step="another step"))
    expect(page.get_by_role("region", name="Mission")).to_contain_text("another step")
    expect(page.get_by_label("Goal")).to_have_value("find the")


def test_a_question_is_answered_with_a_choice(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site)
    robot.ask("Which mug do you mean?", ["the red one", "the blue one"])
    page.get_by_role("button", name="the red one").click()
    assert robot.wait_for_prompt("the red one").in_reply_to == "h1"


def test_a_question_is_answered_in_words(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site)
    robot.ask("Where is it?", [])
    page.get_by_label("Answer in your words").fill("in the cellar")
    page.get_by_role("button", name="Answer").click()
    assert robot.wait_for_prompt("in the cellar").in_reply_to == "h1"


def test_a_phone_shows_every_view_without_sideways_scrolling_and_with_a_stop(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, phone=True)
    stop = page.get_by_role("button", name="Stop", exact=True)
    for place, view in enumerate(VIEWS):
        page.get_by_role("link", name=view.title()).click()
        expect(page.locator("main .card").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(page.get_by_role("navigation")).to_be_in_viewport()
        box = stop.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44.0
        stop.click()
        site.wait(lambda count=place + 1: len(robot.prompts) >= count)


def test_stop_works_while_the_page_still_loads(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site)
    page.route("**/api/about", lambda route: None)  # is never answered
    page.reload()
    page.get_by_role("button", name="Stop", exact=True).click()
    robot.wait_for_prompt("stop")


SCRIPT = "window.hacked=1"
HOSTILE_LABELS = [
    template.format(script)
    for template in (
        "<script>{}</script>",
        "</script><script>{}</script>",
        '<img src=x onerror="{}">',
        "<svg onload={}>",
        "<svg><script>{}</script></svg>",
        '"><script>{}</script>',
        "'><img src=x onerror={}>",
        "<body onload={}>",
        '<iframe srcdoc="<script>{}</script>">',
        "javascript:{}",
        '<a href="javascript:{}">mug</a>',
        "<details open ontoggle={}>",
        "<style>@import 'javascript:{}'</style>",
        "<math><mtext><script>{}</script>",
        "<!--<script>{}</script>-->",
        "{{{{constructor.constructor('{}')()}}}}",
        "${{{}}}",
        "`+{}+`",
        "<base href=javascript:{}//>",
        "<object data=javascript:{}>",
        "<input autofocus onfocus={}>",
        "<video><source onerror={}>",
        "<marquee onstart={}>",
        "<form action=javascript:{}><button>x",
    )
    for script in (SCRIPT, "parent.hacked=1;window.hacked=1")
] + ["\u202egum", "a\u0000b", "\ufeff", "constructor", "__proto__", "toString"]


def test_no_hostile_label_runs_in_any_view(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    found = scene()
    for place, label in enumerate(HOSTILE_LABELS):
        found.nodes.append(
            SceneNode(id=label, label=label, source=label, aliases=[label], pose=pose(2.0, 0.1 * place, 1.0))
        )
    robot.scene.publish(found)
    robot.fail(HOSTILE)
    robot.mission.publish(mission(goal=HOSTILE, reason=HOSTILE))
    robot.frontier.publish(frontier(*HOSTILE_LABELS))
    robot.pictures.publish(picture(HOSTILE_LABELS[0]))
    site.wait(lambda: len(site.section("scene")["nodes"]) > len(HOSTILE_LABELS) and site.section("frontier"))
    site.wait(lambda: site.section("failures"))
    page = open_page(site, "memory")
    expect(page.get_by_role("button", name=HOSTILE_LABELS[0], exact=True)).to_be_visible()
    page.get_by_role("button", name=HOSTILE_LABELS[0], exact=True).click()
    expect(page.get_by_role("region", name=HOSTILE_LABELS[0], exact=True)).to_be_visible()
    for view in VIEWS:
        page.get_by_role("link", name=view.title()).click()
        expect(page.locator("main .card").first).to_be_visible()
        if view in ("health", "mission"):
            expect(page.get_by_text(HOSTILE).first).to_be_visible()
        assert page.locator("main script, main iframe, main object, main style, main base").count() == 0
    assert page.evaluate("window.hacked") is None


def test_the_home_is_drawn_and_an_object_leads_to_its_memory(site: Any, open_page: Open) -> None:
    page = open_page(site, "home")
    expect(page.locator("#drawn")).to_contain_text("4 objects drawn")
    canvas = page.locator("#home")
    box = canvas.bounding_box()
    assert box is not None
    for row in range(12):
        for column in range(24):
            x, y = box["width"] * (column + 1) / 26, box["height"] * (row + 1) / 14
            canvas.click(position={"x": x, "y": y})
            if "#memory" in page.url:
                expect(page.locator("#object h1")).to_be_visible()
                return
    raise AssertionError("no place of the picture leads to an object")


def test_the_robot_is_drawn_with_its_joints_and_what_its_camera_sees(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "home")
    expect(page.locator("#home")).to_have_attribute("data-links", "2")
    expect(page.locator("#home")).to_have_attribute("data-views", "head")
    page.get_by_role("link", name="Health").click()
    site.wait(lambda: robot.transforms.get_subscription_count() == 0 and robot.image_subscribers() == 0)


def look_at_the_second_of_two_shelves(robot: PlayedRobot) -> None:
    """Publish a search of one of two places with the same name, alike in the mission's lines."""
    graph = scene()
    for name in ("shelf_1", "shelf_2"):
        graph.nodes.append(SceneNode(id=name, label="shelf", kind=SceneNode.KIND_PLACE))
    robot.scene.publish(graph)
    status = mission()
    status.searched = ["counter: NOT_IN_VIEW", "shelf: NOT_IN_VIEW", "shelf: NOT_EVALUATED"]
    for index, (arguments, outcome) in enumerate(
        (
            ('{"target": "shelf_1"}', "NOT_IN_VIEW"),
            ('{"target": "shelf_2", "search_for": "mug"}', "NOT_IN_VIEW"),
            ("cut off", "FOUND"),
        )
    ):
        call = ToolCallRecord(index=index, tool="execute_rskill", arguments_json=arguments, status=outcome)
        status.calls[index] = call
    robot.mission.publish(status)


def test_the_places_of_a_search_are_ranked_and_marked_until_the_mission_ends(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    robot.frontier.publish(frontier("table", "counter"))
    page = open_page(site, "home")
    search = page.get_by_role("region", name="Search")
    expect(search).to_contain_text("1 dining table a usual place2 kitchen counter")
    expect(search).to_contain_text("Looked atkitchen counter FOUND")
    expect(page.locator("#home")).to_have_attribute("data-looked", "counter")
    look_at_the_second_of_two_shelves(robot)
    expect(page.locator("#home")).to_have_attribute("data-looked", "counter shelf_2 ")
    expect(search).to_contain_text("shelf NOT_EVALUATED")
    robot.mission.publish(mission(MissionStatus.STATE_SUCCEEDED, reason="found it"))
    expect(search).not_to_contain_text("To search next")


def test_of_too_many_objects_the_page_says_what_it_leaves_out(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    robot.scene.publish(scene(20_000))
    page = open_page(site, "home")
    expect(page.locator("#drawn")).to_contain_text("left out", timeout=60_000)


def test_a_failure_appears_as_it_comes(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site, "health")
    expect(page.get_by_text("No failure was reported.")).to_be_visible()
    robot.fail("the worker of the locator crashed")
    expect(page.get_by_role("region", name="Failures")).to_contain_text("the worker of the locator crashed")


def test_the_machine_is_checked_when_a_person_asks(site: Any, open_page: Open) -> None:
    report = {
        "summary": "Fix first: memory.",
        "findings": [
            {"what": "memory", "verdict": "bad", "found": "12 MB free", "advice": "close other programs"}
        ],
    }
    checks = Checks({"doctor": (sys.executable, "-c", f"import json; print(json.dumps({report!r}))")})
    checked = type(site)(site.source, Access(), checks=checks)
    try:
        page = open_page(checked, "health")
        shown = page.get_by_role("region", name="Checks")
        shown.get_by_role("button", name="Check this machine").click()
        expect(shown).to_contain_text("Fix first: memory.")
        expect(shown.get_by_role("listitem")).to_contain_text("memory 12 MB freeclose other programs")
    finally:
        checked.close()


def test_a_part_that_ends_is_named(site: Any, robot: PlayedRobot, open_page: Open) -> None:
    page = open_page(site)
    robot.node.destroy_publisher(robot.mission)
    expect(page.locator("#summary")).to_contain_text("reasoner")
    expect(page.get_by_role("heading", name="bring me the baguette")).to_be_visible()


def test_detectors_are_listed_with_what_they_hold_and_count(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "detectors")
    shown = page.get_by_role("region", name="sim-locator")
    expect(shown).to_contain_text("310 MB held")
    expect(shown).to_contain_text("Rate5.0 images/s")
    expect(shown).to_contain_text("80 ms, 95 % within 123 ms")
    expect(shown).to_contain_text("1 waiting, 3 refused, 7 images skipped")
    expect(shown).to_contain_text("2 of its worker, the last: out of memory")
    robot.fail("the worker was killed")
    expect(shown).to_contain_text("1 reported, the last: the worker was killed")
    expect(shown.get_by_role("button", name="Deactivate")).to_be_visible()


def test_a_button_stays_while_the_figures_of_a_detector_change(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    page = open_page(site, "detectors")
    shown = page.get_by_role("region", name="sim-locator")
    button = shown.get_by_role("button", name="Deactivate")
    button.evaluate("element => { element.dataset.first = 'yes'; }")
    robot.latency = 0.5
    expect(shown).to_contain_text("500 ms")
    expect(button).to_have_attribute("data-first", "yes")


def test_a_console_that_only_shows_offers_nothing_but_a_stop(
    site: Any, robot: PlayedRobot, open_page: Open
) -> None:
    showing = type(site)(site.source, Access())
    try:
        page = open_page(showing)
        expect(page.get_by_role("heading", name="bring me the baguette")).to_be_visible()
        assert page.get_by_label("Goal").count() == 0
        page.get_by_role("button", name="Stop", exact=True).click()
        robot.wait_for_prompt("stop")
    finally:
        showing.close()


def test_a_token_is_asked_for_and_a_wrong_one_refused(site: Any, open_page: Open) -> None:
    guarded = type(site)(site.source, Access("correct horse"))
    try:
        page = open_page(guarded)
        page.get_by_label("Token").last.fill("wrong")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("Wrong token")).to_be_visible()
        page.get_by_label("Token").last.fill("correct horse")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("heading", name="bring me the baguette")).to_be_visible()
        assert "correct" not in page.url
    finally:
        guarded.close()


def test_without_a_robot_every_view_says_what_is_missing(
    site: Any, robot: PlayedRobot, ros_domain: int, open_page: Open
) -> None:
    source = LiveSource("/elsewhere", domain=ros_domain)
    alone = type(site)(source, Access(allow_actions=True))
    try:
        page = open_page(alone)
        expect(page.locator("#summary")).to_contain_text("Not running: reasoner, world_state")
        for view in VIEWS:
            page.get_by_role("link", name=view.title()).click()
            expect(page.locator("main .card").first).to_be_visible()
    finally:
        alone.close()
        source.close()

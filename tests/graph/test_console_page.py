"""The page of the console, used by a person beside a launched graph."""

import os
import re
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
pytest.importorskip("playwright.sync_api")
from dds_ports import reserved_domain
from graph.deployments import Deployment
from playwright.sync_api import Locator, Page, expect

from openral_testing.browser import PHONE, WIDE, chromium

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(300)]
LOCATOR = "sim-groundtruth-locator"
ANSWERS = "reasoner.handoff_timeout=120"
SOON, MISSION = 30_000.0, 120_000.0
"""Longest waits for the page and for a mission [ms]."""


@dataclass(frozen=True)
class Watched:
    """A launched graph and the page that watches it."""

    deployment: Deployment
    page: Page

    def view(self, name: str) -> None:
        self.page.get_by_role("navigation").get_by_role("link", name=name).click()

    def send(self, goal: str) -> None:
        self.view("Mission")
        self.page.get_by_label("Goal").fill(goal)
        self.page.get_by_role("button", name="Send").click()
        expect(self.page.get_by_role("heading", name=goal)).to_be_visible()

    def mission(self) -> Locator:
        return self.page.get_by_role("region", name="Mission")

    def expect_motion(self) -> None:
        """Wait until a skill is being carried out."""
        calls = self.page.get_by_role("region", name="Tool calls")
        expect(calls.get_by_role("listitem").first).to_contain_text(
            re.compile("execute_rskill.*pending", re.DOTALL), timeout=MISSION
        )


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("console")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        reserved_domain(folder / "ros"),
        chromium() as browser,
        Deployment(folder, "--console", str(port), "--set", ANSWERS) as deployment,
    ):
        deployment.wait_until_printed("/reasoner is active", 120.0)
        page = browser.new_page(viewport=WIDE)
        page.set_default_timeout(SOON)
        expect.set_options(timeout=SOON)
        page.goto(f"http://127.0.0.1:{port}/")
        expect(page.locator("#summary")).to_contain_text("Ready for a goal")
        yield Watched(deployment, page)


def test_a_goal_is_given_watched_and_ends(watched: Watched) -> None:
    watched.send("find the mug")
    expect(watched.mission()).to_contain_text("Done", timeout=MISSION)
    calls = watched.page.get_by_role("region", name="Tool calls")
    expect(calls).to_contain_text("recall_object")
    expect(watched.page.locator("#summary")).to_contain_text("find the mug")


def test_a_question_is_answered_on_the_page(watched: Watched) -> None:
    watched.send("bring the book to Zebulon")
    question = watched.page.get_by_role("region", name="Question")
    expect(question).to_contain_text("Zebulon", timeout=MISSION)
    watched.page.get_by_label("Answer in your words").fill("never mind")
    question.get_by_role("button", name="Answer").click()
    expect(question).to_have_count(0)


def test_a_locator_is_asked_with_the_live_image(watched: Watched) -> None:
    watched.view("Cameras")
    watched.page.get_by_label("Is there a").fill("unicorn")
    watched.page.get_by_role("button", name="Look").click()
    expect(watched.page.locator("#located")).to_contain_text("NOT_IN_VIEW")
    expect(watched.page.locator("canvas[data-camera]").first).to_have_js_property("width", 640)


def test_a_box_of_the_live_image_is_the_object_that_is_remembered_there(watched: Watched) -> None:
    watched.view("Cameras")
    watched.page.locator("[data-boxes] button").first.click()
    expect(watched.page.get_by_role("region", name="Chosen box")).to_contain_text("In memory as")


def test_an_object_is_renamed_and_has_its_name_back(watched: Watched) -> None:
    page = watched.page
    watched.view("Memory")
    page.get_by_role("button", name="mug", exact=True).first.click()
    page.get_by_label("New name").fill("tall cup")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("button", name="tall cup", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="tall cup", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="mug", exact=True).first).to_be_visible()


def test_a_stop_in_mid_motion_holds_until_it_is_released(watched: Watched) -> None:
    page = watched.page
    watched.send("bring me the baguette")
    watched.expect_motion()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#summary")).to_contain_text("Emergency stop: stop button of the console")
    expect(watched.mission()).to_contain_text("Cancelled", timeout=MISSION)
    page.get_by_role("button", name="Release").click()
    expect(page.locator("#summary")).not_to_contain_text("Emergency stop")
    watched.send("go to the kitchen")
    expect(watched.mission()).to_contain_text("Done", timeout=MISSION)


def test_a_killed_locator_is_shown_as_it_goes_and_comes_back(watched: Watched) -> None:
    page = watched.page
    watched.view("Detectors")
    shown = page.get_by_role("region", name=LOCATOR)
    expect(shown).to_contain_text("active")
    process = ("openral_perception_ros", "sim_groundtruth_locator")
    for pid in watched.deployment.pids(*process):
        os.kill(pid, signal.SIGSTOP)  # or it may be back before the page could have missed it
    expect(page.locator("#summary")).to_contain_text("Not running: detector sim_groundtruth_locator")
    assert watched.deployment.kill(*process)
    expect(page.locator("#summary")).not_to_contain_text("Not running", timeout=MISSION)
    expect(shown).to_contain_text("active", timeout=MISSION)


def test_a_phone_shows_the_running_robot(watched: Watched) -> None:
    page = watched.page.context.browser.new_page(viewport=PHONE)  # type: ignore[union-attr]
    page.goto(watched.page.url)
    for view in ("Mission", "Home", "Cameras", "Memory", "Detectors", "Health"):
        page.get_by_role("navigation").get_by_role("link", name=view).click()
        expect(page.locator("main .card").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.close()

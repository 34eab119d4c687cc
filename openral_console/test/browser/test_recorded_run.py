"""The page of a recorded run: one scrubber moves every view."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from rclpy.serialization import serialize_message

from openral_console.ros.recording import RecordingSource
from openral_console.security import Access
from openral_msgs.msg import FailureTrigger, MissionStatus
from openral_recorder.ros.topic_recorder import compressed
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.images import image_message
from openral_testing.ros.robot import mission, scene

Open = Callable[..., Page]
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def recorded(tmp_path: Path, site_class: Any) -> Iterator[Any]:
    """Ten seconds: a mission with pending calls, a failure, the end; one image."""
    recording = McapRecording(tmp_path / "run.mcap", RecordingLimits(min_free=0))

    def write(topic: str, message: Any, time: float) -> None:
        kind = f"{type(message).__module__.split('.')[0]}/msg/{type(message).__name__}"
        recording.write(topic, ros_schema(kind), bytes(serialize_message(message)), int(time * 1e9))

    write("/openral/scene_graph", scene(), 100.0)
    write("/openral/mission", mission(step="looking around"), 102.0)
    write("/openral/failure/x", FailureTrigger(source="x", kind="crashed", message="lost"), 105.0)
    write("/openral/mission", mission(MissionStatus.STATE_SUCCEEDED, reason="brought it"), 110.0)
    image = image_message(np.full((48, 64, 3), 90, np.uint8), "rgb8", 103.0, "head")
    write("/head/image_raw/compressed", compressed(image)[1], 103.0)
    recording.close()
    source = RecordingSource(tmp_path)
    opened = site_class(source, Access())
    yield opened
    opened.close()


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

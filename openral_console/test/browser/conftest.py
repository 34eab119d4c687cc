"""A browser that people use: Chromium of the system, driven by Playwright."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from openral_console.security import Access
from openral_msgs.msg import FailureTrigger, MissionStatus
from openral_recorder.ros.topic_recorder import compressed
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.images import image_message
from openral_testing.recordings.ros.source import RecordingSource
from openral_testing.ros.mapper import Mapper
from openral_testing.ros.robot import mission, scene

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from openral_testing.browser import PHONE, WIDE, chromium

TIMEOUT = 20_000.0
"""Longest wait for the page [ms]."""


@pytest.fixture
def mapper(ros_domain: int) -> Iterator[Mapper]:
    """A mapper beside the robot."""
    made = Mapper(ros_domain)
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`open_page(site, view, phone=False)`; an error on the page, or a request to another site, fails."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def opened(site: Any, view: str = "mission", phone: bool = False, query: str = "") -> Page:
        own = (site.url, "blob:")

        def check(asked: Request) -> None:
            if not asked.url.startswith(own):
                problems.append(asked.url)

        context = browser.new_context(viewport=PHONE if phone else WIDE, has_touch=phone)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        expect.set_options(timeout=TIMEOUT)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", check)
        page.goto(f"{site.url}{query}#{view}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


def span(name: str, begun: float, ended: float) -> dict[str, object]:
    """Return a span as OpenTelemetry's JSON exporter writes it; times since the epoch [s]."""
    times = [datetime.fromtimestamp(time, UTC).isoformat() for time in (begun, ended)]
    resource = {"attributes": {"service.name": "sim"}}
    return {
        "name": name,
        "context": {"span_id": name},
        "start_time": times[0],
        "end_time": times[1],
        "resource": resource,
    }


@pytest.fixture
def recorded(tmp_path: Path, site_class: Any) -> Iterator[Any]:
    """Ten seconds: a mission with pending calls, a span, a failure, the end; one image."""
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
    write("/openral/recording/spans/sim", String(data=json.dumps(span("grasp", 102.0, 104.0))), 104.5)
    recording.close()
    source = RecordingSource(tmp_path)
    opened = site_class(source, Access())
    yield opened
    opened.close()

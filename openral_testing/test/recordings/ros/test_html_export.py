"""A run as one HTML file: everything is inside, nothing of it is markup, and its size is bounded."""

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from typer.testing import CliRunner

from openral_msgs.msg import DetectorInfo, FailureTrigger, MissionStatus
from openral_recorder.ros.topic_recorder import compressed
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.images import image_message
from openral_testing.recordings.ros.cli import commands
from openral_testing.recordings.ros.html_export import NotExported, TooLarge, export_run
from openral_testing.recordings.ros.source import RecordingSource

HOSTILE = "</script><script>window.hacked=1</script>"
Record = Callable[..., RecordingSource]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """`record(images=20)`: ten seconds with a hostile goal, a failure, and noise as images."""

    def make(images: int = 20) -> RecordingSource:
        recording = McapRecording(tmp_path / "run.mcap", RecordingLimits(min_free=0))
        messages: list[tuple[str, Any, float]] = [
            ("/openral/mission", MissionStatus(mission_id="m", goal=HOSTILE, state=1, step="first"), 100.0),
            ("/openral/perception/one/info", DetectorInfo(id="one", slug="one"), 100.0),
            ("/openral/perception/two/info", DetectorInfo(id="two", slug="two"), 100.0),
            ("/openral/failure/x", FailureTrigger(source="x", message=HOSTILE), 104.1),
            ("/openral/mission", MissionStatus(mission_id="m", goal=HOSTILE, state=1, step="last"), 110.0),
        ]
        for step in range(images):
            time = 100.0 + 10.0 * step / images
            pixels = np.random.default_rng(step).integers(0, 256, (60, 80, 3), np.uint8)
            image = compressed(image_message(pixels, "rgb8", time, HOSTILE))[1]
            messages.append(("/head/image_raw/compressed", image, time))
        for topic, message, time in sorted(messages, key=lambda each: each[2]):
            kind = f"{type(message).__module__.split('.')[0]}/msg/{type(message).__name__}"
            recording.write(topic, ros_schema(kind), bytes(serialize_message(message)), round(time * 1e9))
        recording.close()
        return RecordingSource(tmp_path)

    return make


def content(html: str) -> dict[str, Any]:
    found = re.search(r'id="content">([^<]*)</script>', html)
    assert found is not None
    return dict(json.loads(gzip.decompress(b64decode(found[1]))))


def test_every_section_has_its_moments(record: Record) -> None:
    found = content(export_run(record(), 10_000_000).html)
    assert [(time, value["step"]) for time, value in found["sections"]["mission"]] == [
        (0.0, "first"),
        (10.0, "last"),
    ]
    (failure,) = found["sections"]["failures"]
    assert failure[0] == 4.1  # the mark, not the next tick
    assert [mark["kind"] for mark in found["run"]["marks"]] == ["failure"]
    assert len(found["images"]["head"]) == 20


def test_an_exported_moment_is_that_of_the_console(record: Record) -> None:
    source = record()
    sections = content(export_run(source, 10_000_000).html)["sections"]
    for time in (0.0, 4.0, 4.11, 9.9, 10.0):
        shown = {name: [v for t, v in rows if t <= time + 1e-3][-1:] for name, rows in sections.items()}
        expected = dict(json.loads(source.at(time)))
        assert expected.pop("cameras") == ["head"]
        assert {name: found[0] for name, found in shown.items() if found} == expected


def test_texts_of_the_robot_are_not_in_the_markup(record: Record) -> None:
    html = export_run(record(), 10_000_000).html
    assert "hacked" not in html
    assert content(html)["images"]["head"][0][2] == HOSTILE
    assert "default-src 'none'" in html
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', html) == []


def test_a_file_that_would_be_too_large_has_fewer_images(record: Record) -> None:
    source = record()
    whole = export_run(source, 10_000_000)
    limit = len(whole.html) - 30_000
    small = export_run(source, limit)
    assert len(small.html) <= limit
    assert 0 < small.images < whole.images == small.recorded
    with pytest.raises(TooLarge, match="max-size-mb"):
        export_run(source, 50_000)


def test_the_command_tells_the_size_and_what_is_inside(record: Record, tmp_path: Path) -> None:
    record()
    result = CliRunner().invoke(commands, ["export", "html", str(tmp_path)])
    assert "20 of 20 images" in result.output
    assert f"{(tmp_path / 'run.html').stat().st_size / 1e6:.1f} MB" in result.output
    unwritable = tmp_path / "none" / "run.html"
    result = CliRunner().invoke(commands, ["export", "html", str(tmp_path), "--out", str(unwritable)])
    assert isinstance(result.exception, NotExported)

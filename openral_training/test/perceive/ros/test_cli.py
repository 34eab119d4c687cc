"""`openral perceive`: the same detections give the same memory, other detectors another one, in words."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("rclpy")
from std_msgs.msg import Header, String

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import ObserveResult, ObserveStatus, RecallMatch, SceneNode
from openral_reasoner.commands import CallObserve
from openral_reasoner.events import Located, Observed
from openral_reasoner.settings import MissionSettings
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.stamps import stamp_of
from openral_testing.recordings.lives import settings_line, step_line
from openral_training.perceive.ros.cli import MemoryDiffers, NothingExpected, NothingIntegrated, commands
from openral_training.perceive.ros.recorded_images import NeedsSensors, WrongMode
from openral_training.perceive.ros.streams import NoCamera

RSKILLS = Path(__file__).parents[4] / "rskills"
MugAt = Callable[..., SceneNode]


def perceive(*arguments: object) -> str:
    result = CliRunner().invoke(commands, [*map(str, arguments), "--rskills", str(RSKILLS)])
    if isinstance(result.exception, OpenRALError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def objects(*arguments: object) -> list[dict[str, Any]]:
    return list(json.loads(perceive(*arguments, "--json"))["objects"])


def test_recorded_detections_give_the_recorded_memory(record: Callable[..., Path], mug_at: MugAt) -> None:
    (found,) = objects(record(mug_at()), "--expect", "recorded")
    assert (found["outcome"], found["after"]["label"]) == ("same", "mug")
    assert found["after"]["position"] == pytest.approx(mug_at().pose.position, abs=0.03)
    assert found["after"]["observations"] == 8


def test_a_memory_that_differs_is_told_and_ends_with_an_exit_code(
    record: Callable[..., Path], mug_at: MugAt
) -> None:
    run = record(mug_at(2.4))
    output = perceive(run)
    assert "0 of 1 objects are the same" in output
    assert "moved" in output
    with pytest.raises(MemoryDiffers, match="in 1 of 1 objects") as raised:
        perceive(run, "--expect", "recorded")
    assert raised.value.exit_code == 1
    assert objects(run, "--expect", "recorded", "--tolerance-cm", "50")[0]["outcome"] == "same"


def test_another_detector_remembers_what_it_sees(
    record: Callable[..., Path], mug_at: MugAt, bread_detector: Path
) -> None:
    run = record(mug_at())
    missing, new = objects(run, "--continuous", bread_detector)
    assert (missing["outcome"], missing["before"]["label"]) == ("missing", "mug")
    assert (new["outcome"], new["after"]["label"]) == ("new", "bread")
    assert new["after"]["position"][0] == pytest.approx(2.5, abs=0.05)  # the wall, where its box is


def test_a_bag_of_a_robot_with_its_own_topics_is_repeated_and_compared_with_a_saved_memory(
    foreign_bag: tuple[Path, Path], bread_detector: Path, tmp_path: Path
) -> None:
    bag, robot = foreign_bag
    chosen = (bag, "--robot", robot, "--continuous", bread_detector)
    saved = tmp_path / "expected.json"
    assert "no memory to compare with" in perceive(*chosen, "--save", saved)
    (found,) = objects(*chosen, "--expect", saved)
    assert (found["outcome"], found["after"]["label"]) == ("same", "bread")
    with pytest.raises(NothingExpected, match="--save"):
        perceive(*chosen, "--expect", "recorded")
    with pytest.raises(NoCamera, match=r"its images are /driver/depth, /driver/rgb: .*robot\.yaml"):
        perceive(bag)


@pytest.mark.parametrize("slashes", ["tf", "headers", "tf headers"])
def test_a_slash_before_a_frame_makes_no_difference(
    slashes: str, record: Callable[..., Path], mug_at: MugAt
) -> None:
    (found,) = objects(record(mug_at(), slashes=slashes), "--expect", "recorded")
    assert (found["outcome"], found["after"]["observations"]) == ("same", 8)


@pytest.mark.parametrize(
    ("without", "words"),
    [
        ("/tf_static", "none of 8 frames .*no transform from 'optical' to 'map'"),
        ("/head/depth", "none of 8 frames .*depth"),
        ("/openral/perception/eye/objects", "no recorded detections: name detectors with --continuous"),
    ],
)
def test_a_recording_from_which_nothing_is_integrated_fails_with_the_reason(
    without: str, words: str, record: Callable[..., Path], mug_at: MugAt, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.json"
    with pytest.raises(NothingIntegrated, match=words):
        perceive(record(mug_at(), without=without), "--save", saved)
    assert not saved.exists()


def test_what_was_left_out_is_told_with_its_share_and_reason(
    record: Callable[..., Path], mug_at: MugAt
) -> None:
    header = Header(stamp=stamp_of(101.0), frame_id="no_camera")
    stray = detections_message([Detection(Box(20.0, 20.0, 40.0, 40.0), "lemon", 0.9)], header)
    output = perceive(record(mug_at(), extra=(("/openral/perception/eye/objects", stray, 101.1),)))
    assert "integrated 8 of 9 frames" in output
    assert "'no_camera'" in output


def test_a_detector_that_reads_depth_gets_the_recorded_one(
    record: Callable[..., Path], mug_at: MugAt, bread_detector: Path
) -> None:
    manifest = bread_detector / "rskill.yaml"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "sensors": ["rgb", "depth"]}))
    run = record(mug_at())
    counts = json.loads(perceive(run, "--continuous", bread_detector, "--json"))
    assert (counts["offered"], counts["frames"], counts["refused"]) == (8, 8, {})
    shutil.rmtree(run)
    run = record(mug_at(), without="/head/depth")
    with pytest.raises(NeedsSensors, match="reads depth images, which this recording does not have"):
        perceive(run, "--continuous", bread_detector)


def events(mug: SceneNode, stamp: float) -> tuple[tuple[str, String, float], ...]:
    """A mission asked a locator for a cup at a stamp; memory stored it."""
    box = Detection(Box(40.0, 40.0, 60.0, 60.0), "cup", 0.8)
    located = Located(
        call_id="c1",
        result=LocateResult(LocateStatus.FOUND, "found", "cup", "head", "eye", (box,)),
    )
    observe = CallObserve(call_id="c2", located="c1", camera="head", detector="eye")
    match = RecallMatch("o2", "cup", 1.0, Pose((2.5, 0.0, 1.0)), (0.1, 0.1, 0.1), "", last_seen=stamp)
    observed = Observed(call_id="c2", result=ObserveResult(ObserveStatus.REMEMBERED, "", (match,)))
    lines = [
        settings_line(MissionSettings()),
        step_line(1.0, located, (observe,)),
        step_line(1.1, observed, ()),
    ]
    return tuple(("/openral/recording/reasoner", String(data=line), stamp + 0.3) for line in lines)


def test_recorded_answers_of_a_locator_are_placed_again(record: Callable[..., Path], mug_at: MugAt) -> None:
    run = record(mug_at(), extra=events(mug_at(), 101.0))
    found = {each["after"]["label"]: each["outcome"] for each in objects(run)}
    assert found == {"mug": "same", "cup": "new"}
    assert [each["after"]["label"] for each in objects(run, "--on-demand", "none")] == ["mug"]


def test_what_came_after_the_last_recorded_memory_is_left_out(
    record: Callable[..., Path], mug_at: MugAt
) -> None:
    box = Detection(Box(20.0, 20.0, 40.0, 40.0), "lemon", 0.9)
    for time, count in ((102.5, 2), (104.5, 1)):
        header = Header(stamp=stamp_of(102.5), frame_id="optical")
        late = ("/openral/perception/eye/objects", detections_message([box], header), time)
        run = record(mug_at(), extra=(late,))
        assert len(objects(run)) == count
        shutil.rmtree(run)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("--continuous", "sim-groundtruth"), NeedsSensors, "reads semantic images, which this recording"),
        (("--continuous", "omdet-turbo-locator"), WrongMode, "give it with --on-demand"),
        (("--on-demand", "rtdetr-coco-r18"), WrongMode, "give it with --continuous"),
    ],
)
def test_a_detector_that_cannot_be_used_is_told(
    arguments: tuple[str, ...], error: type[OpenRALError], words: str, record: Callable[..., Path]
) -> None:
    with pytest.raises(error, match=words):
        perceive(record(), *arguments)

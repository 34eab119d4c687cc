"""The kit, as a user runs it, on detectors that are shipped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)


def kit(detector: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        "/",
        "-c",
        os.devnull,
    ]
    where = [
        "--openral-rskills",
        str(ROOT / "rskills"),
        "--openral-load-cycles",
        "2",
        "--openral-inference-timeout",
        "3",
    ]
    return subprocess.run(
        [*command, "--openral-detector", detector, *where, *options],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={**os.environ, "PYTEST_ADDOPTS": ""},  # colcon's are of its own run
    )


def test_a_shipped_detector_finds_everything_in_the_pictures_and_survives_every_fault() -> None:
    done = kit("sim-groundtruth-locator", "--openral-min-recall", "1.0", "-k", "not test_node")
    assert done.returncode == 0, done.stdout
    assert "objects found in the images: 17 of 17" in done.stdout


@pytest.mark.slow
def test_a_shipped_detectors_node_tells_two_cameras_apart_and_its_memory() -> None:
    done = kit("sim-groundtruth", "-k", "test_node")
    assert done.returncode == 0, done.stdout
    assert "after each unload [MB]: [" in done.stdout


def test_a_detector_without_weights_does_not_conform_and_says_why(tmp_path: Path) -> None:
    done = kit("rtdetr-coco-r18", "-x", "--openral-weights-dir", str(tmp_path))
    assert done.returncode == 1
    assert "openral weights fetch rtdetr-coco-r18" in done.stdout


@pytest.mark.slow
def test_no_picture_is_judged_without_a_demand_that_can_be_missed() -> None:
    reported = kit("sim-groundtruth-locator", "-k", "finds_what_is_in", "-rs")
    assert reported.returncode == 0, reported.stdout
    assert "17 of 17 found; --openral-min-recall sets the required fraction" in reported.stdout
    assert "1 skipped" in reported.stdout
    refused = kit("sim-groundtruth-locator", "--openral-min-recall", "0", "-k", "finds_what_is_in")
    assert refused.returncode == 4
    assert "above 0 and up to 1" in refused.stdout + refused.stderr

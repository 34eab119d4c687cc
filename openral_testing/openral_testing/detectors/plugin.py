"""Fixtures of the conformance kit; see `options`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from openral_perception_ros.detector import Detector, load_detector
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.inference.worker_command import WORKER_MODULE
from openral_testing.detectors.running_node import RunningNode, running_node
from openral_testing.detectors.subject import INFERENCE_TIMEOUT, DetectorUnderTest, LoadSetting

INJECTED = "openral_testing.detectors.injected_worker"
CAMERAS = ("head", "wrist")


@pytest.fixture(scope="session")
def detector(pytestconfig: pytest.Config) -> Detector:
    """Return the detector under test as its node knows it."""
    return load_detector(
        pytestconfig.getoption("--openral-detector"), _folders(pytestconfig), CAMERAS, is_default=False
    )


@pytest.fixture(scope="session")
def subject(pytestconfig: pytest.Config, detector: Detector) -> Iterator[DetectorUnderTest]:
    """Start the detector under test."""
    subject = DetectorUnderTest(detector, _setting(pytestconfig, INFERENCE_TIMEOUT, WORKER_MODULE))
    yield subject
    subject.close()


@pytest.fixture(scope="session")
def faulty_detector(pytestconfig: pytest.Config, detector: Detector) -> Iterator[DetectorUnderTest]:
    """Start the same detector with faults on demand; see `InjectedEngine`."""
    subject = DetectorUnderTest(
        detector, _setting(pytestconfig, pytestconfig.getoption("--openral-inference-timeout"), INJECTED)
    )
    yield subject
    subject.close()


@pytest.fixture
def node(
    pytestconfig: pytest.Config, detector: Detector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningNode]:
    """Its real node in a process of its own, configured, in a free ROS domain."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    setting = _setting(pytestconfig, INFERENCE_TIMEOUT, WORKER_MODULE)
    with running_node(detector, setting, tmp_path) as running:
        yield running


@pytest.fixture
def load_cycles(pytestconfig: pytest.Config) -> int:
    """Return the number of load and unload cycles of the leak test."""
    return int(pytestconfig.getoption("--openral-load-cycles"))


@pytest.fixture
def min_recall(pytestconfig: pytest.Config) -> float | None:
    """Return the required fraction of the objects in the images; None if no recall is required."""
    required: float | None = pytestconfig.getoption("--openral-min-recall")
    return required


def _folders(config: pytest.Config) -> list[Path]:
    return [Path(folder) for folder in config.getoption("--openral-rskills")] or [Path("rskills")]


def _setting(config: pytest.Config, timeout: float, module: str) -> LoadSetting:
    options = LoadOptions(
        device=config.getoption("--openral-device"),
        weights_folder=config.getoption("--openral-weights-dir"),
        remote_code=config.getoption("--openral-remote-code"),
    )
    return LoadSetting(Path(config.getoption("--openral-environments")), options, timeout, module)

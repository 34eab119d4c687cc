"""Fixtures of the conformance kit; see `options`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from openral_detector_conformance.options import KIT
from openral_detector_conformance.running_node import RunningNode, running_node
from openral_detector_conformance.subject import LOOK, DetectorUnderTest, Setting
from openral_perception_ros.detector import Detector, load_detector
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.inference.worker_process import WORKER_MODULE

INJECTED = "openral_detector_conformance.injected_worker"
CAMERAS = ("head", "wrist")
MEASURED = pytest.StashKey[dict[str, object]]()


@pytest.fixture(scope="session")
def detector(pytestconfig: pytest.Config) -> Detector:
    """The detector under test, as its node knows it."""
    return load_detector(
        pytestconfig.getoption("--detector"), _folders(pytestconfig), CAMERAS, is_default=False
    )


@pytest.fixture(scope="session")
def subject(pytestconfig: pytest.Config, detector: Detector) -> Iterator[DetectorUnderTest]:
    """The detector under test."""
    made = DetectorUnderTest(detector, _setting(pytestconfig, LOOK, WORKER_MODULE))
    yield made
    made.close()


@pytest.fixture(scope="session")
def fragile(pytestconfig: pytest.Config, detector: Detector) -> Iterator[DetectorUnderTest]:
    """The same detector with faults on demand; see `injected_engine`."""
    made = DetectorUnderTest(detector, _setting(pytestconfig, pytestconfig.getoption("--patience"), INJECTED))
    yield made
    made.close()


@pytest.fixture
def node(
    pytestconfig: pytest.Config, detector: Detector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningNode]:
    """Its real node in a process of its own, configured, in a ROS domain nobody else uses."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    setting = _setting(pytestconfig, LOOK, WORKER_MODULE)
    with running_node(detector, setting, tmp_path) as made:
        yield made


@pytest.fixture
def measured(pytestconfig: pytest.Config) -> dict[str, object]:
    """Numbers to be told at the end of the run."""
    return pytestconfig.stash.setdefault(MEASURED, {})


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A project's own time limit is not for the kit: its waits are bounded, and twenty lives take long."""
    if config.pluginmanager.has_plugin("timeout"):
        for item in items:
            if item.path.is_relative_to(KIT):
                item.add_marker(pytest.mark.timeout(0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell the numbers."""
    for name, value in config.stash.get(MEASURED, {}).items():
        terminalreporter.write_line(f"{name}: {value}")


@pytest.fixture
def lives(pytestconfig: pytest.Config) -> int:
    """How often the leak test loads and unloads."""
    return int(pytestconfig.getoption("--lives"))


@pytest.fixture
def min_recall(pytestconfig: pytest.Config) -> float | None:
    """Share of the pictures' things it has to find; None when none was demanded."""
    demanded: float | None = pytestconfig.getoption("--min-recall")
    return demanded


def _folders(config: pytest.Config) -> list[Path]:
    return [Path(each) for each in config.getoption("--rskills")] or [Path("rskills")]


def _setting(config: pytest.Config, patience: float, module: str) -> Setting:
    options = LoadOptions(
        device=config.getoption("--device"),
        weights_folder=config.getoption("--weights-dir"),
        remote_code=config.getoption("--remote-code"),
    )
    return Setting(Path(config.getoption("--environments")), options, patience, module)

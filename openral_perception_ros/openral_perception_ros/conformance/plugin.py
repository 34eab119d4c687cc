"""Options and fixtures of the conformance kit.

``pytest -p openral_perception_ros.conformance.plugin --pyargs openral_perception_ros.conformance
--detector <id>`` tries one detector, ours or a third party's.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from openral_perception_ros.conformance.subject import Subject
from openral_perception_ros.detector import load_detector
from openral_perception_ros.engines import LoadOptions

MEASURED = pytest.StashKey[dict[str, object]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The detector under test and where its parts lie."""
    group = parser.getgroup("detector conformance")
    group.addoption("--detector", default="", help="id, alias, slug or folder of the detector to test")
    group.addoption("--rskills", action="append", default=[], help="folder of rSkills; may be repeated")
    group.addoption("--weights-dir", default="", help="where weights lie")
    group.addoption("--environments", default=".environments", help="where Python environments lie")
    group.addoption("--device", default="cpu", help="where the model runs")
    group.addoption("--lives", type=int, default=20, help="loads and unloads of the leak test")


@pytest.fixture(scope="session")
def subject(pytestconfig: pytest.Config) -> Iterator[Subject]:
    """The detector under test."""
    name = str(pytestconfig.getoption("--detector"))
    if not name:
        pytest.skip("no --detector given")
    folders = [Path(each) for each in pytestconfig.getoption("--rskills")] or [Path("rskills")]
    options = LoadOptions(
        device=pytestconfig.getoption("--device"), weights_folder=pytestconfig.getoption("--weights-dir")
    )
    environments = Path(pytestconfig.getoption("--environments"))
    made = Subject(load_detector(name, folders, ("head", "wrist"), is_default=False), environments, options)
    yield made
    made.close()


@pytest.fixture
def measured(pytestconfig: pytest.Config) -> dict[str, object]:
    """Numbers to be told at the end of the run."""
    return pytestconfig.stash.setdefault(MEASURED, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell the numbers."""
    for name, value in config.stash.get(MEASURED, {}).items():
        terminalreporter.write_line(f"{name}: {value}")


@pytest.fixture
def lives(pytestconfig: pytest.Config) -> int:
    """How often the leak test loads and unloads."""
    return int(pytestconfig.getoption("--lives"))

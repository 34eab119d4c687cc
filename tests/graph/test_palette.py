"""The model learns that a locator dies during its mission, and that it is back."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, until

from openral_reasoner.commands import AskModel
from openral_reasoner.events import PaletteChanged
from openral_reasoner.recording import RecordedEvent
from openral_testing.recordings.lives import read_lives

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]
LOCATOR = "sim-groundtruth-locator"


def locators(folder: Path) -> list[tuple[float, bool]]:
    """Steady time [s] of each change of the palette, and if it had the locator."""
    changes = [(step.now, step.event) for step in steps(folder)]
    return [
        (now, LOCATOR in [locator.id for locator in event.palette.locators])
        for now, event in changes
        if isinstance(event, PaletteChanged)
    ]


def steps(folder: Path) -> list[RecordedEvent]:
    path = folder / "recording" / "reasoner.jsonl"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as lines:
        return [step for life in read_lives(lines) for step in life.steps]


def news(folder: Path) -> Iterator[str]:
    """Every line of news that a decision was asked with."""
    for step in steps(folder):
        for command in step.commands:
            if isinstance(command, AskModel):
                yield from command.context.news


def node_of_the_locator(deployment: Deployment) -> psutil.Process:
    (worker,) = deployment.pids("inference.worker", f"{LOCATOR.replace('-', '_')}.yaml")
    node = psutil.Process(worker).parent()
    assert node is not None
    return node


@pytest.mark.slow
def test_a_locator_that_is_killed_leaves_the_palette_and_the_model_is_told_why_and_when_it_is_back(
    ros_domain: int, tmp_path: Path
) -> None:
    with Deployment(tmp_path, "--goal", "bring me the unicorn") as deployment:
        deployment.wait_until_printed("execute_rskill", 150.0)
        node_of_the_locator(deployment).send_signal(signal.SIGKILL)
        killed = time.monotonic()

        def states() -> list[tuple[float, bool]]:
            return [change for change in locators(tmp_path) if change[0] > killed]

        until(lambda: any(not there for _, there in states()), 30.0, lambda: deployment.output)
        gone = next(when for when, there in states() if not there)
        until(lambda: any(there and when > gone for when, there in states()), 60.0, lambda: deployment.output)
        reported = f"locator {LOCATOR!r} is no longer available from its node or service"
        until(lambda: reported in list(news(tmp_path)), 60.0, lambda: str(list(news(tmp_path))))
        until(
            lambda: f"locator {LOCATOR!r} is now available" in list(news(tmp_path)),
            90.0,
            lambda: deployment.output,
        )

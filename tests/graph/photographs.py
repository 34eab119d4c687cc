"""A launched graph that sees photographs through `openral camera`, by the published detector, and answers."""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml
from graph.deployments import REAL, ROOT, Deployment
from graph.listeners import PaletteListener
from std_srvs.srv import Trigger
from vision_msgs.msg import Detection2DArray

from openral_core.missions import is_final, state_name
from openral_core.rskills import Registry
from openral_msgs.msg import MissionStatus, PromptReceipt
from openral_perception_ros.engines import LoadOptions
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_ros.conversions.stamps import seconds
from openral_ros.prompt_client import NotAcknowledged, PromptClient
from openral_ros.qos import RELIABLE
from openral_ros.temporary_node import TemporaryNode
from openral_testing.detectors.detector_run import LoadedDetector, WorkerSetup
from openral_training.ros.photo_camera import NEXT

MODEL = "nanodet-plus-m-416.onnx"
"""Weights of the shipped detector among the real data."""
DETECTORS = {"--continuous": "coco-nano", "--on-demand": "coco-nano-locator"}
EMPTY_VIEW = 4.0
"""Time after which a view without a detection counts as seen [s]: two images and the wait for their depth."""
PATIENCE = 60.0
"""A bound, not a measure: longest wait for the graph and for a mission [s]."""


def rskills_of(data: Path, folder: Path) -> list[str]:
    """Write the shipped detectors with the weights of the real data; return the options that choose them."""
    options = ["--rskills", str(folder)]
    for option, name in DETECTORS.items():
        content = yaml.safe_load((ROOT / "rskills" / name / "rskill.yaml").read_text("utf-8"))
        content |= {"id": f"photo-{name}", "weights": {"uri": "file://weights"}}
        weights = folder / content["id"] / "weights"
        weights.mkdir(parents=True)
        (weights / "model.onnx").symlink_to(data / "weights" / MODEL)
        (weights.parent / "rskill.yaml").write_text(yaml.safe_dump(content), "utf-8")
        options += [option, content["id"]]
    return options


@contextmanager
def photo_detector(data: Path) -> Iterator[LoadedDetector]:
    """Load the continuous one of these detectors in this process."""
    with tempfile.TemporaryDirectory() as folder:
        rskills_of(data, Path(folder))
        registry, name = Registry.load([Path(folder)]), f"photo-{DETECTORS['--continuous']}"
        options, environments = LoadOptions(), ROOT / ".environments"
        setup = WorkerSetup(registry.detector(name), registry.folder(name), options, environments)
        with LoadedDetector.load(setup) as detector:
            yield detector


class PhotoRobot:
    """Operator of a graph whose camera shows photographs; ``missions`` are the ends of those that it sent."""

    def __init__(self, temporary: TemporaryNode) -> None:
        node, scope = temporary.node, temporary.scope
        self._until, self._clock = temporary.spin_until, node.get_clock()
        self._prompts, self._monitor = PromptClient(scope, node, "test"), MissionMonitor(scope)
        self._next = scope.client(Trigger, NEXT)
        self._view: Detection2DArray | None = None
        self.missions = list[MissionStatus]()
        scope.subscription(Detection2DArray, "openral/world_state/in_view", self._on_view, RELIABLE)

    def show(self, name: str) -> None:
        """Step to a photograph and wait until memory has what the detector sees in it."""
        self._wait("camera", self._next.service_is_ready)
        shown = ""
        while shown != name:
            future = self._next.call_async(Trigger.Request())
            self._wait(f"photograph {name}", future.done)
            shown = future.result().message
        self._stepped, self._begun, self._view = self._now(), time.monotonic(), None
        self._wait(f"view of {name}", self._is_seen)

    def ask(self, question: str) -> MissionStatus:
        """Send a question as a mission and return its last status."""
        outcomes: list[PromptReceipt | NotAcknowledged] = []
        self._prompts.send(outcomes.append, PATIENCE, text=question)
        self._wait(f"receipt of {question!r}", lambda: bool(outcomes))
        receipt = outcomes[0]
        assert isinstance(receipt, PromptReceipt), receipt

        def status() -> MissionStatus | None:
            return self._monitor.status(receipt.mission_id)

        self._wait(f"end of {question!r}", lambda: (now := status()) is not None and is_final(now.state))
        last = status()
        assert last is not None
        self.missions.append(last)
        return last

    def save(self, file: Path) -> None:
        """Write state, goal and reason of each mission, separated by tabs."""
        rows = (f"{state_name(each.state)}\t{each.goal}\t{each.reason}\n" for each in self.missions)
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(rows), "utf-8")

    def ends(self) -> Counter[str]:
        """Count the missions by their last state."""
        return Counter(state_name(each.state) for each in self.missions)

    def _is_seen(self) -> bool:
        stamps = [seconds(each.header.stamp) for each in self._view.detections] if self._view else []
        waited = time.monotonic() - self._begun > EMPTY_VIEW
        return min(stamps, default=self._now() if waited else 0.0) > self._stepped

    def _now(self) -> float:
        return seconds(self._clock.now().to_msg())

    def _on_view(self, message: Detection2DArray) -> None:
        self._view = message

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        assert self._until(condition, PATIENCE), f"no {what} within {PATIENCE:.0f} s"


@contextmanager
def photo_robot(names: Iterable[str], data: Path, arguments: Sequence[str] = ()) -> Iterator[PhotoRobot]:
    """Launch a camera of photographs of the real data, and the graph; yield their operator."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _launched(Path(folder), names, data, arguments)


def _launched(
    folder: Path, names: Iterable[str], data: Path, arguments: Sequence[str]
) -> Iterator[PhotoRobot]:
    (folder / "photographs").mkdir()
    for name in names:
        (folder / "photographs" / name).symlink_to(data / "photos" / "images" / name)
    words = ["camera", str(folder / "photographs"), "--robot", str(ROOT / "robots" / "photographs.yaml")]
    code = "from openral_training.ros.detect_cli import commands; commands()"
    options = ["--robot", words[-1], *rskills_of(data, folder / "rskills"), *arguments]
    with (folder / "camera.log").open("wb") as output:
        camera = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            with Deployment(folder / "run", *options, program=REAL) as deployment:
                with PaletteListener(int(os.environ["ROS_DOMAIN_ID"])) as listener:
                    listener.seconds_until(lambda: 3 in listener.locators().values(), 3.0 * PATIENCE)
                with TemporaryNode("operator") as node:
                    yield PhotoRobot(node)
                assert deployment.process.poll() is None, deployment.output
        finally:
            camera.terminate()
            camera.wait()

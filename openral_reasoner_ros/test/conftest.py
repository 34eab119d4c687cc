"""A graph of small fake peers around a symbolic home, on real DDS."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Header, String

from openral_core.skills import Verb
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt, PromptStamped
from openral_reasoner_ros.node import ReasonerNode
from openral_ros.qos import LATCHED, RELIABLE
from openral_testing.detector_info import make_locator_info
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome
from openral_testing.ros.fake_graph import FakeGraph

RSKILLS = Path(__file__).parents[2] / "rskills"
DOORS = """kind: skill
id: {id}
verb: {verb}
description: {verb} for the test.
parameters:
  - {{name: target, type: pose, description: "in map"}}
deadline: 20.0
"""
LOCATOR = "/openral/perception/sim_groundtruth_locator"
LOCATOR_INFO = make_locator_info(
    "sim-groundtruth-locator", "sim-locator", memory_declared=80.0, latency=0.02, is_default=True
)


def small_home() -> SymbolicHome:
    """Two surfaces, a baguette that memory calls bread, a mug, and a person."""
    places = [
        HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0),
        HomePlace("table_1", "dining table", "kitchen", 6.0, 0.0),
    ]
    objects = [
        HomeObject("bread_1", "baguette", "table_1", "bread", ("baguette",)),
        HomeObject("mug_1", "red mug", "counter_1", "mug"),
    ]
    return SymbolicHome(
        places={p.id: p for p in places},
        objects={o.id: o for o in objects},
        rooms={"kitchen": "kitchen"},
        agents={"ana": HomePlace("ana", "Ana", "kitchen", 9.0, -2.0)},
    )


def wine_home() -> SymbolicHome:
    """The wine is known to be in the closed fridge; the glass, in the closed cabinet, was never seen."""
    home = small_home()
    home.places["fridge_1"] = HomePlace("fridge_1", "fridge", "kitchen", 2.0, 4.0, occludes=True)
    home.places["cabinet_1"] = HomePlace("cabinet_1", "cabinet", "kitchen", 4.0, 4.0, occludes=True)
    home.objects["wine_1"] = HomeObject("wine_1", "wine bottle", "fridge_1", "wine", synonyms=("wine",))
    home.objects["glass_1"] = HomeObject("glass_1", "wine glass", "cabinet_1")
    return home


class Operator(Node):
    """Speaks to the reasoner and reads what it says."""

    def __init__(self, context: Any) -> None:
        super().__init__("operator", context=context)
        self.statuses: list[Any] = []
        self.palettes: list[str] = []
        self.handoffs: list[Any] = []
        self.replies: list[str] = []
        self.receipts: list[Any] = []
        self._count = count(1)
        self.create_subscription(PromptStamped, "/openral/prompt", self._on_prompt, RELIABLE)
        self.create_subscription(MissionStatus, "/openral/mission", self.statuses.append, RELIABLE)
        self.create_subscription(String, "/openral/palette", lambda m: self.palettes.append(m.data), LATCHED)
        self.frontiers: list[Any] = []
        self.create_subscription(DiagnosticStatus, "/openral/frontier", self.frontiers.append, RELIABLE)
        self.create_subscription(Handoff, "/openral/handoff", self.handoffs.append, LATCHED)
        self.create_subscription(PromptReceipt, "/openral/prompt_receipt", self.receipts.append, RELIABLE)
        self._prompts = self.create_publisher(PromptStamped, "/openral/prompt", RELIABLE)

    def _on_prompt(self, message: Any) -> None:
        if message.header.frame_id == "reasoner":
            self.replies.append(message.text)

    @property
    def heard(self) -> bool:
        return self._prompts.get_subscription_count() > 1

    def say(self, text: str, source: str = "operator", **fields: str) -> None:
        named = {"id": f"prompt-{next(self._count)}", "text": text, **fields}
        self._prompts.publish(PromptStamped(header=Header(frame_id=source), **named))

    @property
    def ended(self) -> bool:
        return bool(self.statuses) and self.statuses[-1].state >= MissionStatus.STATE_SUCCEEDED


def missing_skills(folder: Path) -> list[str]:
    """A folder with manifests for verbs that the repository has no skill for."""
    for verb in (Verb.OPEN, Verb.CLOSE, Verb.POUR):
        name = verb.value.lower()
        if not (RSKILLS / name).exists():
            (folder / name).mkdir(parents=True)
            (folder / name / "rskill.yaml").write_text(DOORS.format(id=name, verb=verb.value))
    return [str(folder)] if folder.exists() else []


@pytest.fixture
def home(request: pytest.FixtureRequest) -> SymbolicHome:
    return wine_home() if getattr(request, "param", "") == "wine" else small_home()


@pytest.fixture
def graph(ros_context: Any, home: SymbolicHome) -> Iterator[FakeGraph]:
    node = FakeGraph(ros_context, home, LOCATOR_INFO)
    yield node
    node.destroy_node()


@pytest.fixture
def operator(ros_context: Any) -> Iterator[Operator]:
    node = Operator(ros_context)
    yield node
    node.destroy_node()


@pytest.fixture
def make_reasoner(ros_context: Any, tmp_path: Path) -> Iterator[Callable[..., ReasonerNode]]:
    folders = [str(RSKILLS), *missing_skills(tmp_path / "rskills")]
    made: list[ReasonerNode] = []

    def make(**parameters: Any) -> ReasonerNode:
        values = {"rskill_folders": folders, "requester": "ana", "poll_period": 0.1, **parameters}
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        node = ReasonerNode(context=ros_context, parameter_overrides=overrides)
        made.append(node)
        node.trigger_configure()
        node.trigger_activate()
        return node

    yield make
    for node in made:
        node.close()
        node.destroy_node()

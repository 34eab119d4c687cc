"""A short fuzz of every entrance of every node; `lab/benchmarks/fuzz.py` is the long one."""

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from fuzzing.decisions import tool_doors
from fuzzing.documents import FILES
from fuzzing.entrances import SUBSCRIPTION, Attack, Entrance
from fuzzing.message_values import Vocabulary, cases
from fuzzing.parameters import RESERVED
from fuzzing.rig import Rig
from fuzzing.rigs import RIGS, rig_of
from fuzzing.rounds import Door, explore, explore_with_memory
from fuzzing.session import Session, session_of
from fuzzing.short import SEED, THOROUGH, fuzz_file, fuzz_node, fuzz_structure
from fuzzing.structures import messages, tables, unfolding
from fuzzing.suites import SUITES
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_reasoner.tools.registry import PALETTE, name_of
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope

PER_DOOR = 40 if THOROUGH else 10
CLOCK = "rosgraph_msgs/msg/Clock"
"""Heard by nodes that are given simulated time alone."""
GOLDEN = Path(__file__).parent / "goldens" / "graph_interfaces.json"
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("fuzz")]


def type_name(interface: Any) -> str:
    """Return the name of an interface as the graph tells it."""
    package, kind, *_ = interface.__module__.split(".")
    return f"{package}/{kind}/{interface.__name__}"


def recorded_types(name: str) -> set[str]:
    """Return what the node of this name hears and serves in the launched graph, but for its clock."""
    graph = json.loads(GOLDEN.read_text())["graph"]
    nodes = [node for full, node in graph.items() if full.rpartition("/")[2] == name]
    parts = ("subscribes", "serves", "acts")
    return {kind for node in nodes for part in parts for kind in node[part].values()} - {CLOCK}


def recorded_parameters(name: str) -> set[str]:
    """Return the parameters of the node of this name in the launched graph, but for those of rclpy."""
    graph = json.loads(GOLDEN.read_text())["graph"]
    nodes = [node for full, node in graph.items() if full.rpartition("/")[2] == name]
    return {each for node in nodes for each in node["parameters"] if not each.startswith(RESERVED)}


@pytest.fixture
def rig(
    request: pytest.FixtureRequest, ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Rig]:
    monkeypatch.chdir(tmp_path)  # a relative path is written below it
    with rig_of(request.param, tmp_path, ros_domain) as made:
        yield made


BRIEF = {"reasoner", "skill_server", "tools"}
"""Rigs and suites that are not left to `make test-all`: those whose faults move the robot."""


def by_tier(names: Iterable[str]) -> list[ParameterSet]:
    return [pytest.param(name, marks=[] if name in BRIEF else [pytest.mark.slow]) for name in names]


@pytest.mark.usefixtures("callback_errors")
@pytest.mark.parametrize("rig", by_tier(RIGS), indirect=True)
def test_a_node_lives_and_answers_whatever_comes_in(rig: Rig) -> None:
    def judge(session: Session) -> None:
        served = {type_name(entrance.type) for entrance in session.attack.entrances()}
        assert recorded_types(rig.name) <= served
        assert recorded_parameters(rig.name) <= {str(door).split()[-1] for door in session.doors}

    fuzz_node(rig, judge)


@pytest.mark.parametrize("name", by_tier(name for name in SUITES if name != "files"))
def test_what_models_and_clients_send_is_answered_or_refused(name: str, tmp_path: Path) -> None:
    with SUITES[name](tmp_path) as doors:
        outcomes = [explore(door, PER_DOOR, SEED, shrink=True) for door in doors]
    assert [finding for outcome in outcomes for finding in outcome.findings] == []
    assert all(outcome.cases for outcome in outcomes)


def test_every_tool_of_the_registry_has_a_door() -> None:
    assert {str(door) for door in tool_doors()} == {f"tool {name_of(tool)}" for tool in PALETTE}


def test_a_door_whose_cases_keep_memory_is_found() -> None:
    kept: list[bytes] = []

    def keep(value: int) -> None:
        kept.append(b"x" * 500_000)

    leaking = Door("leaks", st.integers, keep)
    still = Door("stands still", st.integers, lambda value: None)
    assert "keeps memory" in str(explore_with_memory(leaking, 40, SEED).findings)
    assert explore_with_memory(still, 40, SEED).findings == []


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    fuzz_file(FILES[name], tmp_path)


TEXT_FILES = [name for name, each in FILES.items() if each.file.endswith((".yaml", ".json"))]


@pytest.mark.parametrize("name", [*TEXT_FILES, "memory", "run"])
def test_a_file_of_hostile_structure_is_read_or_refused_in_time(name: str, tmp_path: Path) -> None:
    entrance = FILES[name]
    valid = entrance.prepare(tmp_path)
    contents = {
        "memory": lambda: tables(valid, tmp_path / "made.sqlite"),
        "run": lambda: messages(valid),
    }.get(name, lambda: unfolding(valid, entrance.file.rpartition(".")[2]))()
    fuzz_structure(entrance, contents, tmp_path)


class Brittle(LifecycleNodeBase):
    """A node that breaks on some poses and hands others on."""

    def __init__(self, **options: object) -> None:
        super().__init__("brittle", **options)

    def activate(self, scope: ResourceScope) -> None:
        """Subscribe."""
        self._out = scope.publisher(PoseStamped, "out", RELIABLE)
        scope.subscription(PoseStamped, "raises", self._raise, RELIABLE)
        scope.subscription(PoseStamped, "passes_on", self._pass_on, RELIABLE)
        scope.subscription(PoseStamped, "writes", lambda _: Path("/var/tmp/openral_fuzz").touch(), RELIABLE)
        scope.subscription(PoseStamped, "refuses", self._refuse, RELIABLE)

    def _raise(self, message: PoseStamped) -> None:
        if message.pose.position.x < 0.0:
            raise ZeroDivisionError

    def _pass_on(self, message: PoseStamped) -> None:
        self._out.publish(message)

    def _refuse(self, message: PoseStamped) -> None:
        raise OpenRALError("no pose is good enough")


class BrittleRig(Rig):
    """The brittle node alone."""

    name = "brittle"

    def make(self) -> Node:
        return Brittle(context=self.context)

    def ask(self) -> None:
        """Ask nothing."""


@pytest.fixture
def brittle(monkeypatch: pytest.MonkeyPatch, ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    monkeypatch.setitem(RIGS, "brittle", BrittleRig)
    with rig_of("brittle", tmp_path, ros_domain) as made:
        yield made


@pytest.mark.usefixtures("callback_errors")
def test_what_raises_tells_poses_that_are_not_finite_or_writes_elsewhere_is_found(brittle: Rig) -> None:
    with session_of(brittle) as session:
        by_topic = {str(door).rpartition(" ")[2]: door for door in session.doors}
        for topic, words in (
            ("raises", "ZeroDivisionError"),
            ("passes_on", "pose: "),
            ("writes", "wrote: open"),
        ):
            session.batch(by_topic[f"/{topic}"], 60, SEED)
            assert words in session.findings[-1]
        found = len(session.findings)
        session.batch(by_topic["/refuses"], 20, SEED)
        assert len(session.findings) == found
    Path("/var/tmp/openral_fuzz").unlink(missing_ok=True)


def test_every_node_of_the_launched_graph_has_a_rig() -> None:
    own = {name.rpartition("/")[2] for name in json.loads(GOLDEN.read_text())["graph"]}
    assert own - {"deploy"} <= set(RIGS)


def test_cases_of_a_type_are_of_that_type_and_differ() -> None:
    made: list[PoseStamped] = []

    @seed(SEED)
    @settings(
        max_examples=400,
        database=None,
        phases=(Phase.generate,),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(message=cases(PoseStamped, Vocabulary(("map",), lambda: 10.0), PoseStamped()))
    def collect(message: PoseStamped) -> None:
        made.append(message)

    collect()
    assert all(isinstance(message, PoseStamped) for message in made)
    assert len({str(message) for message in made}) > 25
    assert any(message.header.frame_id == "map" for message in made)
    positions = (message.pose.position for message in made)
    assert any(math.isnan(value) for at in positions for value in (at.x, at.y, at.z))
    assert any(message.header.stamp.sec == 10 for message in made)


def test_an_entrance_is_named_by_node_kind_and_name() -> None:
    assert str(Entrance("sim", SUBSCRIPTION, "/clock", PoseStamped)) == "sim subscription /clock"
    assert Attack.__doc__

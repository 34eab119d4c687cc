"""A composed graph has the same nodes in fewer processes; skills and keys of models stay apart."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from openral_bringup.deploy.process_supervisor import command_of
from openral_bringup.graph.bodies import robot_content
from openral_bringup.graph.composition import COMPONENTS, CONTAINER
from openral_bringup.graph.description import GraphDescription, build_graph
from openral_bringup.graph.nodes import NodeSpec, model_of
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.problems import Problems
from openral_reasoner_ros.brains import Brain
from openral_ros.container import parse
from openral_ros.lifecycle_node import LifecycleNodeBase

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"
KEY = "ANTHROPIC_API_KEY"
ENVIRONMENT = {KEY: "secret", "PATH": "/bin"}


def graph_of(**choices: Any) -> GraphDescription:
    given = {"scene": SCENE, "composed": True, **choices}
    return build_graph(DeploymentOptions.model_validate(given), RSKILLS, ENVIRONMENT)


def keys(nodes: tuple[NodeSpec, ...]) -> list[str]:
    return [node.key for node in nodes]


def container_of(graph: GraphDescription) -> NodeSpec:
    return next(process for process in graph.processes if process.key == CONTAINER)


def test_the_simulation_stays_apart_and_every_other_node_is_composed() -> None:
    graph = graph_of(mapper=True)
    assert keys(graph.processes) == ["sim", CONTAINER]
    assert keys(container_of(graph).members) == [
        "home_tiny",
        "home_tiny_locator",
        "world_state",
        "mapper",
        "reasoner",
        "bringup",
    ]
    assert graph.nodes == graph_of(mapper=True, composed=False).nodes


def test_the_skill_server_of_a_real_robot_stays_apart() -> None:
    content = robot_content(ROOT / "robots" / "foreign_sim.yaml", Problems())
    assert keys(graph_of(**content).processes) == ["skill_server", CONTAINER]


def test_a_graph_is_not_composed_unless_it_was_asked_for() -> None:
    graph = graph_of(composed=False)
    assert graph.processes == graph.started


def test_the_node_with_a_key_stays_apart_and_no_other_process_has_it() -> None:
    graph = graph_of(brain=Brain.ANTHROPIC, model="m")
    assert keys(graph.processes) == ["sim", "reasoner", CONTAINER]
    with_key = [process.key for process in graph.processes if KEY in process.environment(ENVIRONMENT)]
    assert with_key == ["reasoner"]


def test_variables_of_every_member_reach_the_container() -> None:
    assert container_of(graph_of(check_fields=True)).variables == {"ROS_PYTHON_CHECK_FIELDS": "1"}


@pytest.mark.parametrize(
    ("run", "started"),
    [
        (("sim", "home_tiny"), ["sim", "home_tiny"]),
        (("world_state", "reasoner"), [CONTAINER]),
        (("sim", "reasoner", "bringup"), ["sim", CONTAINER]),
    ],
)
def test_each_host_composes_the_nodes_that_it_runs(run: tuple[str, ...], started: list[str]) -> None:
    assert keys(graph_of(run=run).processes) == started


def test_a_container_is_in_the_namespace_of_its_robot() -> None:
    assert container_of(graph_of(namespace="/robot1")).qualified == "/robot1/container"


def test_a_composed_node_gets_the_arguments_that_it_gets_apart(tmp_path: Path) -> None:
    apart, together = tmp_path / "apart", tmp_path / "together"
    choices = {"namespace": "/robot1", "cameras": ("head=/front/camera",), "log_level": "debug"}
    graph = graph_of(**choices)
    command = command_of(container_of(graph), together)
    shared, components = parse(command[command.index("--ros-args") :])
    assert shared == ("--log-level", "debug", "--enclave", "/robot1/container")
    members = container_of(graph).members
    for node, component in zip(members, components, strict=True):
        alone = command_of(node, apart)
        own = alone[alone.index("--enclave") + 2 :]
        assert [word.replace(str(apart), str(together)) for word in own] == list(component.arguments)
        assert component.name == node.qualified
        assert component.path == COMPONENTS[node.name]
        file = f"params/{node.key}.yaml"
        assert (together / file).read_text() == (apart / file).read_text()


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_component_is_the_class_of_its_node(name: str) -> None:
    pytest.importorskip("rclpy")
    module, _, kind = COMPONENTS[name].partition(":")
    assert model_of(name) is not None
    assert issubclass(getattr(import_module(module), kind), LifecycleNodeBase)

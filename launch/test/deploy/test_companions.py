"""Companions run beside the graph where they can, and their absence is told and harms nothing."""

import socket
from pathlib import Path

import pytest

pytest.importorskip("rclpy")
from openral_bringup.deploy import companions
from openral_bringup.deploy.companions import (
    CompanionProcess,
    InvalidConsole,
    address_of,
    console,
    foxglove,
    recorder,
    with_companions,
)
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.nodes import NodeSpec

GRAPH = GraphDescription(
    (NodeSpec("sim", "openral_sim", "sim"), NodeSpec("bringup", "openral_bringup", "bringup"))
)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "recorder").touch()
    monkeypatch.setattr(companions, "executable_path", lambda package, name: tmp_path / name)


def keys(graph: GraphDescription) -> list[str]:
    return [node.key for node in graph.started]


def test_every_depth_image_of_a_simulation_is_recorded(tmp_path: Path) -> None:
    assert recorder(tmp_path, "", simulated=True).node.parameters["depth_rate"] == 50.0
    assert "depth_rate" not in recorder(tmp_path, "", simulated=False).node.parameters


def test_the_recorder_is_started_last_and_writes_into_the_run(tmp_path: Path) -> None:
    graph, problems = with_companions(GRAPH, [recorder(tmp_path, "/robot1", simulated=False)])
    assert keys(graph) == ["sim", "bringup", "recorder"]
    assert problems == []
    node = graph.started[-1]
    assert node.parameters == {"path": str(tmp_path / "run.mcap"), "follow": str(tmp_path / "recording")}
    assert node.remaps["/diagnostics"] == "/robot1/diagnostics"


def test_a_package_that_is_not_built_is_told_and_the_graph_starts(tmp_path: Path) -> None:
    (tmp_path / "recorder").unlink()
    graph, problems = with_companions(GRAPH, [recorder(tmp_path, "", simulated=False)])
    assert keys(graph) == ["sim", "bringup"]
    assert problems == ["recorder is not started: package openral_recorder is not built: run `make build`"]


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    lacking = CompanionProcess(recorder(tmp_path, "", simulated=False).node, ("mcap", "no_such_library"))
    _, problems = with_companions(GRAPH, [lacking])
    assert problems == ["recorder is not started: no_such_library not installed: run `make setup`"]


@pytest.mark.parametrize(("run", "expected"), [({"bringup"}, ["bringup", "recorder"]), ({"sim"}, ["sim"])])
def test_one_host_of_several_records(run: set[str], expected: list[str], tmp_path: Path) -> None:
    graph, _ = with_companions(
        GraphDescription(GRAPH.nodes, frozenset(run)), [recorder(tmp_path, "", simulated=False)]
    )
    assert keys(graph) == expected


def test_the_console_takes_a_free_port_of_this_machine() -> None:
    companion = console("", "auto")
    assert companion is not None
    assert address_of(companion.node).startswith("http://127.0.0.1:")
    assert companion.node.parameters["allow_actions"] is True


def test_without_a_console_nothing_is_started() -> None:
    assert console("", "off") is None


@pytest.mark.parametrize("address", ["", "maybe", "0", "70000", "-1", "80.5"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(InvalidConsole, match="auto, off, or a port"):
        console("", address)


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        with pytest.raises(InvalidConsole, match="taken"):
            console("", str(taken.getsockname()[1]))


def test_the_foxglove_server_has_a_free_port_and_tells_its_address() -> None:
    with socket.create_server((companions.LOOPBACK, 0)) as taken:
        usual = taken.getsockname()[1]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(companions, "FOXGLOVE_PORT", usual)
            node = foxglove("/robot1").node
    assert node.parameters["port"] not in (0, usual)
    assert address_of(node) == f"ws://127.0.0.1:{node.parameters['port']}"
    assert node.namespace == "/robot1"

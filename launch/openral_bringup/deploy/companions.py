"""Processes that a deployment starts beside the graph: recorder, console, and Foxglove server.

The graph works without them, and they are not part of its description.
"""

import socket
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from openral_bringup.graph.description import GraphDescription, shared_names
from openral_bringup.graph.nodes import NodeSpec, ParameterValue
from openral_bringup.graph.resources import NotInstalled, executable_path
from openral_core.errors import OpenRALError

RECORDING = "run.mcap"
EVENTS = "recording"
"""Folder below that of the run in which nodes write events and spans."""

CONSOLE_PORT = 8770
"""Port of the console unless it is taken."""
FOXGLOVE_PORT = 8765
"""Port that Foxglove connects to unless told another one."""
LOOPBACK = "127.0.0.1"


class InvalidConsole(OpenRALError):
    """A value of --console that names no usable address."""

    def __init__(self, address: str, problem: str) -> None:
        super().__init__(f"--console {address}: {problem}")


@dataclass(frozen=True, slots=True)
class CompanionProcess:
    """A process beside the graph, and the Python packages it needs besides its own."""

    node: NodeSpec
    needs: tuple[str, ...]

    @property
    def missing(self) -> str:
        """Return why it cannot run on this machine, "" if it can."""
        try:
            installed = executable_path(self.node.package, self.node.executable).is_file()
        except NotInstalled:
            installed = False
        if not installed:
            return f"package {self.node.package} is not built: run `make build`"
        absent = [name for name in self.needs if find_spec(name) is None]
        return f"{', '.join(absent)} not installed: run `make setup`" if absent else ""


SIMULATED_DEPTH_RATE = 50.0
"""Rate of recorded depth in simulation [Hz]: every image, so that perception can be repeated exactly."""


def recorder(folder: Path, namespace: str, *, simulated: bool) -> CompanionProcess:
    """Return the recorder of a run."""
    parameters: dict[str, ParameterValue] = {
        "path": str(folder / RECORDING),
        "follow": str(folder / EVENTS),
    }
    if simulated:
        parameters["depth_rate"] = SIMULATED_DEPTH_RATE
    remaps = shared_names(namespace)
    node = NodeSpec("recorder", "openral_recorder", "recorder", namespace, None, parameters, remaps=remaps)
    return CompanionProcess(node, ("mcap",))


def console(namespace: str, address: str) -> CompanionProcess | None:
    """Return the console of a deployment, which may act because it watches a simulation.

    Args:
        namespace: Of the graph.
        address: ``auto`` for port 8770 or any free one, ``off`` for none, or a port on this machine.

    Raises:
        InvalidConsole: If it is neither, or the port is taken.
    """
    if address == "off":
        return None
    parameters: dict[str, ParameterValue] = {"port": _port(address), "allow_actions": True}
    remaps = shared_names(namespace)
    node = NodeSpec("console", "openral_console", "console", namespace, None, parameters, remaps=remaps)
    return CompanionProcess(node, ("fastapi", "uvicorn"))


def foxglove(namespace: str) -> CompanionProcess:
    """Return the WebSocket server for Foxglove, on its usual port or any free one."""
    parameters: dict[str, ParameterValue] = {"port": _free_port((FOXGLOVE_PORT, 0))}
    remaps = shared_names(namespace)
    node = NodeSpec("foxglove", "openral_recorder", "foxglove", namespace, None, parameters, remaps=remaps)
    return CompanionProcess(node, ("foxglove",))


def _port(address: str) -> int:
    if address != "auto" and not (address.isdecimal() and 0 < int(address) < 65536):
        raise InvalidConsole(address, "expected auto, off, or a port from 1 to 65535")
    port = _free_port((CONSOLE_PORT, 0) if address == "auto" else (int(address),))
    if not port:
        raise InvalidConsole(address, "the port is taken")
    return port


def _free_port(candidates: Iterable[int]) -> int:
    """Return the first free port on this machine, of which 0 is any; 0 if there is none."""
    for port in candidates:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return 0


ADDRESSES = {"console": "http://{host}:{port}/", "foxglove": "ws://{host}:{port}"}
"""URL of the companions that serve viewers, by node."""


def address_of(node: NodeSpec) -> str:
    """Return the URL of a companion that serves viewers."""
    return ADDRESSES[node.name].format(host=LOOPBACK, port=node.parameters["port"])


def with_companions(
    graph: GraphDescription, companions: Iterable[CompanionProcess]
) -> tuple[GraphDescription, list[str]]:
    """Add the companions to the processes to start.

    On several hosts, they run on that of bring-up.

    Returns:
        The graph with those that can run here, and a line for each that cannot.
    """
    here = [each for each in companions if not graph.run or "bringup" in graph.run]
    runnable = tuple(each.node for each in here if not each.missing)
    problems = [f"{each.node.name} is not started: {each.missing}" for each in here if each.missing]
    run = graph.run | {node.key for node in runnable} if graph.run else graph.run
    return replace(graph, nodes=(*graph.nodes, *runnable), run=frozenset(run)), problems

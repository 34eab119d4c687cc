"""`openral-memory live`: inspect and correct a running robot's memory; entry point of `openral memory`."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import rclpy
import typer
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_core.spatial_memory import (
    EditOperation,
    EditResult,
    EditStatus,
    MemoryEdit,
    NodeKind,
    SceneGraph,
)
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.srv import EditMemory
from openral_ros.conversions.spatial_memory import (
    edit_request,
    edit_result_from_response,
    scene_graph_from_message,
)
from openral_ros.qos import LATCHED
from openral_world_state.cli import Object, app, commands, console, report_errors, show_node, show_nodes
from openral_world_state.scene_graph import write_graph

live = typer.Typer(help="Inspect and correct a running robot's memory.", no_args_is_help=True)
Namespace = Annotated[str, typer.Option(help="namespace of the robot")]
TIMEOUT = 5.0
"""Time to wait for the node's answer [s]; discovery takes one or two."""


class NoLiveMemory(OpenRALError):
    """No active world_state node answered in time."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(
            f"no answer on {name} within {seconds:g} s; check that world_state is active "
            "in this ROS_DOMAIN_ID and namespace"
        )


class EditRefused(OpenRALError):
    """The world_state node refused an edit."""

    def __init__(self, result: EditResult) -> None:
        super().__init__(f"{result.status.name}: {result.message}")


@live.command("list")
def list_objects(namespace: Namespace = "/") -> None:
    """List all remembered objects."""
    with report_errors():
        show_nodes(live_graph(namespace).of_kind(NodeKind.OBJECT))


@live.command()
def show(name: Object, namespace: Namespace = "/") -> None:
    """Show one object with its relations."""
    with report_errors():
        show_node(live_graph(namespace), name)


@live.command()
def export(document: Path, namespace: Namespace = "/") -> None:
    """Write the scene graph as JSON."""
    with report_errors():
        write_graph(live_graph(namespace), document)


@live.command()
def rename(name: Object, label: str, namespace: Namespace = "/") -> None:
    """Change an object's label."""
    _edit(namespace, MemoryEdit(EditOperation.RENAME, name, label=label))


@live.command(context_settings={"ignore_unknown_options": True})
def move(name: Object, x: float, y: float, z: float, namespace: Namespace = "/") -> None:
    """Set an object's position in map [m]."""
    _edit(namespace, MemoryEdit(EditOperation.MOVE, name, position=(x, y, z)))


@live.command()
def forget(name: Object, namespace: Namespace = "/") -> None:
    """Delete an object."""
    _edit(namespace, MemoryEdit(EditOperation.FORGET, name))


@live.command()
def merge(kept: Object, other: Object, namespace: Namespace = "/") -> None:
    """Merge OTHER into KEPT."""
    _edit(namespace, MemoryEdit(EditOperation.MERGE, kept, other=other))


def live_graph(namespace: str, timeout: float = TIMEOUT) -> SceneGraph:
    """Read the scene graph of a running robot.

    Raises:
        NoLiveMemory: If none is received within ``timeout`` [s].
    """
    with _temporary_node(namespace) as (node, spin_until):
        received: list[SceneGraphMsg] = []
        topic = node.create_subscription(SceneGraphMsg, "openral/scene_graph", received.append, LATCHED)
        if not spin_until(lambda: bool(received), timeout):
            raise NoLiveMemory(topic.topic_name, timeout)
        return scene_graph_from_message(received[-1])


def live_edit(namespace: str, edit: MemoryEdit, timeout: float = TIMEOUT) -> str:
    """Apply an edit to the memory of a running robot; return its message.

    Raises:
        NoLiveMemory: If there is no answer within ``timeout`` [s].
        EditRefused: If the edit was refused.
    """
    with _temporary_node(namespace) as (node, spin_until):
        client = node.create_client(EditMemory, "openral/edit_memory")
        if not spin_until(client.service_is_ready, timeout):
            raise NoLiveMemory(client.service_name, timeout)
        future = client.call_async(edit_request(edit, ""))
        if not spin_until(future.done, timeout):
            raise NoLiveMemory(client.service_name, timeout)
        result = edit_result_from_response(future.result())
    if result.status is not EditStatus.EDITED:
        raise EditRefused(result)
    return result.message


def _edit(namespace: str, edit: MemoryEdit) -> None:
    with report_errors():
        console.print(live_edit(namespace, edit))


SpinUntil = Callable[[Callable[[], bool], float], bool]


@contextmanager
def _temporary_node(namespace: str) -> Iterator[tuple[Node, SpinUntil]]:
    """Create a node for one request, with a function that spins it until a condition holds."""
    context = rclpy.context.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("openral_memory", namespace=namespace, context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def spin_until(condition: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            executor.spin_once(timeout_sec=0.05)
        return condition()

    try:
        yield node, spin_until
    finally:
        executor.shutdown(timeout_sec=1.0)
        node.destroy_node()
        rclpy.try_shutdown(context=context)


app.add_typer(live, name="live")

__all__ = ["commands", "main"]


def main() -> None:
    """Run the command line."""
    app()

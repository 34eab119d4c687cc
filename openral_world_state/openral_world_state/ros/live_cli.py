"""`openral-memory live`: look into a running robot's memory and put it right."""
# MERGED `openral memory` with its live half.

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
from openral_core.memory_queries import EditOperation, EditResult, EditStatus, MemoryEdit
from openral_core.scene_graph import NodeKind, SceneGraph
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.srv import EditMemory
from openral_ros.conversions.memory_queries import edit_request, edit_result_from_response
from openral_ros.conversions.scene_graph import scene_graph_from_message
from openral_ros.qos import LATCHED
from openral_world_state.cli import Object, answered, app, commands, console, show_node, show_nodes
from openral_world_state.scene_graph.json_io import write_graph

live = typer.Typer(help="Look into a running robot's memory and put it right.", no_args_is_help=True)
Namespace = Annotated[str, typer.Option(help="of the robot")]
_PATIENCE = 5.0


class NoLiveMemory(OpenRALError):
    """The graph has no world state that answers in time."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(
            f"nothing on {name} within {seconds:g} s: "
            "is world_state active in this ROS_DOMAIN_ID and namespace?"
        )


class EditRefused(OpenRALError):
    """World state did not carry an edit out."""

    def __init__(self, result: EditResult) -> None:
        super().__init__(f"{result.status.name}: {result.message}")


@live.command("list")
def list_objects(namespace: Namespace = "/") -> None:
    """List every remembered object."""
    with answered():
        show_nodes(live_graph(namespace).of_kind(NodeKind.OBJECT))


@live.command()
def show(name: Object, namespace: Namespace = "/") -> None:
    """Show everything known of one object."""
    with answered():
        show_node(live_graph(namespace), name)


@live.command()
def export(document: Path, namespace: Namespace = "/") -> None:
    """Write the graph as JSON."""
    with answered():
        write_graph(live_graph(namespace), document)


@live.command()
def rename(name: Object, label: str, namespace: Namespace = "/") -> None:
    """Call an object something else."""
    _edit(namespace, MemoryEdit(EditOperation.RENAME, name, label=label))


@live.command(context_settings={"ignore_unknown_options": True})
def move(name: Object, x: float, y: float, z: float, namespace: Namespace = "/") -> None:
    """Say where an object is, in map [m]."""
    _edit(namespace, MemoryEdit(EditOperation.MOVE, name, position=(x, y, z)))


@live.command()
def forget(name: Object, namespace: Namespace = "/") -> None:
    """Drop an object for good."""
    _edit(namespace, MemoryEdit(EditOperation.FORGET, name))


@live.command()
def merge(kept: Object, other: Object, namespace: Namespace = "/") -> None:
    """Make two objects one."""
    _edit(namespace, MemoryEdit(EditOperation.MERGE, kept, other=other))


def live_graph(namespace: str, patience: float = _PATIENCE) -> SceneGraph:
    """What world state tells of its memory.

    Raises:
        NoLiveMemory: If it tells nothing within ``patience`` [s].
    """
    with _visitor(namespace) as (node, spin_until):
        told: list[SceneGraphMsg] = []
        topic = node.create_subscription(SceneGraphMsg, "openral/scene_graph", told.append, LATCHED)
        if not spin_until(lambda: bool(told), patience):
            raise NoLiveMemory(topic.topic_name, patience)
        return scene_graph_from_message(told[-1])


def live_edit(namespace: str, asked: MemoryEdit, patience: float = _PATIENCE) -> str:
    """Have world state carry an edit out; what it did.

    Raises:
        NoLiveMemory: If nothing answers within ``patience`` [s].
        EditRefused: If it was not carried out.
    """
    with _visitor(namespace) as (node, spin_until):
        client = node.create_client(EditMemory, "openral/edit_memory")
        if not spin_until(client.service_is_ready, patience):
            raise NoLiveMemory(client.service_name, patience)
        future = client.call_async(edit_request(asked, ""))
        if not spin_until(future.done, patience):
            raise NoLiveMemory(client.service_name, patience)
        result = edit_result_from_response(future.result())
    if result.status is not EditStatus.EDITED:
        raise EditRefused(result)
    return result.message


def _edit(namespace: str, asked: MemoryEdit) -> None:
    with answered():
        console.print(live_edit(namespace, asked))


SpinUntil = Callable[[Callable[[], bool], float], bool]


@contextmanager
def _visitor(namespace: str) -> Iterator[tuple[Node, SpinUntil]]:
    """A node for as long as one question takes, and how to wait with it."""
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

"""`openral memory`: inspect and correct a memory file that no node writes, or a live robot's memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import get_console

from openral_core.errors import OpenRALError, format_choices

if TYPE_CHECKING:
    from openral_core.spatial_memory import EditResult, MemoryEdit, SceneGraph, SceneNode
    from openral_world_state.spatial_memory.memory import SpatialMemory
    from openral_world_state.world.world_model import WorldModel


class UnknownNode(OpenRALError):
    """The graph has no node with this id."""

    def __init__(self, name: str, ids: Iterable[str]) -> None:
        from rapidfuzz import fuzz, process

        nearest = [near for near, *_ in process.extract(name, ids, scorer=fuzz.ratio, limit=3)]
        super().__init__(f"unknown node {name!r}; similar ids: {format_choices(nearest)}")


app = typer.Typer(help="Inspect and correct a memory file.", no_args_is_help=True)
commands = typer.Typer()
commands.add_typer(app, name="memory")
File = Annotated[Path, typer.Argument(help="memory file (SQLite)")]
Object = Annotated[str, typer.Argument(help="id of an object")]


@app.command("list")
def list_objects(file: File) -> None:
    """List all remembered objects."""
    with _world(file) as world:
        show_nodes(record.node() for record in world.memory)


@app.command()
def show(file: File, name: Object) -> None:
    """Show one object with its relations."""
    with _world(file) as world:
        show_node(world.graph(), world.memory.get(name).id)


@app.command()
def rename(file: File, name: Object, label: str) -> None:
    """Change an object's label."""
    from openral_core.text import Thesaurus
    from openral_world_state.queries.edit import rename_object

    with _world(file) as world:
        rename_object(world.memory, name, label, Thesaurus.load())


@app.command()
def move(file: File, name: Object, x: float, y: float, z: float) -> None:
    """Set an object's position in map [m]."""
    from openral_world_state.queries.edit import move_object

    with _world(file) as world:
        move_object(world.memory, name, x, y, z)


@app.command()
def forget(file: File, name: Object) -> None:
    """Delete an object."""
    from openral_world_state.queries.edit import forget_object

    with _world(file) as world:
        forget_object(world.memory, name)


@app.command()
def merge(file: File, kept: Object, other: Object) -> None:
    """Merge OTHER into KEPT."""
    from openral_world_state.queries.edit import merge_objects

    with _world(file) as world:
        merge_objects(world.memory, kept, other)


@app.command()
def export(file: File, document: Path) -> None:
    """Write the scene graph as JSON."""
    from openral_world_state.scene_graph import write_graph

    with _world(file) as world:
        write_graph(world.graph(), document)


@app.command("import")
def import_document(file: Annotated[Path, typer.Argument()], document: Path) -> None:
    """Import a scene graph from JSON; the memory file is created if missing."""
    from openral_core.text import Thesaurus
    from openral_world_state.scene_graph import read_graph
    from openral_world_state.spatial_memory.memory import SpatialMemory
    from openral_world_state.world.open_world import import_graph

    with report_errors():
        memory = SpatialMemory(file, Thesaurus.load())
        try:
            import_graph(memory, read_graph(document))
        finally:
            memory.close()


def show_nodes(nodes: Iterable[SceneNode]) -> None:
    """Print a table of objects."""
    from rich.table import Table
    from rich.text import Text

    table = Table("id", "label", "presence", "x", "y", "z", "seen", "times", "by")
    for node in sorted(nodes, key=lambda node: node.id):
        x, y, z = (f"{value:.2f}" for value in node.pose.position)
        last_seen, times = f"{node.last_seen:.1f}", str(node.observations)
        cells = (node.id, node.label, node.presence.value, x, y, z, last_seen, times, node.source)
        table.add_row(*map(Text, cells))  # not markup: labels are untrusted text
    get_console().print(table)


def show_node(graph: SceneGraph, name: str) -> None:
    """Print a node with its relations.

    Raises:
        UnknownNode: If the graph has no node with that id.
    """
    from rich.text import Text

    if name not in graph.by_id:
        raise UnknownNode(name, graph.by_id)
    get_console().print(graph.by_id[name])
    for edge in graph.edges:
        if edge.source == name:
            get_console().print(Text(f"{edge.relation.value} {edge.target}"))


@contextmanager
def report_errors() -> Iterator[None]:
    """Print an `OpenRALError` and exit with status 1."""
    from rich.text import Text

    try:
        yield
    except OpenRALError as error:
        get_console().print(Text(str(error), style="red"))
        raise typer.Exit(1) from error


@contextmanager
def _world(file: Path) -> Iterator[WorldModel]:
    from rich.text import Text

    from openral_core.text import Thesaurus
    from openral_world_state.world.open_world import open_world
    from openral_world_state.world.world_model import WorldModelSettings

    with report_errors():
        if not file.exists():
            get_console().print(Text(f"memory file {file} not found", style="red"))
            raise typer.Exit(1)
        world = open_world(None, str(file), WorldModelSettings(), Thesaurus.load(), newest_map=True)
        try:
            yield world
            _remove_pictures(world.memory)
        finally:
            world.memory.close()


def _remove_pictures(memory: SpatialMemory) -> None:
    """Remove the pictures of objects that are no longer remembered."""
    from openral_world_state.pictures import UNLIMITED, ObjectPictures, pictures_path

    path = pictures_path(memory.path)
    if path is not None and path.exists():
        pictures = ObjectPictures(path, UNLIMITED)
        pictures.keep_only(lambda name: name in memory and memory.current_id(name) == name)
        pictures.write()
        if pictures.error is not None:
            raise pictures.error


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
def list_live_objects(namespace: Namespace = "/") -> None:
    """List all remembered objects."""
    from openral_core.spatial_memory import NodeKind

    with report_errors():
        show_nodes(live_graph(namespace).of_kind(NodeKind.OBJECT))


@live.command("show")
def show_live(name: Object, namespace: Namespace = "/") -> None:
    """Show one object with its relations."""
    with report_errors():
        show_node(live_graph(namespace), name)


@live.command("export")
def export_live(document: Path, namespace: Namespace = "/") -> None:
    """Write the scene graph as JSON."""
    from openral_world_state.scene_graph import write_graph

    with report_errors():
        write_graph(live_graph(namespace), document)


@live.command("rename")
def rename_live(name: Object, label: str, namespace: Namespace = "/") -> None:
    """Change an object's label."""
    from openral_core.spatial_memory import EditOperation, MemoryEdit

    _edit(namespace, MemoryEdit(EditOperation.RENAME, name, label=label))


@live.command("move", context_settings={"ignore_unknown_options": True})
def move_live(name: Object, x: float, y: float, z: float, namespace: Namespace = "/") -> None:
    """Set an object's position in map [m]."""
    from openral_core.spatial_memory import EditOperation, MemoryEdit

    _edit(namespace, MemoryEdit(EditOperation.MOVE, name, position=(x, y, z)))


@live.command("forget")
def forget_live(name: Object, namespace: Namespace = "/") -> None:
    """Delete an object."""
    from openral_core.spatial_memory import EditOperation, MemoryEdit

    _edit(namespace, MemoryEdit(EditOperation.FORGET, name))


@live.command("merge")
def merge_live(kept: Object, other: Object, namespace: Namespace = "/") -> None:
    """Merge OTHER into KEPT."""
    from openral_core.spatial_memory import EditOperation, MemoryEdit

    _edit(namespace, MemoryEdit(EditOperation.MERGE, kept, other=other))


@live.command("undo")
def undo_live(namespace: Namespace = "/") -> None:
    """Take back the last edit; again, the one before."""
    from openral_core.spatial_memory import EditOperation, MemoryEdit

    _edit(namespace, MemoryEdit(EditOperation.UNDO))


def live_graph(namespace: str, timeout: float = TIMEOUT) -> SceneGraph:
    """Read the scene graph of a running robot.

    Raises:
        NoLiveMemory: If none is received within ``timeout`` [s].
    """
    from openral_msgs.msg import SceneGraph as SceneGraphMsg
    from openral_ros.conversions.spatial_memory import scene_graph_from_message
    from openral_ros.qos import LATCHED
    from openral_ros.temporary_node import TemporaryNode

    with TemporaryNode("openral_memory", namespace) as temporary:
        received: list[SceneGraphMsg] = []
        topic = temporary.scope.subscription(SceneGraphMsg, "openral/scene_graph", received.append, LATCHED)
        if not temporary.spin_until(lambda: received, timeout):
            raise NoLiveMemory(topic.topic_name, timeout)
        return scene_graph_from_message(received[-1])


def live_edit(namespace: str, edit: MemoryEdit, timeout: float = TIMEOUT) -> str:
    """Apply an edit to the memory of a running robot; return its message.

    Raises:
        NoLiveMemory: If there is no answer within ``timeout`` [s].
        EditRefused: If the edit was refused.
    """
    from openral_core.spatial_memory import EditStatus
    from openral_msgs.srv import EditMemory
    from openral_ros.conversions.spatial_memory import edit_request, edit_result_from_response
    from openral_ros.temporary_node import TemporaryNode

    with TemporaryNode("openral_memory", namespace) as temporary:
        client = temporary.scope.client(EditMemory, "openral/edit_memory")
        if not temporary.spin_until(client.service_is_ready, timeout):
            raise NoLiveMemory(client.service_name, timeout)
        future = client.call_async(edit_request(edit, ""))
        if not temporary.spin_until(future.done, timeout):
            raise NoLiveMemory(client.service_name, timeout)
        result = edit_result_from_response(future.result())
    if result.status is not EditStatus.EDITED:
        raise EditRefused(result)
    return result.message


def _edit(namespace: str, edit: MemoryEdit) -> None:
    with report_errors():
        get_console().print(live_edit(namespace, edit))


app.add_typer(live, name="live")

__all__ = ["commands", "main"]


def main() -> None:
    """Run the command line."""
    app()

"""`openral-memory`: inspect and correct a memory file while no node writes it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rapidfuzz import fuzz, process
from rich.console import Console
from rich.table import Table
from rich.text import Text

from openral_core.errors import OpenRALError, format_choices
from openral_core.spatial_memory import SceneGraph, SceneNode
from openral_core.text import Thesaurus
from openral_world_state.queries.edit import forget_object, merge_objects, move_object, rename_object
from openral_world_state.scene_graph import read_graph, write_graph
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.world import WorldModel, WorldModelSettings, import_graph, open_world


class UnknownNode(OpenRALError):
    """The graph has no node with this id."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        nearest = [near for near, *_ in process.extract(name, known, scorer=fuzz.ratio, limit=3)]
        super().__init__(f"unknown node {name!r}; similar ids: {format_choices(nearest)}")


app = typer.Typer(help="Inspect and correct a memory file.", no_args_is_help=True)
commands = typer.Typer()
commands.add_typer(app, name="memory")
console = Console()
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
    with _world(file) as world:
        rename_object(world.memory, name, label, Thesaurus.load())


@app.command()
def move(file: File, name: Object, x: float, y: float, z: float) -> None:
    """Set an object's position in map [m]."""
    with _world(file) as world:
        move_object(world.memory, name, x, y, z)


@app.command()
def forget(file: File, name: Object) -> None:
    """Delete an object."""
    with _world(file) as world:
        forget_object(world.memory, name)


@app.command()
def merge(file: File, kept: Object, other: Object) -> None:
    """Merge OTHER into KEPT."""
    with _world(file) as world:
        merge_objects(world.memory, kept, other)


@app.command()
def export(file: File, document: Path) -> None:
    """Write the scene graph as JSON."""
    with _world(file) as world:
        write_graph(world.graph(), document)


@app.command("import")
def import_document(file: Annotated[Path, typer.Argument()], document: Path) -> None:
    """Import a scene graph from JSON; the memory file is created if missing."""
    with report_errors():
        memory = SpatialMemory(file, Thesaurus.load())
        try:
            import_graph(memory, read_graph(document))
        finally:
            memory.close()


def show_nodes(nodes: Iterable[SceneNode]) -> None:
    """Print a table of objects."""
    table = Table("id", "label", "presence", "x", "y", "z", "seen", "times", "by")
    for node in sorted(nodes, key=lambda node: node.id):
        x, y, z = (f"{value:.2f}" for value in node.pose.position)
        seen, times = f"{node.last_seen:.1f}", str(node.observations)
        cells = (node.id, node.label, node.presence.value, x, y, z, seen, times, node.source)
        table.add_row(*map(Text, cells))  # not markup: labels are untrusted text
    console.print(table)


def show_node(graph: SceneGraph, name: str) -> None:
    """Print a node with its relations.

    Raises:
        UnknownNode: If the graph has no node with that id.
    """
    if name not in graph.by_id:
        raise UnknownNode(name, graph.by_id)
    console.print(graph.by_id[name])
    for edge in graph.edges:
        if edge.source == name:
            console.print(Text(f"{edge.relation.value} {edge.target}"))


@contextmanager
def report_errors() -> Iterator[None]:
    """Print an `OpenRALError` and exit with status 1."""
    try:
        yield
    except OpenRALError as error:
        console.print(Text(str(error), style="red"))
        raise typer.Exit(1) from error


@contextmanager
def _world(file: Path) -> Iterator[WorldModel]:
    with report_errors():
        if not file.exists():
            console.print(Text(f"memory file {file} not found", style="red"))
            raise typer.Exit(1)
        world = open_world(None, str(file), WorldModelSettings(), Thesaurus.load(), newest_map=True)
        try:
            yield world
        finally:
            world.memory.close()

"""`openral-memory`: look into a memory file and put it right, while no node writes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from openral_core.errors import OpenRALError
from openral_core.text import Thesaurus
from openral_world_state import corrections
from openral_world_state.graphs import read_graph, write_graph
from openral_world_state.memories import Memory
from openral_world_state.worlds import Settings, World, import_graph, open_world

app = typer.Typer(help="Look into a memory file and put it right.", no_args_is_help=True)
commands = typer.Typer()
commands.add_typer(app, name="memory")
console = Console()
File = Annotated[Path, typer.Argument(help="memory file (SQLite)")]
Object = Annotated[str, typer.Argument(help="id of an object")]


@app.command("list")
def list_objects(file: File) -> None:
    """List every remembered object."""
    with _world(file) as world:
        table = Table("id", "label", "presence", "x", "y", "z", "seen", "times", "by")
        for record in sorted(world.memory, key=lambda each: each.id):
            x, y, z = (f"{value:.2f}" for value in record.pose.position)
            seen, times = f"{record.last_seen:.1f}", str(record.observations)
            table.add_row(record.id, record.label, record.presence.value, x, y, z, seen, times, record.source)
        console.print(table)


@app.command()
def show(file: File, name: Object) -> None:
    """Show everything known of one object."""
    with _world(file) as world:
        graph, record = world.graph(), world.memory.get(name)
        console.print(record)
        for edge in graph.edges:
            if edge.source == record.id:
                console.print(f"{edge.relation.value} {edge.target}")


@app.command()
def rename(file: File, name: Object, label: str) -> None:
    """Call an object something else."""
    with _world(file) as world:
        corrections.rename(world.memory, name, label, Thesaurus.load())


@app.command()
def move(file: File, name: Object, x: float, y: float, z: float) -> None:
    """Say where an object is, in map [m]."""
    with _world(file) as world:
        corrections.move(world.memory, name, x, y, z)


@app.command()
def forget(file: File, name: Object) -> None:
    """Drop an object for good."""
    with _world(file) as world:
        corrections.forget(world.memory, name)


@app.command()
def merge(file: File, kept: Object, other: Object) -> None:
    """Make two objects one."""
    with _world(file) as world:
        corrections.join(world.memory, kept, other)


@app.command()
def export(file: File, document: Path) -> None:
    """Write the graph as JSON."""
    with _world(file) as world:
        write_graph(world.graph(), document)


@app.command("import")
def import_document(file: Annotated[Path, typer.Argument()], document: Path) -> None:
    """Take a graph in from JSON; the memory file is made when missing."""
    with _answered():
        memory = Memory(file, Thesaurus.load())
        try:
            import_graph(memory, read_graph(document))
        finally:
            memory.close()


@contextmanager
def _answered() -> Iterator[None]:
    """Errors of ours end the command with their words and status 1."""
    try:
        yield
    except OpenRALError as error:
        console.print(f"[red]{error}[/red]")
        raise typer.Exit(1) from error


@contextmanager
def _world(file: Path) -> Iterator[World]:
    with _answered():
        if not file.exists():
            console.print(f"[red]there is no memory file {file}[/red]")
            raise typer.Exit(1)
        world = open_world(None, str(file), Settings(), Thesaurus.load())
        try:
            yield world
        finally:
            world.memory.close()


def main() -> None:
    """Run the command line."""
    app()

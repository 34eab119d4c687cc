"""Command `openral map`: import, annotate, check and draw the map of a home."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from openral_core.home_map import HomeMap


app = typer.Typer(no_args_is_help=True, help="Import, tour, annotate, check and draw maps of homes.")
commands = typer.Typer()
commands.add_typer(app, name="map")

Source = Annotated[
    Path,
    typer.Argument(help="map.yaml of Nav2, file of the mapper (*.npz), or of memory (*.sqlite, *.json)."),
]
Home = Annotated[Path, typer.Argument(help="Map of a home (YAML), as `openral map import` writes it.")]
Out = Annotated[Path, typer.Option(help="File to write.")]


class NotOverwritten(OpenRALError):
    """A file that exists and would lose what people wrote into it."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} exists: add --update to keep its names, furniture and places, or choose another --out"
        )


@app.command(name="import")
def import_map(
    source: Source,
    out: Out = Path("home.yaml"),
    name: Annotated[str, typer.Option(help="Name of the home; that of the file if omitted.")] = "",
    *,
    update: Annotated[
        bool, typer.Option("--update", help="Keep ids, names, furniture and places of the map in --out.")
    ] = False,
) -> None:
    """Turn the map of a robot's floor, or its memory, into the map of a home.

    It has rooms, doorways, places and furniture; from a memory also the people who were met.
    """
    from openral_core.home_map import load_map
    from openral_mapping.floor.depth_mapper import load_saved_maps
    from openral_mapping.home.from_floor import home_from_floor
    from openral_mapping.home.room_names import with_names
    from openral_training.maps.from_memory import SUFFIXES, home_from_memory
    from openral_training.maps.nav2_map import load_nav2_map

    if out.exists() and (not update or source.suffix in SUFFIXES):
        raise NotOverwritten(out)
    called = name or re.sub(r"\W+", "_", out.stem)
    if source.suffix in SUFFIXES:
        home = home_from_memory(source, called)
        write_home(home, out)
        tell(home, out)
        return
    floor, walls = load_saved_maps(source) if source.suffix == ".npz" else (load_nav2_map(source), None)
    earlier = load_map(out) if update and out.exists() else None
    home = with_names(home_from_floor(floor, called, earlier, walls))
    write_home(home, out)
    tell(home, out)


@app.command()
def annotate(
    home: Home,
    annotations: Annotated[Path, typer.Argument(help="Annotations (YAML); see docs/mapping.md.")],
    out: Annotated[Path | None, typer.Option(help="File to write; the map itself if omitted.")] = None,
) -> None:
    """Add names, furniture, places, people and no-go zones to a map."""
    from openral_core.documents import load_document
    from openral_core.home_map import load_map
    from openral_mapping.home.annotations import HomeAnnotations, annotated, unnamed

    result = annotated(load_map(home), load_document(HomeAnnotations, annotations), annotations)
    target = out or home
    write_home(result, target)
    typer.echo(f"{target}: rooms {', '.join(room.name for room in result.rooms)}")
    if unnamed_rooms := unnamed(result):
        typer.echo(f"without a name: {', '.join(unnamed_rooms)}")


@app.command()
def check(
    home: Home,
    robot_radius: Annotated[float, typer.Option(min=0.05, help="Radius of the robot's base [m].")] = 0.33,
) -> None:
    """List what keeps the robot from using a map, each with its remedy; exit code 1 if there is anything."""
    from openral_core.home_map import load_map
    from openral_training.maps.check import check_home

    findings = check_home(load_map(home), robot_radius)
    for finding in findings:
        typer.echo(str(finding))
    typer.echo(f"{home}: {len(findings)} problems")
    raise typer.Exit(1 if findings else 0)


@app.command()
def show(
    home: Home,
    out: Out = Path("map.png"),
    floor: Annotated[
        Path | None, typer.Option(help="map.yaml or *.npz to draw below: what is free and occupied.")
    ] = None,
) -> None:
    """Draw a map: rooms, doorways, furniture with its front, places, people, no-go zones."""
    from openral_core.home_map import load_map
    from openral_mapping.floor.depth_mapper import load_saved_maps
    from openral_training.maps.nav2_map import load_nav2_map
    from openral_training.maps.picture import draw_home, write_picture

    below = None
    if floor is not None:
        below = load_saved_maps(floor)[0] if floor.suffix == ".npz" else load_nav2_map(floor)
    write_picture(draw_home(load_map(home), below), out)
    typer.echo(out)


def tell(home: HomeMap, out: Path) -> None:
    """Print the rooms of a map that was written."""
    for room in home.rooms:
        pieces = sum(fixture.room == room.id for fixture in home.fixtures)
        typer.echo(f"{room.id}: {room.name}, {pieces} pieces of furniture")
    typer.echo(f"{out}: {len(home.rooms)} rooms, {len(home.doorways)} doorways")


def write_home(home: HomeMap, path: Path) -> None:
    """Write a map as YAML, one entry a line; a crash leaves the file that was there."""
    from openral_core.documents import yaml_of
    from openral_core.files import replace_file

    replace_file(path, yaml_of(home))

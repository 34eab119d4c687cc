"""`openral map tour`: the map of a home from a running robot that is shown around."""

import re
from pathlib import Path
from typing import Annotated

import typer

from openral_training.maps.cli import Out

app = typer.Typer()
commands = typer.Typer()
commands.add_typer(app, name="map")


@app.command()
def tour(
    out: Out = Path("home.yaml"),
    poses: Annotated[
        Path | None, typer.Option(help="Poses (YAML) that the robot drives to; without, you drive it.")
    ] = None,
    heights: Annotated[
        Path | None, typer.Option(help="File of the mapper (*.npz), instead of its topics map and map_walls.")
    ] = None,
    namespace: Annotated[str, typer.Option(help="Namespace of the robot.")] = "",
    robot_yaml: Annotated[
        Path | None, typer.Option("--robot", help="robot.yaml that names the frames of map and base.")
    ] = None,
    *,
    update: Annotated[
        bool, typer.Option("--update", help="Keep ids, names, furniture and places of the map in --out.")
    ] = False,
) -> None:
    """Show the robot its home: drive it around and name what it stands at; the result is a map.

    While you drive, each line is a note: "room kitchen", "place charger", "furniture fridge" or "person Ana"
    (the last two 0.8 m before the robot). "done" or Ctrl-D ends the tour. Notes are kept in OUT.notes.yaml,
    and a tour that broke off goes on with them. Exit code 1: some
    notes do not fit the map; the others are applied.
    """
    from openral_core.documents import load_document
    from openral_core.home_map import load_map
    from openral_core.robot import Frames, load_robot
    from openral_mapping.floor.depth_mapper import load_saved_maps
    from openral_mapping.home.from_floor import home_from_floor
    from openral_training.maps.cli import NotOverwritten, tell, write_home
    from openral_training.maps.tour_notes import TourNotes
    from openral_training.ros.tour import TouredRobot, TourPoses, drive_along, follow

    if out.exists() and not update:
        raise NotOverwritten(out)
    planned = load_document(TourPoses, poses).poses if poses else ()
    notes = TourNotes.open(out.with_suffix(".notes.yaml"))
    frames = load_robot(robot_yaml).frames if robot_yaml else Frames()
    with TouredRobot(namespace, frames) as robot:
        robot.wait_for_map()
        if planned:
            drive_along(robot, planned, notes, typer.echo)
        else:
            follow(robot, typer.get_text_stream("stdin"), notes, typer.echo)
        floor, walls = load_saved_maps(heights) if heights else (robot.wait_for_map(), robot.walls)
    earlier = load_map(out) if update and out.exists() else None
    home = home_from_floor(floor, re.sub(r"\W+", "_", out.stem), earlier, walls)
    home, problems = notes.applied_to(home)
    write_home(home, out)
    tell(home, out)
    for problem in problems:
        typer.echo(f"left out: {problem}")
    if problems:
        typer.echo(f"correct {notes.path}, then: openral map annotate {out} {notes.path}")
        raise typer.Exit(1)

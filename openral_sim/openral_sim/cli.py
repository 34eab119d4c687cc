"""Command line `openral scene list`; openral_training has the other commands on scenes."""

from pathlib import Path
from typing import Annotated

import typer

HELP = "List, generate, render and check scenes."
app = typer.Typer(no_args_is_help=True, help=HELP)
commands = typer.Typer()
commands.add_typer(app, name="scene")


def _shipped() -> Path:
    """Return `scenes/` of the working directory if it has scenes, else the installed package's share."""
    here = Path("scenes")
    if (here / "deploy").is_dir():
        return here
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory("openral_scenes"))


Scene = Annotated[str, typer.Argument(help="Scene file, name of a shipped scene, or generated:SEED[:ROOMS].")]
Folder = Annotated[Path, typer.Option(default_factory=_shipped, help="Folder of the shipped scenes.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the objects' placements.")]


@app.command(name="list")
def list_scenes(folder: Folder) -> None:
    """List the shipped scenes with their rooms, closed containers, objects and hidden objects."""
    from openral_sim.scene.object_locations import object_locations
    from openral_sim.scene.scene import load_scene
    from openral_sim.scene.scene_files import shipped_scenes

    for name, path in shipped_scenes(folder).items():
        scene = load_scene(path)
        objects = object_locations(scene)
        hidden = sum(1 for location in objects if location.hidden_in)
        closed = sum(1 for f in scene.home.fixtures if f.container and f.container.occludes_contents)
        rooms = ", ".join(room.name for room in scene.home.rooms)
        typer.echo(f"{name:12} {rooms}: {closed} containers, {len(objects)} objects, {hidden} of them hidden")

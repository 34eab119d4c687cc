"""Command line `openral scene`: list, generate, render and check scenes."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="List, generate, render and check scenes.")
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


@app.command()
def generate(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the whole home.")] = 0,
    rooms: Annotated[
        int | None, typer.Option(min=1, max=4, help="Number of rooms; sampled if omitted.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the home; generated_<seed> if omitted.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("runs/homes"),
) -> None:
    """Generate a home from a seed; write its scene, its map and the locations of its objects."""
    from openral_sim.scene.scene_files import write_home
    from openral_training.homes.home import sample_home

    typer.echo(write_home(sample_home(seed, rooms, name), out))


@app.command()
def render(
    scene: Scene = "home",
    out: Annotated[Path, typer.Option(help="Image file to write.")] = Path("runs/pictures/sheet.png"),
    seed: Seed = 0,
    *,
    folder: Folder,
) -> None:
    """Render a contact sheet: the home, its rooms, the view from each place, the robot's cameras."""
    from openral_sim.scene.scene_files import find_scene
    from openral_training.homes.contact_sheet import contact_sheet

    out.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(find_scene(scene, folder), seed).save(out)
    typer.echo(out)


@app.command()
def check(scene: Scene = "home", seed: Seed = 0, *, folder: Folder) -> None:
    """Build a scene and list its problems; exit code 1 if there are any."""
    from openral_sim.scene.scene_files import find_scene
    from openral_training.homes.validation import find_problems

    problems = list(find_problems(find_scene(scene, folder), seed))
    for problem in problems:
        typer.echo(problem)
    typer.echo(f"{scene}: {len(problems)} problems")
    raise typer.Exit(1 if problems else 0)

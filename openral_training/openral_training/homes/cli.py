"""Command line `openral scene`: generate, render and check scenes."""

from pathlib import Path
from typing import Annotated

import typer

from openral_sim.cli import HELP, Folder, Scene, Seed

app = typer.Typer(no_args_is_help=True, help=HELP)
commands = typer.Typer()
commands.add_typer(app, name="scene")


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

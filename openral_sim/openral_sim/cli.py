"""`openral scene`: list, draw, check and picture scenes."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Scenes: list, generate, check, render.")
commands = typer.Typer()
commands.add_typer(app, name="scene")


def _shipped() -> Path:
    """The scenes of the checkout one stands in, else the installed ones."""
    here = Path("scenes")
    if (here / "deploy").is_dir():
        return here
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory("openral_scenes"))


Scene = Annotated[str, typer.Argument(help="a scene file, a shipped scene's name, or generated:SEED[:ROOMS]")]
Folder = Annotated[Path, typer.Option(default_factory=_shipped, help="where the shipped scenes lie")]
Seed = Annotated[int, typer.Option(min=0, help="draws the objects' placements")]


@app.command(name="list")
def list_scenes(folder: Folder) -> None:
    """List the shipped scenes: rooms, furniture that opens, things, hidden things."""
    from openral_sim.procedural.home import shipped_scenes
    from openral_sim.procedural.object_placement import whereabouts
    from openral_sim.scene.scene import load_scene

    for name, path in shipped_scenes(folder).items():
        scene = load_scene(path)
        things = whereabouts(scene)
        hidden = sum(1 for thing in things if thing.hidden_in)
        shut = sum(1 for f in scene.home.fixtures if f.container and f.container.occludes_contents)
        rooms = ", ".join(room.name for room in scene.home.rooms)
        typer.echo(f"{name:12} {rooms}: {shut} to open, {len(things)} things, {hidden} of them hidden")


@app.command()
def generate(
    seed: Annotated[int, typer.Option(min=0, help="draws everything")] = 0,
    rooms: Annotated[
        int | None, typer.Option(min=1, max=4, help="how many rooms; drawn if not given")
    ] = None,
    name: Annotated[str | None, typer.Option(help="what it is called")] = None,
    out: Annotated[Path, typer.Option(help="folder for the files")] = Path("runs/homes"),
) -> None:
    """Draw a home and write its scene, its map, and what is hidden where."""
    from openral_sim.procedural.home import sample_home, write_home

    typer.echo(write_home(sample_home(seed, rooms, name), out))


@app.command()
def render(
    scene: Scene = "home",
    out: Annotated[Path, typer.Option(help="the picture to write")] = Path("runs/pictures/sheet.png"),
    seed: Seed = 0,
    *,
    folder: Folder,
) -> None:
    """Write a contact sheet: the whole home, its rooms, what is seen from its places and by the robot."""
    from openral_sim.procedural.home import find_scene
    from openral_sim.rendering.snapshot import contact_sheet

    out.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(find_scene(scene, folder), seed).save(out)
    typer.echo(out)


@app.command()
def check(scene: Scene = "home", seed: Seed = 0, *, folder: Folder) -> None:
    """Build a scene and say what is wrong with it; exit code 1 if anything is."""
    from openral_sim.procedural.home import find_scene
    from openral_sim.procedural.validation import problems_of

    problems = list(problems_of(find_scene(scene, folder), seed))
    for problem in problems:
        typer.echo(problem)
    typer.echo(f"{scene}: {len(problems)} problems")
    raise typer.Exit(1 if problems else 0)

"""Command line `openral scene generate`."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="List, generate, render and check scenes.")
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

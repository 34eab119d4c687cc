"""Command line `openral data`: render images with labels, and show them."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from openral_core.errors import OpenRALError, format_choices

app = typer.Typer(no_args_is_help=True, help="Render images with labels, and show them.")
commands = typer.Typer()
commands.add_typer(app, name="data")
_SIZE = re.compile(r"(\d+)x(\d+)")
MAX_SIDE = 4096
"""Largest width or height of an image [px]."""


class InvalidRenderOption(OpenRALError):
    """A value of an option that cannot be used."""

    def __init__(self, option: str, value: object, valid: str) -> None:
        super().__init__(f"{option} {value}: expected {valid}")


@app.command()
def render(
    out: Annotated[Path, typer.Argument(help="folder of the data set; an unfinished one is resumed")],
    *,
    split: Annotated[
        list[str] | None, typer.Option(help="split to render (repeatable); default all of the plan")
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(help="YAML file of the splits and the held-out kinds; default the shipped one"),
    ] = None,
    homes: Annotated[
        int | None, typer.Option(min=1, help="homes of each split instead of the plan's")
    ] = None,
    images: Annotated[
        int | None, typer.Option(min=1, help="images of each home instead of the plan's")
    ] = None,
    size: Annotated[str, typer.Option(help="width and height of the images [px]")] = "640x480",
    depth: Annotated[
        bool, typer.Option("--depth", help="write depth images too (16 bits, millimetres)")
    ] = False,
    sensors: Annotated[str, typer.Option(help="sensor of the depth images: off, mild or realsense")] = "off",
    shadows: Annotated[float, typer.Option(min=0.0, max=1.0, help="share of images with shadows")] = 0.25,
    jobs: Annotated[int, typer.Option(min=0, help="processes; 0 = one per core")] = 0,
    cluster: Annotated[str, typer.Option(help="render on the Ray cluster with this address, or auto")] = "",
) -> None:
    """Render images with boxes, visible shares, depth and camera poses from homes drawn from seeds.

    The same plan and options give the same bytes, with any number of processes or nodes.
    Exit code: 0 done, 2 stopped.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from openral_sim.rendering.sensor import SensorName
    from openral_training.data.cluster import on_cluster
    from openral_training.data.dataset import Dataset
    from openral_training.data.home_renderer import RenderSettings
    from openral_training.data.jobs import in_processes
    from openral_training.data.jobs import render as render_homes
    from openral_training.data.splits import load_plan

    if sensors not in list(SensorName):
        raise InvalidRenderOption("--sensors", sensors, f"one of {format_choices(SensorName)}")
    chosen = load_plan(plan).resized(homes, images)
    names = tuple(dict.fromkeys(split or chosen.splits))
    if unknown := [name for name in names if name not in chosen.splits]:
        raise InvalidRenderOption("--split", unknown[0], f"one of {format_choices(chosen.splits)}")
    width, height = _parsed_size(size)
    settings = RenderSettings(width, height, shadows, depth, SensorName(sensors))
    dataset = Dataset(out, chosen, names, settings)
    console, total = Console(), sum(chosen.splits[name].homes for name in names)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        bar, count = progress.add_task("homes", total=total), 0

        def on_home(_: object, rendered: int) -> None:
            nonlocal count
            count += rendered
            progress.update(bar, advance=1, description=f"homes, {count} images")

        work = on_cluster(cluster) if cluster else in_processes(jobs or os.cpu_count() or 1)
        render_homes(dataset, work, on_home)
    for name in names:
        console.print(f"{out / name / 'annotations.json'}", soft_wrap=True)


def _parsed_size(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None or not all(16 <= int(side) <= MAX_SIDE for side in match.groups()):
        raise InvalidRenderOption("--size", text, f"WIDTHxHEIGHT of 16 to {MAX_SIDE} px, such as 640x480")
    return int(match[1]), int(match[2])


@app.command()
def show(
    annotations: Annotated[Path, typer.Argument(help="annotations.json, or the folder that has it")],
    out: Annotated[Path, typer.Option(help="image file to write")] = Path("runs/pictures/data.png"),
    count: Annotated[int, typer.Option(min=1, help="number of images")] = 16,
    first: Annotated[
        int | None, typer.Option(help="index of the first image; default spread over all")
    ] = None,
    detector: Annotated[
        Path | None, typer.Option(help="folder of an rSkill; its hits and misses are drawn")
    ] = None,
) -> None:
    """Draw images of a data set with their boxes on a page: green to be found, red to be ignored.

    With --detector: green was found, with its score; orange was missed; blue is something else.
    """
    from openral_training.data.sheet import contact_sheet, detector_in

    file = annotations / "annotations.json" if annotations.is_dir() else annotations
    page = contact_sheet(file, count, first, detector_in(detector) if detector else None)
    out.parent.mkdir(parents=True, exist_ok=True)
    page.save(out)
    typer.echo(out)

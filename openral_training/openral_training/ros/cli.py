"""Commands `openral teach collect | label | review | fit`: a detector learns what is new in a home."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from openral_core.errors import OpenRALError
from openral_training.detector.defaults import TAUGHT_VIEWS

app = typer.Typer(no_args_is_help=True, help="Teach a detector what is new in your home.")
commands = typer.Typer(no_args_is_help=True, add_completion=False)
commands.add_typer(app, name="teach")
Folder = Annotated[Path, typer.Argument(help="folder of the lesson")]
KIT = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "/")


class NoTeacher(OpenRALError):
    """A labelling without a teacher, or with two."""

    def __init__(self) -> None:
        super().__init__(
            "who teaches: give --teacher with an on-demand locator and --names, or --coco with annotations"
        )


class DoesNotConform(OpenRALError):
    """A detector that fails the conformance kit."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} does not conform: the failed tests are above")


def check_conformance(folder: Path, *arguments: str) -> None:
    """Run the conformance kit on the rSkill in a folder.

    Raises:
        DoesNotConform: If a test fails.
    """
    command = [sys.executable, *KIT, "--openral-detector", str(folder.resolve()), *arguments]
    if subprocess.run(command, cwd="/", check=False).returncode:
        raise DoesNotConform(folder)


@app.command()
def collect(
    lesson: Folder,
    source: Annotated[
        str, typer.Argument(help="recording (run folder or MCAP file), folder of images, or live")
    ],
    *,
    camera: Annotated[str, typer.Option(help="camera of the recording or robot, or its topic")] = "head",
    every: Annotated[float, typer.Option(min=0.0, help="time between two frames [s]")] = 2.0,
    limit: Annotated[int, typer.Option(min=1, help="frames of the lesson at most")] = 60,
) -> None:
    """Add frames to a lesson; frames it has already, and those that hardly differ, are left out."""
    from openral_training.ros.sources import frames_of
    from openral_training.teach.lesson import Lesson

    content = Lesson.opened(lesson)
    for rgb, origin in frames_of(source, camera, every):
        if len(content.frames) >= limit:
            break
        content = content.with_frame(rgb, origin)
    content.save()
    typer.echo(f"{lesson}: {len(content.frames)} frames")


@app.command()
def label(
    lesson: Folder,
    *,
    names: Annotated[str, typer.Option(help="names of what is new, separated by commas")] = "",
    teacher: Annotated[str, typer.Option(help="on-demand locator: id or folder of an rSkill")] = "",
    coco: Annotated[Path | None, typer.Option(help="annotations of the frames' images, by file name")] = None,
    rskills: Annotated[list[Path] | None, typer.Option(help="folder of rSkills (repeatable)")] = None,
    weights_dir: Annotated[str, typer.Option(help="folder of weights; '' = the user's cache")] = "",
    device: Annotated[str, typer.Option(help="device of the teacher")] = "cpu",
) -> None:
    """Propose boxes; those that are there keep their verdicts. Resumes where it was stopped."""
    from openral_training.teach.lesson import Lesson
    from openral_training.teach.teachers import label_by_coco

    labels = tuple(name.strip() for name in names.split(",") if name.strip())
    content = Lesson.read(lesson)
    if coco is not None and not teacher:
        content = label_by_coco(content, coco, labels)
        content.save()
    elif teacher and labels and coco is None:
        from openral_perception_ros.parameters import DetectorParameters
        from openral_ros.rskill_folders import rskill_folders
        from openral_training.ros.locators import label_by_locator

        options = DetectorParameters(rskill="-", device=device, weights_folder=weights_dir)
        folders = rskill_folders([str(folder) for folder in rskills or ()])
        content = label_by_locator(content, teacher, labels, folders, options, _report)
    else:
        raise NoTeacher
    typer.echo(f"{lesson}: {len(content.boxes)} boxes in {len({box.frame for box in content.boxes})} frames")
    typer.echo(f"review them: openral teach review {lesson}")


@app.command()
def review(
    lesson: Folder,
    *,
    terminal: Annotated[bool, typer.Option("--terminal", help="ask for a verdict on each box")] = False,
) -> None:
    """Draw the boxes on pages; correct labels.csv, or judge them here with --terminal."""
    from openral_training.teach.lesson import Lesson
    from openral_training.teach.review import review_in_terminal, unreviewed, write_pages

    content = Lesson.read(lesson)
    for page in write_pages(content):
        typer.echo(page)
    if terminal:
        content = review_in_terminal(content, typer.prompt)
    count = len(list(unreviewed(content)))
    typer.echo(f"{len(content.boxes)} boxes, {count} without a verdict, which count as accepted")


@app.command()
def fit(
    lesson: Folder,
    *,
    init: Annotated[Path, typer.Option(help="what knows the rest: an rSkill's folder, a run or checkpoint")],
    out: Annotated[Path, typer.Option(help="folder of the new rSkill; its name is the id")],
    replay: Annotated[
        Path | None, typer.Option(help="data set of older images, with train and val, against forgetting")
    ] = None,
    views: Annotated[int, typer.Option(min=1, help="image views")] = TAUGHT_VIEWS,
    threads: Annotated[int, typer.Option(min=1, help="threads of the network")] = 2,
    check: Annotated[bool, typer.Option("--check/--no-check", help="run the conformance kit")] = True,
    environments: Annotated[Path, typer.Option(help="folder of Python environments")] = Path(".environments"),
) -> None:
    """Learn the accepted boxes; interrupt it at any time, the same command goes on.

    Exit code: 0 done; 2 refused, or the result does not conform; 130 interrupted.
    """
    from openral_core.documents import parse_document
    from openral_training import environment
    from openral_training.detector.options import TeachingOptions
    from openral_training.teach.lesson import Lesson

    raw = {"lesson": lesson, "init": init, "out": out, "replay": replay, "views": views, "threads": threads}
    options = parse_document(TeachingOptions, raw, "openral teach fit")
    Lesson.read(lesson).accepted()
    code = environment.run(environment.job_command(environments, "teach", options.model_dump_json()))
    if code:
        raise typer.Exit(code)
    if check:
        check_conformance(out, "--openral-load-cycles", "2")
    typer.echo(f"use it: deploy_sim.py --rskills {out.parent} --continuous {out.name}")


def _report(number: int, total: int) -> None:
    typer.echo(f"frame {number} of {total}")

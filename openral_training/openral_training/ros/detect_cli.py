"""Commands `openral detector add`, `detect` and `camera`: detectors of other projects, on photographs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from openral_training.detect.adding import AddedDetector
    from openral_training.detect.precision import AveragePrecision

detector = typer.Typer(no_args_is_help=True, help="Bring detectors of other projects.")
commands = typer.Typer(no_args_is_help=True, add_completion=False)
commands.add_typer(detector, name="detector")

MINE = Path("my_rskills")
"""Folder of the user's own rSkills, as in docs/add-a-detector.md."""
EVERY_SCORE = 0.01
"""Score from which detections count for average precision, which judges their order [1]."""
QUICK = "loads or labels or same_frame or frames_of_any"
"""Tests of the conformance kit that run at once."""


@detector.callback()
def _group() -> None:
    """Bring detectors of other projects."""


@detector.command()
def add(
    file: Annotated[Path, typer.Argument(help="ONNX file", exists=True, dir_okay=False)],
    *,
    labels: Annotated[str, typer.Option(help="coco80, coco91, or a file with one name per line")] = "",
    decode: Annotated[str, typer.Option(help="kind of its outputs; default: inferred")] = "",
    preparation: Annotated[str, typer.Option(help="family whose images it takes; default: tried")] = "",
    images: Annotated[
        Path | None, typer.Option(help="image or folder of images as the robot sees them, for that trial")
    ] = None,
    name: Annotated[str, typer.Option("--id", help="id of the rSkill; default: the file's name")] = "",
    rskills: Annotated[Path, typer.Option(help="folder of rSkills")] = MINE,
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0, help="score of a reported object")] = 0.3,
    licence: Annotated[str, typer.Option(help="SPDX id of the weights' licence")] = "",
    on_demand: Annotated[bool, typer.Option("--on-demand", help="answer queries; default: stream")] = False,
    check: Annotated[bool, typer.Option("--check/--no-check", help="run the quick conformance tests")] = True,
) -> None:
    """Make an rSkill of a detector's ONNX file: inspect and try it, write its folder, test it.

    Exit code: 0 done; 1 refused, or it does not conform.
    """
    from itertools import islice

    from openral_core.rskills import Mode
    from openral_training.detect.adding import AddRequest, add_detector, decode_kind, id_of
    from openral_training.ros.cli import check_conformance
    from openral_training.ros.sources import stored_images

    request = AddRequest(
        file=file,
        rskills=rskills,
        id=name or id_of(file),
        labels=labels,
        decode=decode_kind(decode),
        preparation=preparation,
        threshold=threshold,
        licence=licence,
        mode=Mode.ON_DEMAND if on_demand else Mode.CONTINUOUS,
        images=[rgb for rgb, _ in islice(stored_images(images), TRIED)] if images else (),
    )
    added = add_detector(request)
    for line in _described(added, tried_on=len(request.images)):
        typer.echo(line)
    if check:
        check_conformance(added.folder, "-k", QUICK)
    typer.echo(f"try it: openral detect IMAGES --detector {added.folder}")


TRIED = 16
"""Images on which preparations are tried [count]."""


def _described(added: AddedDetector, tried_on: int) -> list[str]:
    lines = [f"{added.folder}: outputs are {added.outputs}"]
    if not added.consistencies:
        return [*lines, f"images are prepared as for {added.preparation}"]
    scores = ", ".join(f"{name} {value:.1f}" for name, value in added.consistencies.items())
    where = f"{tried_on} images" if tried_on else "a test picture; try your own with --images"
    return [
        *lines,
        f"images are prepared as for {added.preparation}: agreement with mirror images on {where}: {scores}",
    ]


@commands.command()
def detect(
    source: Annotated[Path, typer.Argument(help="image, folder of images, or recording", exists=True)],
    *,
    detectors: Annotated[
        list[str], typer.Option("--detector", help="id, or folder of an rSkill; two are compared")
    ],
    coco: Annotated[Path | None, typer.Option(help="annotations in COCO format: print AP50")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="score of an object; default: the manifest's")
    ] = None,
    page: Annotated[Path, typer.Option(help="PNG with the boxes, one per detector")] = Path("detections.png"),
    camera: Annotated[str, typer.Option(help="camera of a recording; default: its first")] = "",
    every: Annotated[float, typer.Option(min=0.0, help="time between two images of a recording [s]")] = 1.0,
    limit: Annotated[int, typer.Option(min=1, help="images at most")] = 500,
    rskills: Annotated[list[Path] | None, typer.Option(help="folder of rSkills (repeatable)")] = None,
    weights_dir: Annotated[str, typer.Option(help="folder of weights; '' = the user's cache")] = "",
    environments: Annotated[Path, typer.Option(help="folder of Python environments")] = Path(".environments"),
    device: Annotated[str, typer.Option(help="device of the models")] = "cpu",
) -> None:
    """Print and draw what detectors see; with annotations, how well; of two, where they differ."""
    from itertools import islice

    from openral_perception_ros.parameters import DetectorParameters
    from openral_ros.rskill_folders import rskill_folders
    from openral_training.detect.pictures import disagreements, listing, tile, write_pages
    from openral_training.detect.precision import average_precision
    from openral_training.perceive.ros.recorded_images import detect_images
    from openral_training.ros.sources import images_of

    folders = rskill_folders([str(each) for each in rskills or ()])
    folders += [MINE] if MINE.is_dir() and not rskills else []
    options = DetectorParameters(
        rskill="-", device=device, weights_folder=weights_dir, environments=str(environments)
    )
    images = dict(islice(images_of(source, camera, every), limit))
    least = threshold if coco is None else EVERY_SCORE
    runs = [detect_images(each, images, folders, options, least) for each in dict.fromkeys(detectors)]
    for run in runs:
        shown = run.above(threshold)
        typer.echo("\n".join([f"{run.rskill}:", *listing(shown)]))
        for image, problem in run.problems.items():
            typer.echo(f"{image} could not be searched: {problem}")
        file = page if len(runs) == 1 else page.with_stem(f"{page.stem}-{run.rskill}")
        for written in write_pages([tile(images[image], image, row) for image, row in shown.items()], file):
            typer.echo(f"drawn: {written}")
        if coco is not None:
            typer.echo("\n".join(_table(average_precision(coco, run.detections, run.labels))))
    if len(runs) == PAIR:
        typer.echo(f"disagreements of {runs[0].rskill} (first) and {runs[1].rskill} (second):")
        first, second = (run.above(threshold) for run in runs)
        shared = frozenset(runs[0].labels) & frozenset(runs[1].labels)
        for image, row in first.items():
            for line in disagreements(row, second.get(image, []), shared):
                typer.echo(f"{image}: {line}")


PAIR = 2
"""Detectors that are compared [count]."""


def _table(precision: AveragePrecision) -> list[str]:
    rows = sorted(precision.classes.items(), key=lambda row: row[1])
    lines = [
        f"  {label:<20} {precision.objects[label]:5d} objects  AP50 {value:.3f}" for label, value in rows
    ]
    total = f"AP50 {precision.mean:.3f} over {len(rows)} classes of {precision.images} images"
    unknown = f"; it cannot name {', '.join(precision.unknown)}" if precision.unknown else ""
    return [*lines, total + unknown]


@commands.command()
def camera(
    folder: Annotated[Path, typer.Argument(help="folder of photographs")],
    robot: Annotated[str, typer.Option(help="robot.yaml, or name of a shipped one")] = "photographs",
    rate: Annotated[float, typer.Option(min=0.1, max=60.0, help="images per second [Hz]")] = 2.0,
    dwell: Annotated[
        float, typer.Option(min=0.0, help="time of each photograph [s]; 0 = until the next is requested")
    ] = 0.0,
    field_of_view: Annotated[
        float, typer.Option(min=1.0, max=170.0, help="of the longer side [degrees]")
    ] = 60.0,
) -> None:
    """Publish photographs as the images of a robot's first camera, until interrupted.

    Enter, the service next_photograph, or --dwell shows the next one. Beside it, without any robot:
    `deploy_robot.py --robot photographs --detectors real`.
    """
    import os
    import sys
    from threading import Event

    from openral_bringup.graph.middleware import LARGE_IMAGES, rmw_environment
    from openral_bringup.graph.resources import robot_path
    from openral_core.robot import load_robot
    from openral_ros.node_thread import NodeThread
    from openral_training.ros.photo_camera import PhotoCamera

    description = load_robot(robot_path(robot))
    topics = next(iter(description.cameras.values()))
    os.environ.update(rmw_environment(os.environ, LARGE_IMAGES))
    thread = NodeThread("photo_camera", description.namespace)
    try:
        shown = PhotoCamera(thread.node, thread.scope, topics, folder, rate, field_of_view, typer.echo)
        if dwell:
            thread.scope.timer(dwell, shown.show_next)
        thread.start()
        for _ in sys.stdin if sys.stdin.isatty() else ():
            thread.post(shown.show_next)
        Event().wait()
    except KeyboardInterrupt:
        typer.echo("ended")
    finally:
        thread.close()

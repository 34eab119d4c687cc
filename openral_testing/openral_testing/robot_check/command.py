"""Command line `openral robot`: check a running robot against its robot.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError
from openral_testing.weights.cli import (
    DEFAULT_ENVIRONMENTS,
    DEFAULT_RSKILLS,
    Environments,
    Rskills,
    WeightsDir,
    find,
)

if TYPE_CHECKING:
    from openral_core.arrays import Image
    from openral_testing.detectors.detector_run import WorkerSetup
    from openral_testing.robot_check.findings import Finding, Observations


app = typer.Typer(no_args_is_help=True, help="Check a robot.")
commands = typer.Typer()
commands.add_typer(app, name="robot")


@app.callback()
def robot() -> None:
    """Check a robot."""


@app.command()
def check(
    robot: Annotated[Path | None, typer.Option(help="robot.yaml")] = None,
    detector: Annotated[list[str] | None, typer.Option(help="detector to try; may be repeated")] = None,
    images: Annotated[
        Path | None, typer.Option(help="folder of images for the detectors, instead of the cameras' newest")
    ] = None,
    rskills: Rskills = DEFAULT_RSKILLS,
    weights_dir: WeightsDir = "",
    environments: Environments = DEFAULT_ENVIRONMENTS,
    seconds: Annotated[float, typer.Option(min=2.0, max=60.0, help="time to observe [s]")] = 5.0,
    as_json: Annotated[bool, typer.Option("--json", help="print the findings as JSON")] = False,
) -> None:
    """Observe a running robot and report what does not match its robot.yaml, each with its mend.

    With --detector, name what it sees in the cameras' newest images, or in a folder of --images, for which
    no robot is needed.

    Exit code: 0 everything was checked and is right, 1 a problem, 2 invalid robot.yaml, 3 no problem, but
    something could not be checked.
    """
    from openral_perception_ros.engines import LoadOptions
    from openral_testing.detectors.detector_run import WorkerSetup
    from openral_testing.robot_check.named_objects import read_images

    if robot is None and images is None:
        raise typer.BadParameter("name --robot, or a folder of --images")
    name, findings, actual = observe(robot, seconds) if robot else (str(images), [], None)
    for id_ in detector or (["coco-nano"] if images else []):
        setup = WorkerSetup(*find(id_, rskills), LoadOptions(weights_folder=weights_dir), environments)
        findings.append(try_detector(setup, read_images(images) if images else newest_images(actual)))
    failed = sum(finding.failed for finding in findings)
    unchecked = sum(not finding.checked for finding in findings)
    summary = f"{name}: {failed} of {len(findings)} checks failed"
    summary += f", {unchecked} could not be made" if unchecked else ""
    if as_json:
        typer.echo(json.dumps({"summary": summary, "findings": [_as_row(finding) for finding in findings]}))
    else:
        for finding in findings:
            typer.echo(_as_line(finding))
        typer.echo(summary)
    raise typer.Exit(PROBLEM if failed else NOT_CHECKED if unchecked else 0)


def observe(robot: Path, seconds: float) -> tuple[str, list[Finding], Observations]:
    """Observe a robot; return its name, the findings, and what they are about."""
    import asyncio

    from openral_core.robot import load_robot
    from openral_testing.robot_check.findings import examine
    from openral_testing.robot_check.observer import Observer

    description = load_robot(robot)
    actual = asyncio.run(Observer(description).observe(seconds))
    return description.name, examine(description, actual), actual


def newest_images(actual: Observations | None) -> list[Image]:
    """Return the newest image of each camera that delivered one."""
    streams = actual.images.values() if actual else ()
    return [each.pixels.astype("uint8") for each in streams if each.pixels is not None]


def try_detector(setup: WorkerSetup, pictures: list[Image]) -> Finding:
    """Name the objects in images by a detector; one that cannot be loaded is not checked."""
    from openral_testing.detectors.detector_run import LoadedDetector
    from openral_testing.robot_check.findings import unchecked
    from openral_testing.robot_check.named_objects import finding_of, name_objects

    what = f"detector {setup.manifest.id}"
    if not pictures:
        return unchecked(what, "no camera delivered an image", "start the driver, or name --images")
    try:
        with LoadedDetector.load(setup) as loaded:
            return finding_of(setup.manifest, name_objects(loaded, pictures))
    except OpenRALError as error:
        return unchecked(what, str(error), "do what the message says, then run the command again")


PROBLEM, NOT_CHECKED = 1, 3
"""Exit codes."""
VERDICTS = {"ok": "ok  ", "bad": "BAD ", "limited": "??  "}
"""Verdicts of `openral doctor --json`, with their marks on the terminal."""


def _verdict(finding: Finding) -> str:
    return "bad" if finding.failed else "ok" if finding.checked else "limited"


def _as_line(finding: Finding) -> str:
    row = _as_row(finding)
    problem = f": {row['found']}" if row["found"] else ""
    problem += f"\n     {row['advice']}" if row["advice"] else ""
    return f"{VERDICTS[row['verdict']]} {row['what']}{problem}"


def _as_row(finding: Finding) -> dict[str, str]:
    """Return a finding with the keys of `openral doctor --json`."""
    problem = finding.problem if finding.checked else f"not checked: {finding.problem}"
    return {
        "what": finding.what,
        "verdict": _verdict(finding),
        "found": problem or finding.note,
        "advice": finding.mend,
    }

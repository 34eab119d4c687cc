"""Command line `openral robot`: check a running robot against its robot.yaml."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from openral_core.robot import load_robot
from openral_skills_ros.check.findings import examine
from openral_skills_ros.check.observer import Observer

app = typer.Typer(no_args_is_help=True, help="Check a robot.")
commands = typer.Typer()
commands.add_typer(app, name="robot")


@app.callback()
def robot() -> None:
    """Check a robot."""


@app.command()
def check(
    robot: Annotated[Path, typer.Option(help="robot.yaml")],
    seconds: Annotated[float, typer.Option(min=2.0, max=60.0, help="time to observe [s]")] = 5.0,
) -> None:
    """Observe a running robot and report what does not match its robot.yaml, each with its mend.

    Exit code: 0 without a problem, 1 with one, 2 invalid robot.yaml.
    """
    description = load_robot(robot)
    findings = examine(description, asyncio.run(Observer(description).observe(seconds)))
    problems = [finding for finding in findings if finding.problem]
    for finding in findings:
        if finding.problem:
            typer.echo(f"BAD  {finding.what}: {finding.problem}\n     {finding.mend}")
        else:
            typer.echo(f"ok   {finding.what}")
    typer.echo(f"{description.name}: {len(problems)} of {len(findings)} checks failed")
    raise typer.Exit(1 if problems else 0)

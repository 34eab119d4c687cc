"""Command line `openral robot`: check a running robot against its robot.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from openral_skills_ros.check.findings import Finding


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
    as_json: Annotated[bool, typer.Option("--json", help="print the findings as JSON")] = False,
) -> None:
    """Observe a running robot and report what does not match its robot.yaml, each with its mend.

    Exit code: 0 without a problem, 1 with one, 2 invalid robot.yaml.
    """
    import asyncio

    from openral_core.robot import load_robot
    from openral_skills_ros.check.findings import examine
    from openral_skills_ros.check.observer import Observer

    description = load_robot(robot)
    findings = examine(description, asyncio.run(Observer(description).observe(seconds)))
    problems = [finding for finding in findings if finding.problem]
    summary = f"{description.name}: {len(problems)} of {len(findings)} checks failed"
    if as_json:
        typer.echo(json.dumps({"summary": summary, "findings": [_as_row(finding) for finding in findings]}))
        raise typer.Exit(1 if problems else 0)
    for finding in findings:
        if finding.problem:
            typer.echo(f"BAD  {finding.what}: {finding.problem}\n     {finding.mend}")
        else:
            typer.echo(f"ok   {finding.what}")
    typer.echo(summary)
    raise typer.Exit(1 if problems else 0)


def _as_row(finding: Finding) -> dict[str, str]:
    """Return a finding with the keys of `openral doctor --json`."""
    verdict = "bad" if finding.problem else "ok"
    return {"what": finding.what, "verdict": verdict, "found": finding.problem, "advice": finding.mend}

"""Command line `openral robot`: check a running robot against its robot.yaml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from openral_testing.robot_check.findings import Finding


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

    Exit code: 0 everything was checked and is right, 1 a problem, 2 invalid robot.yaml, 3 no problem, but
    something could not be checked.
    """
    import asyncio

    from openral_core.robot import load_robot
    from openral_testing.robot_check.findings import examine
    from openral_testing.robot_check.observer import Observer

    description = load_robot(robot)
    findings = examine(description, asyncio.run(Observer(description).observe(seconds)))
    failed = sum(finding.failed for finding in findings)
    unchecked = sum(not finding.checked for finding in findings)
    summary = f"{description.name}: {failed} of {len(findings)} checks failed"
    summary += f", {unchecked} could not be made" if unchecked else ""
    if as_json:
        typer.echo(json.dumps({"summary": summary, "findings": [_as_row(finding) for finding in findings]}))
    else:
        for finding in findings:
            typer.echo(_as_line(finding))
        typer.echo(summary)
    raise typer.Exit(PROBLEM if failed else NOT_CHECKED if unchecked else 0)


PROBLEM, NOT_CHECKED = 1, 3
"""Exit codes."""
VERDICTS = {"ok": "ok  ", "bad": "BAD ", "limited": "??  "}
"""Verdicts of `openral doctor --json`, with their marks on the terminal."""


def _verdict(finding: Finding) -> str:
    return "bad" if finding.failed else "ok" if finding.checked else "limited"


def _as_line(finding: Finding) -> str:
    row = _as_row(finding)
    problem = f": {row['found']}\n     {row['advice']}" if row["found"] else ""
    return f"{VERDICTS[row['verdict']]} {row['what']}{problem}"


def _as_row(finding: Finding) -> dict[str, str]:
    """Return a finding with the keys of `openral doctor --json`."""
    problem = finding.problem if finding.checked else f"not checked: {finding.problem}"
    return {"what": finding.what, "verdict": _verdict(finding), "found": problem, "advice": finding.mend}

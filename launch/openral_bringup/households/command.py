"""`openral bench household`."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from openral_bringup.households.archetypes import Archetype
from openral_bringup.households.fleets import Worker, outcomes_of
from openral_bringup.households.ledgers import OutcomeLedger
from openral_bringup.households.outcomes import Job
from openral_bringup.households.runs import RunOptions
from openral_bringup.households.tables import household_table
from openral_bringup.households.windows import require_display
from openral_reasoner_ros.parameters import Brain

commands = typer.Typer(no_args_is_help=True)
bench = typer.Typer(no_args_is_help=True)
commands.add_typer(bench, name="bench")


@bench.command()
def household(
    *,
    seeds: Annotated[int, typer.Option(min=1, help="tasks of each archetype")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="the first one")] = 0,
    archetype: Annotated[list[Archetype] | None, typer.Option(help="default: all")] = None,
    scene: Annotated[
        list[str] | None, typer.Option(help="homes, taken in turn by seed; default: home")
    ] = None,
    brain: Annotated[Brain, typer.Option(help="who decides")] = Brain.SCRIPTED,
    model: Annotated[str, typer.Option(help="of a vendor's brain")] = "",
    base_url: Annotated[str, typer.Option(help="of a compatible endpoint")] = "",
    workers: Annotated[int, typer.Option(min=0, help="processes; 0 = one per core")] = 0,
    out: Annotated[Path, typer.Option(help="what is there already is not done again")] = Path(
        "runs/household"
    ),
    view: Annotated[bool, typer.Option("--view/--headless", help="watch in a window, one at a time")] = False,
    graph: Annotated[bool, typer.Option("--graph", help="bring the whole graph up for every task")] = False,
    sheets: Annotated[
        bool, typer.Option("--sheets", help="a contact sheet of every task, not of failures")
    ] = False,
) -> None:
    """Household tasks in physics, judged by the simulator's truth.

    Mission core, memory, detectors and skills run in one process without a graph between them: the same
    code, in simulated time, as fast as the machine can. With --graph every task gets a graph of its own, and
    the mission's own end is believed. Ends with 1 when a task failed.
    """
    homes = scene or ["home"]
    kinds = archetype or list(Archetype)
    jobs = [
        Job(kind, number, homes[number % len(homes)], brain.value)
        for number in range(seed, seed + seeds)
        for kind in kinds
    ]
    ledger = OutcomeLedger(out)
    work = Worker(out, RunOptions(sheets, view, graph), model, base_url)
    if view:
        require_display()
    most = 1 if view or graph else workers or os.cpu_count() or 1
    for outcome in outcomes_of(ledger.left(jobs), work, most):
        ledger.add(outcome)
        told = "done" if outcome.success else f"{outcome.why}: {outcome.words}"
        typer.echo(f"{outcome.key}: {outcome.goal!r}: {told} ({outcome.simulated} s in {outcome.wall} s)")
    asked = {job.key for job in jobs}
    outcomes = [each for each in ledger.outcomes if each.key in asked]
    table = household_table(outcomes)
    (out / "household.md").write_text(table + "\n", encoding="utf-8")
    rows = [each.model_dump(mode="json") for each in outcomes]
    (out / "household.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    typer.echo(table)
    raise typer.Exit(any(not each.success for each in outcomes))

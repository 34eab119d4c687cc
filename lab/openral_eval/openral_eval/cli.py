"""`openral eval`: trials of decision models on suites of fast tasks."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_eval.choices import SUITE_NAMES, CorePart
from openral_reasoner_ros.brains import Brain, PromptForm

if TYPE_CHECKING:
    from openral_eval.results_log import RunDescription
    from openral_eval.suites.tasks import TrialRecord

DEADLINE = 60.0
"""Of one decision, as on the robot [s]."""

commands = typer.Typer(no_args_is_help=True)


@commands.command(name="eval")
def evaluate(
    *,
    suite: Annotated[
        list[str] | None, typer.Option(help=f"of {', '.join(SUITE_NAMES)} (repeatable); default household")
    ] = None,
    brain: Annotated[Brain, typer.Option(help="who decides")] = Brain.SCRIPTED,
    model: Annotated[str, typer.Option(help="of a vendor's brain")] = "",
    base_url: Annotated[str, typer.Option(help="of a compatible endpoint")] = "",
    prices: Annotated[str, typer.Option(help="YAML price list; default the shipped one")] = "",
    advisor: Annotated[
        str, typer.Option(help="stronger model of the same endpoint, asked while the first is stuck")
    ] = "",
    prompt: Annotated[
        PromptForm, typer.Option(help="tools, or the legal next calls to pick from")
    ] = PromptForm.AUTO,
    deadline: Annotated[float, typer.Option(min=0.5, max=600.0, help="of one decision [s]")] = DEADLINE,
    temperature: Annotated[
        float, typer.Option(min=-1.0, max=2.0, help="of the model; negative is the endpoint's own")
    ] = 0.0,
    budget_dollars: Annotated[
        float, typer.Option(min=0.0, help="ends the run when its trials have cost this; 0 = none [US$]")
    ] = 0.0,
    trials: Annotated[int, typer.Option(min=1, help="of each task; pass^k is reported up to 8")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="of the first home")] = 0,
    limit: Annotated[int, typer.Option(min=0, help="tasks of each suite; 0 = the suite's own number")] = 0,
    without: Annotated[
        list[CorePart] | None, typer.Option(help="leave a part of the core out (repeatable)")
    ] = None,
    games: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="folder games/twc, for the suite twc")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="processes; 0 = one per core")] = 0,
    cluster: Annotated[
        str, typer.Option(help="do the trials on the Ray cluster with this address, or auto")
    ] = "",
    resume: Annotated[
        bool, typer.Option("--resume/--no-resume", help="go on with what --out already holds")
    ] = True,
    out: Annotated[Path, typer.Option(help="folder of the log and the report")] = Path("runs/eval"),
) -> None:
    """Put a decision model on trial: success, pass^k, SPL, steps, tokens, price and latency.

    Missions run in symbolic homes with the real mission core, in seconds and without a graph. Every trial is
    kept as soon as it ends: a killed run goes on with the same command.
    Exit code: 0 every trial ended, successful or not; 1 the model answered in none of them; 2 the run could
    not start, or its budget ended it.
    """
    from openral_eval.brains import BrainSpec
    from openral_eval.cluster import on_cluster
    from openral_eval.fingerprint import fingerprint
    from openral_eval.report import HEAD, markdown_table, suite_rows
    from openral_eval.results_log import ResultsLog, RunDescription
    from openral_eval.runner import in_processes, run_trials
    from openral_eval.suites.registry import tasks_of
    from openral_eval.suites.tasks import SuiteOptions
    from openral_eval.trials import MODEL_FAILED, Trial

    options = SuiteOptions(seed, limit, games)
    names = tuple(dict.fromkeys(suite or ["household"]))
    tasks = tasks_of(names, options)
    spec, parts = (
        BrainSpec(brain, model, base_url, prices, advisor, prompt, deadline, temperature),
        frozenset(without or ()),
    )
    description = RunDescription(
        brain=spec.name,
        base_url=base_url,
        advisor=advisor,
        prompt="" if prompt is PromptForm.AUTO else prompt.value,
        deadline=deadline,
        temperature=temperature,
        suites=names,
        trials=trials,
        seed=seed,
        limit=limit,
        without=tuple(sorted(part.value for part in parts)),
        fingerprint=fingerprint(tasks, trials),
    )
    # Fails before anything runs if a key, a package or the name of the model is missing.
    spec.build()
    selection = [Trial(task, number, spec, options, parts) for number in range(trials) for task in tasks]
    with ResultsLog(out, description, resume=resume) as log:
        work = on_cluster(cluster) if cluster else in_processes(jobs or os.cpu_count() or 1)
        records = run_trials(selection, log, work, _tell, budget_dollars or math.inf)
    write_reports(out, description, records)
    typer.echo(markdown_table(HEAD, suite_rows(records)))
    typer.echo(f"report: {out / 'report.html'}", err=True)
    mute = [each for each in records if each.failure.startswith(MODEL_FAILED)]
    if mute:
        typer.echo(f"the model failed in {len(mute)} of {len(records)} trials: {mute[0].detail}", err=True)
    if records and len(mute) == len(records):
        raise typer.Exit(1)


@commands.command()
def eval_page(
    reports: Annotated[list[Path], typer.Argument(exists=True, help="report.json of each run")],
    out: Annotated[Path, typer.Option(help="page to write")] = Path("runs/eval.html"),
) -> None:
    """Compare models by their reports: success, pass^k, tokens, latency and memory, per suite."""
    from openral_eval.comparison import comparison

    out.write_text(comparison(reports), encoding="utf-8")
    typer.echo(f"page: {out}")


def _tell(record: TrialRecord, remaining: int) -> None:
    typer.echo(f"{record.key}: {record.failure or 'done'} ({remaining} left)", err=True)


def write_reports(folder: Path, run: RunDescription, records: tuple[TrialRecord, ...]) -> None:
    """Write the Markdown table, the HTML page, and one JSON file with options, machine and trials."""
    from openral_eval.html_report import html_report
    from openral_eval.report import markdown_report
    from openral_testing.machine import machine, model_memory

    (folder / "report.md").write_text(markdown_report(run, records), encoding="utf-8")
    (folder / "report.html").write_text(html_report(run, records), encoding="utf-8")
    content = {
        "run": run.model_dump(mode="json"),
        "machine": machine(),
        "memory": model_memory(run.base_url) if run.base_url or run.brain.startswith(Brain.LOCAL) else None,
        "trials": [each.model_dump(mode="json") for each in records],
    }
    (folder / "report.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

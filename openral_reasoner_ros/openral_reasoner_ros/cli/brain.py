"""Check a decision model's endpoint before a robot depends on it."""

from typing import Annotated

import typer

from openral_reasoner_ros.brains import Brain

brain = typer.Typer(no_args_is_help=True, help="check the decision model of a reasoner")
commands = typer.Typer()
commands.add_typer(brain, name="brain")


@brain.callback()
def _group() -> None:
    """Make the one command a command of the group."""


@brain.command()
def check(
    kind: Annotated[Brain, typer.Option("--brain", help="protocol of the endpoint")] = Brain.OPENAI,
    model: Annotated[str, typer.Option(help="model name at the endpoint")] = "",
    base_url: Annotated[str, typer.Option(help="API endpoint; empty = the vendor's own")] = "",
    deadline: Annotated[float, typer.Option(min=0.5, max=600.0, help="of one decision [s]")] = 60.0,
) -> None:
    """Measure what an endpoint does with tools, past calls and long prompts, and how long it decides.

    Exit code: 0 missions can succeed with it, 1 they cannot, 2 the options are invalid.
    """
    from openral_reasoner_ros.parameters import ReasonerParameters
    from openral_reasoner_ros.preflight import check_brain

    parameters = ReasonerParameters(
        brain=kind, model=model, base_url=base_url, model_deadline=deadline, rskill_folders=()
    )
    report = check_brain(parameters)
    for line in report.lines() if report else (f"brain {kind.value!r} has no endpoint",):
        typer.echo(line)
    if report is not None and not report.is_usable:
        raise typer.Exit(1)

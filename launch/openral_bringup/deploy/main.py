"""Command line of `deploy_sim.py`: bring the whole graph up headless, pursue goals, report, clean up."""

import asyncio
import inspect
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, cast

import typer
from annotated_types import Ge
from pydantic.fields import FieldInfo
from rich.console import Console

from openral_bringup.deploy.console import plan
from openral_bringup.deploy.deployment import deployment, run_folder
from openral_bringup.domains import domain_of, occupy
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.errors import Problems
from openral_bringup.graph.options import DEFAULT_SCENE, RENAMED, DeploymentOptions, merged
from openral_bringup.graph.overrides import Overrides, overrides_of
from openral_bringup.graph.preflight import fetch_missing, missing_requirements
from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_core.errors import OpenRALError
from openral_perception_ros.weights.hub import download

USAGE = 2
HELP = """Bring up the whole graph in simulation and pursue goals.

Exit code: 0 reached, 1 failed, 2 invalid options, or node names already taken in the ROS domain,
3 handed over to a human, 4 the graph did not come up, 5 claimed by the model without proof, 130 interrupted.
"""
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
FLAGS = {**RENAMED, "camera": "cameras"}
"""Flags whose option has another name."""


def _option_flags() -> dict[str, inspect.Parameter]:
    """Return the flag of every option that is passed on as given, by the option's name."""
    spelled = {option: flag for flag, option in FLAGS.items()}
    return {
        option: _flag(spelled.get(option, option), field)
        for option, field in DeploymentOptions.model_fields.items()
        if option not in ("scene", "record", "overrides")
    }


def _flag(name: str, field: FieldInfo) -> inspect.Parameter:
    bounds = [float(str(bound.ge)) for bound in field.metadata if isinstance(bound, Ge)]
    declared = (f"--{name.replace('_', '-')}",) if field.annotation is bool else ()
    repeatable = isinstance(field.default, tuple)
    option = typer.Option(
        None if repeatable else field.default,
        *declared,
        min=bounds[0] if bounds else None,
        help=f"{field.description} (repeatable)" if repeatable else field.description,
    )
    annotation = list[str] | None if repeatable else field.annotation
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=annotation)


def with_option_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of `DeploymentOptions`, which it receives as keyword arguments."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters = [each for each in own if each.kind is inspect.Parameter.KEYWORD_ONLY]
    flags = _option_flags().values()
    command.__signature__ = inspect.Signature([*parameters, *flags])  # type: ignore[attr-defined]
    return command


@app.command(help=HELP)
@with_option_flags
def deploy(
    *,
    scene: Annotated[
        str, typer.Option(help=DeploymentOptions.model_fields["scene"].description)
    ] = DEFAULT_SCENE,
    goal: Annotated[list[str] | None, typer.Option(help="goal in words (repeatable: a queue)")] = None,
    rskills: Annotated[
        list[Path] | None, typer.Option(help="folder of your own rSkills (repeatable)")
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch", help="download missing weights")] = False,
    record: Annotated[Path | None, typer.Option(help="folder for logs, spans and events")] = None,
    params: Annotated[
        list[Path] | None, typer.Option(help="YAML file of node: {parameter: value} (repeatable)")
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="node.parameter=value (repeatable)")] = None,
    domain_id: Annotated[str, typer.Option(help="ROS_DOMAIN_ID, or auto for a free one")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="print the graph and exit")] = False,
    **flags: object,
) -> None:
    """Bring up the graph that the options describe."""
    folder = run_folder(goal or [], record)
    problems = Problems()
    asked_domain = problems.attempt(lambda: domain_of(domain_id, os.environ), None)
    no_overrides: Overrides = {}
    given = {option: flags[flag.name] for option, flag in _option_flags().items()}
    options = DeploymentOptions.model_validate(
        {
            **{option: () if value is None else value for option, value in given.items()},
            "cameras": merged(cast("list[str] | None", given["cameras"]) or ()),
            "scene": problems.attempt(lambda: scene_path(scene), Path()),
            "record": str(folder / "recording"),
            "overrides": problems.attempt(lambda: overrides_of(params or (), set_ or ()), no_overrides),
        }
    )
    folders = problems.attempt(lambda: rskill_folders(rskills or ()), rskill_folders())
    if dry_run:
        graph = build_graph(options, folders, known_problems=problems.found)
        Console(width=None if sys.stdout.isatty() else 160).print(
            plan(graph, missing_requirements(graph, folders))
        )
        return
    if fetch:
        build_graph(options, folders, known_problems=problems.found)
        fetch_missing(options, folders, download, print)
    graph = build_graph(
        options,
        folders,
        known_problems=problems.found,
        requirements=partial(missing_requirements, folders=folders),
    )
    domain = occupy(asked_domain, [node.qualified for node in graph.started])
    if domain_id:
        print(f"ROS domain of this graph: {domain}. In other terminals, run: export ROS_DOMAIN_ID={domain}")
    raise typer.Exit(asyncio.run(deployment(options, graph, goal or [], folder, domain)))


def main() -> int:
    """Run the command line; an `OpenRALError` becomes one message and exit code 2."""
    try:
        app()
    except OpenRALError as error:
        print(error, file=sys.stderr)
    return USAGE

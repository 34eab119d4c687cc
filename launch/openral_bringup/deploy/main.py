"""`python deploy_sim.py`: bring the whole graph up headless, pursue goals, report, leave nothing behind."""

import asyncio
import os
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from openral_bringup.deploy.console import plan
from openral_bringup.deploy.deployment import deployment, run_folder
from openral_bringup.deploy.preflight import fetch_missing
from openral_bringup.domains import domain_of, occupy
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.errors import Problems
from openral_bringup.graph.options import Brain, DeploymentOptions, DetectorSet, LogLevel, merged
from openral_bringup.graph.overrides import overrides_of
from openral_bringup.graph.preflight import missing_requirements
from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_core.errors import OpenRALError
from openral_perception_ros.weights.hub import download

USAGE = 2
HELP = """Bring up the whole graph in simulation and pursue goals.

Exit code: 0 reached, 1 failed, 2 impossible choices, or names that are taken in the ROS domain,
3 handed over to a human, 4 the graph did not come up, 5 claimed by the model and not proven, 130 interrupted.
"""
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(help=HELP)
def deploy(
    *,
    scene: Annotated[str, typer.Option(help="scene file, shipped scene's name, or generated:SEED")] = "home",
    detectors: Annotated[DetectorSet, typer.Option(help="set of detectors")] = DetectorSet.EMBEDDED,
    continuous: Annotated[list[str] | None, typer.Option(help="continuous detector (repeatable)")] = None,
    on_demand: Annotated[list[str] | None, typer.Option(help="locator (repeatable), default first")] = None,
    accept_licence: Annotated[list[str] | None, typer.Option(help="licence to accept (repeatable)")] = None,
    rskills: Annotated[
        list[Path] | None, typer.Option(help="folder of your own rSkills (repeatable)")
    ] = None,
    weights_dir: Annotated[str, typer.Option(help="where weights of detectors lie")] = "",
    device: Annotated[str, typer.Option(help="where models run: cpu, cuda, cuda:1, tensorrt")] = "cpu",
    fetch: Annotated[bool, typer.Option("--fetch", help="download weights that are missing")] = False,
    brain: Annotated[Brain, typer.Option(help="what decides the next tool call")] = Brain.SCRIPTED,
    model: Annotated[str, typer.Option(help="model of the anthropic or openai brain")] = "",
    base_url: Annotated[str, typer.Option(help="endpoint of the openai brain")] = "",
    goal: Annotated[list[str] | None, typer.Option(help="goal in words (repeatable: a queue)")] = None,
    locate_anything: Annotated[bool, typer.Option("--locate-anything", help="add its locator")] = False,
    gpu_budget_mb: Annotated[
        float, typer.Option(min=0.0, help="memory of detectors and skills; 0 = GPU's")
    ] = 0.0,
    camera: Annotated[list[str] | None, typer.Option(help="ID=/TOPICS of a camera (repeatable)")] = None,
    seed: Annotated[int, typer.Option(min=0, help="draws object poses and detector noise")] = 0,
    real_time_factor: Annotated[float, typer.Option(min=0.0, help="speed cap; 0 = none")] = 1.0,
    spatial_memory_path: Annotated[str, typer.Option(help="memory to load and keep")] = "",
    handoff_timeout: Annotated[float, typer.Option(min=0.0, help="wait for a human's answer [s]")] = 0.0,
    record: Annotated[Path | None, typer.Option(help="folder for logs, spans and events")] = None,
    params: Annotated[list[Path] | None, typer.Option(help="YAML file of node: {parameter: value}")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="node.parameter=value")] = None,
    domain_id: Annotated[str, typer.Option(help="ROS_DOMAIN_ID, or auto for a free one")] = "",
    namespace: Annotated[str, typer.Option(help="namespace of the whole graph")] = "",
    max_restarts: Annotated[int, typer.Option(min=0, help="of a node that dies again and again")] = 5,
    run: Annotated[list[str] | None, typer.Option(help="start only this node here (repeatable)")] = None,
    log_level: Annotated[LogLevel, typer.Option(help="severity from which nodes speak")] = LogLevel.INFO,
    check_fields: Annotated[
        bool, typer.Option("--check-fields", help="check every message field's type, for development")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="print the graph and exit")] = False,
) -> None:
    """Bring up the graph that was chosen."""
    folder = run_folder(goal or [], record)
    problems = Problems()
    asked_domain = problems.attempt(lambda: domain_of(domain_id, os.environ), None)
    choices = DeploymentOptions(
        scene=problems.attempt(lambda: scene_path(scene), Path()),
        detectors=detectors,
        continuous=tuple(continuous or ()),
        on_demand=tuple(on_demand or ()),
        accepted_licences=tuple(accept_licence or ()),
        weights_dir=weights_dir,
        device=device,
        brain=brain,
        model=model,
        base_url=base_url,
        spatial_memory_path=spatial_memory_path,
        locate_anything=locate_anything,
        gpu_budget_mb=gpu_budget_mb,
        cameras=merged(camera or ()),
        max_restarts=max_restarts,
        run=tuple(run or ()),
        log_level=log_level,
        check_fields=check_fields,
        seed=seed,
        real_time_factor=real_time_factor,
        handoff_timeout=handoff_timeout,
        record=str(folder / "recording"),
        namespace=namespace,
        overrides=problems.attempt(lambda: overrides_of(params or (), set_ or ()), {}),
    )
    folders = problems.attempt(lambda: rskill_folders(rskills or ()), rskill_folders())
    if dry_run:
        graph = build_graph(choices, folders, known_problems=problems.found)
        Console(width=None if sys.stdout.isatty() else 160).print(
            plan(graph, missing_requirements(graph, folders))
        )
        return
    if fetch:
        build_graph(choices, folders, known_problems=problems.found)
        fetch_missing(choices, folders, download, print)
    graph = build_graph(
        choices,
        folders,
        known_problems=problems.found,
        requirements=partial(missing_requirements, folders=folders),
    )
    domain = occupy(asked_domain, [node.qualified for node in graph.started])
    if domain_id:
        print(f"this graph is in ROS domain {domain}: in other terminals, export ROS_DOMAIN_ID={domain}")
    raise typer.Exit(asyncio.run(deployment(choices, graph, goal or [], folder, domain)))


def main() -> int:
    """Entry point; our own errors are one message and exit code 2."""
    try:
        app()
    except OpenRALError as error:
        print(error, file=sys.stderr)
    return USAGE

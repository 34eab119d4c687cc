"""Command line of `deploy_sim.py`: bring the whole graph up headless, pursue goals, report, clean up."""

import asyncio
import inspect
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from annotated_types import Ge
from pydantic.fields import FieldInfo
from rich.console import Console

from openral_bringup.deploy.companions import (
    ADDRESSES,
    CompanionProcess,
    address_of,
    console,
    foxglove,
    recorder,
    with_companions,
)
from openral_bringup.deploy.console import plan, show
from openral_bringup.deploy.mission_runner import MissionRunner, RunOutcome, RunTimeouts, report, save
from openral_bringup.deploy.monitor_node import MonitorNode, watch_processes
from openral_bringup.deploy.process_supervisor import ProcessSupervisor, Respawn, child_environment
from openral_bringup.domains import domain_of, occupy
from openral_bringup.graph.bodies import robot_content, sim_robot_notice
from openral_bringup.graph.description import GraphDescription, build_graph
from openral_bringup.graph.detectors import fetch_missing, missing_requirements
from openral_bringup.graph.middleware import limit_discovery
from openral_bringup.graph.nodes import Overrides, overrides_of
from openral_bringup.graph.options import (
    CAMERA_FLAG,
    DEFAULT_SCENE,
    OF_SIMULATION,
    RENAMED,
    RENAMED_IN_SIMULATION,
    DeploymentOptions,
    merged,
    with_default,
)
from openral_bringup.graph.problems import Problems
from openral_bringup.graph.resources import require_simulation, robot_path, rskill_folders, scene_path
from openral_core.discovery import VARIABLE
from openral_core.errors import OpenRALError, check_arguments
from openral_core.rskills import Weights
from openral_perception_ros.weights.download import Fetched
from openral_reasoner_ros.brains import Brain

RUNS = Path("runs")
LATEST = "latest"


def run_folder(goals: Sequence[str], chosen: Path | None) -> Path:
    """Return the folder that was chosen, else a new one below ``runs`` named by time and goals."""
    if chosen is not None:
        return chosen.absolute()
    slug = re.sub(r"[^a-z0-9]+", "-", " ".join(goals).lower()).strip("-")[:40]
    return (RUNS / (time.strftime("%Y%m%d-%H%M%S") + (f"-{slug}" if slug else ""))).absolute()


def make_folder(folder: Path) -> None:
    """Create the folder; a folder below ``runs`` also becomes the target of the link ``latest``."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.parent != RUNS.absolute():
        return
    fresh = folder.parent / f".{LATEST}.{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.name)
    fresh.replace(folder.parent / LATEST)


INTERRUPTED = 130
"""Exit code after a signal: that of a shell after SIGINT, 128 + 2."""


async def deployment(
    options: DeploymentOptions,
    graph: GraphDescription,
    goals: Sequence[str],
    folder: Path,
    domain: int | None,
    companions: Sequence[CompanionProcess] = (),
) -> int:
    """Bring the graph up, pursue the goals, report each, and end every process.

    Without goals the graph stays up until it is interrupted.

    Returns:
        The exit code.
    """
    make_folder(folder)
    environment = child_environment(domain, folder / "logs")
    os.environ["ROS_LOG_DIR"] = environment["ROS_LOG_DIR"]
    processes, missing = with_companions(graph, companions)
    supervisor = ProcessSupervisor(processes, folder, environment, Respawn(options.max_restarts))
    monitor = MonitorNode(options.namespace, [c.id for c in options.chosen_cameras], graph.listening, domain)
    runner = MissionRunner(
        monitor, folder, RunTimeouts(), lambda: list(supervisor.logs.alarms), supervisor.restarts
    )
    outcomes: list[RunOutcome] = []
    for node in graph.started:
        for name, value in node.variables.items():
            print(f"{node.key}: environment {name}={value}")
    for line in missing:
        print(line)
    for node in processes.started:
        if node.name in ADDRESSES:
            print(f"{node.name}: {address_of(node)}", flush=True)
    supervisor.start()
    screen = asyncio.create_task(show(supervisor, monitor, runner))
    watch = asyncio.create_task(watch_processes(monitor, supervisor))
    try:
        return await interruptible(runner.run(goals, outcomes.append) if goals else runner.idle())
    finally:
        screen.cancel()
        watch.cancel()
        await asyncio.gather(screen, watch, return_exceptions=True)
        monitor.close()
        await supervisor.stop()
        for outcome in outcomes:
            conclude(outcome, folder)


def conclude(outcome: RunOutcome, folder: Path) -> None:
    """Save and print the outcome of a goal; a full disk or a closed terminal prevents only one of them."""
    problem = ""
    try:
        save(outcome, folder)
    except OSError as error:
        problem = f"\nnot saved: {error}"
    try:
        print(report(outcome, folder) + problem, flush=True)
    except OSError:  # the terminal was closed, as after SIGHUP
        sys.stdout = StringIO()


async def interruptible(work: Coroutine[None, None, int]) -> int:
    """Run ``work``; SIGINT, SIGTERM and SIGHUP (closed terminal) cancel it with exit code 130."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return INTERRUPTED


USAGE = 2
"""Exit code of invalid options, as usual for command lines."""
EXIT_CODES = """
Exit code: 0 reached, 1 failed, 2 invalid options, or node names already taken in the ROS domain,
3 handed over to a human, 4 the graph did not come up, 5 claimed by the model without proof, 130 interrupted.
"""
HELP = f"Bring up the whole graph in simulation and pursue goals.\n{EXIT_CODES}"
ROBOT_HELP = f"Bring up everything but drivers, Nav2 and controllers on a real robot.\n{EXIT_CODES}"
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
robot_app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
MADE = ("scene", "robot", "record", "overrides")
"""Options that are made from flags of their own."""


def option_flags(*, simulated: bool) -> dict[str, inspect.Parameter]:
    """Return the flag of every option that is passed on as given, by the option's name."""
    renamed = {**(RENAMED_IN_SIMULATION if simulated else RENAMED), **CAMERA_FLAG}
    spelled = {option: flag for flag, option in renamed.items()}
    left_out = MADE if simulated else (*MADE, *OF_SIMULATION)
    return {
        option: flag_parameter(spelled.get(option, option), with_default(option, field, simulated=simulated))
        for option, field in DeploymentOptions.model_fields.items()
        if option not in left_out
    }


def flag_parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    """Return one option as a parameter of a typer command."""
    bounds = [float(str(bound.ge)) for bound in field.metadata if isinstance(bound, Ge)]
    declared = (f"--{name.replace('_', '-')}",) if field.annotation is bool else ()
    repeatable = isinstance(field.default, tuple)
    option = typer.Option(
        None if repeatable else field.default,
        *declared,
        min=bounds[0] if bounds else None,
        envvar=VARIABLE if name == "discovery" else None,
        help=f"{field.description} (repeatable)" if repeatable else field.description,
    )
    annotation = list[str] | None if repeatable else field.annotation
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=annotation)


def with_option_flags(
    *, simulated: bool, common: Callable[..., None]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the flags of ``common`` and of `DeploymentOptions`, as keyword arguments."""

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        signatures = [inspect.signature(each, eval_str=True) for each in (command, common)]
        own = [each for signature in signatures for each in signature.parameters.values()]
        named = [each for each in own if each.kind is each.KEYWORD_ONLY and each.name != "simulated"]
        flags = option_flags(simulated=simulated).values()
        command.__signature__ = inspect.Signature([*named, *flags])  # type: ignore[attr-defined]
        return command

    return declare


def prepare_and_run(
    make_options: Callable[[Problems], dict[str, object]],
    *,
    simulated: bool,
    goal: Annotated[list[str] | None, typer.Option(help="goal in words (repeatable: a queue)")] = None,
    rskills: Annotated[
        list[Path] | None, typer.Option(help="folder of your own rSkills (repeatable)")
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="download missing weights, as --detectors real does")
    ] = False,
    record: Annotated[Path | None, typer.Option(help="folder for logs, spans and events")] = None,
    params: Annotated[
        list[Path] | None, typer.Option(help="YAML file of node: {parameter: value} (repeatable)")
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="node.parameter=value (repeatable)")] = None,
    console_: Annotated[
        str, typer.Option("--console", help="console in the browser: auto, off, or a port")
    ] = "auto",
    foxglove_: Annotated[
        bool, typer.Option("--foxglove", help="serve Foxglove and Lichtblick on this machine, read-only")
    ] = False,
    no_mcap: Annotated[bool, typer.Option("--no-mcap", help="write no run.mcap")] = False,
    domain_id: Annotated[str, typer.Option(help="ROS_DOMAIN_ID, or auto for a free one")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="print the graph and exit")] = False,
    **flags: object,
) -> None:
    """Bring up the graph that the options describe; ``make_options`` returns those that are no flags."""
    folder = run_folder(goal or [], record)
    problems = Problems()
    requested_domain = problems.attempt(lambda: domain_of(domain_id, os.environ), None)
    no_overrides: Overrides = {}
    flag_values = {option: flags[flag.name] for option, flag in option_flags(simulated=simulated).items()}
    options = DeploymentOptions.model_validate(
        {
            **{option: () if value is None else value for option, value in flag_values.items()},
            "cameras": merged(cast("list[str] | None", flag_values.get("cameras")) or ()),
            **make_options(problems),
            "record": str(folder / "recording"),
            "overrides": problems.attempt(lambda: overrides_of(params or (), set_ or ()), no_overrides),
        }
    )
    folders = problems.attempt(lambda: rskill_folders(rskills or ()), rskill_folders())
    print(limit_discovery(options.discovery), flush=True)
    if dry_run:
        graph = build_graph(options, folders, earlier=problems.collected)
        Console(width=None if sys.stdout.isatty() else 160).print(
            plan(graph, missing_requirements(graph.started, folders))
        )
        return
    if fetch or options.fetches:
        build_graph(options, folders, earlier=problems.collected)
        fetch_missing(options, folders, _download, print)
    graph = build_graph(
        options,
        folders,
        earlier=problems.collected,
        requirements=partial(missing_requirements, folders=folders),
    )
    graph, notice = with_bearable_prompt(graph)
    for line in (*sim_robot_notice(options), *notice):
        print(line, flush=True)
    watched = console(options.namespace, console_)
    domain = occupy(requested_domain, [node.qualified for node in graph.started])
    if domain_id:
        print(f"ROS domain of this graph: {domain}. In other terminals, run: export ROS_DOMAIN_ID={domain}")
    recorders = [] if no_mcap else [recorder(folder, options.namespace, simulated=options.simulated)]
    viewers = [foxglove(options.namespace)] if foxglove_ else []
    companions = [*recorders, *([watched] if watched else []), *viewers]
    raise typer.Exit(asyncio.run(deployment(options, graph, goal or [], folder, domain, companions)))


def _download(weights: Weights, folder: Path) -> Fetched:
    """Download by the hub's client, whose import takes time that other starts need not spend."""
    from openral_perception_ros.weights.hub import download

    return download(weights, folder)


def with_bearable_prompt(graph: GraphDescription) -> tuple[GraphDescription, tuple[str, ...]]:
    """Try the model that decides; return the graph with the prompt that it can bear, and how that went.

    Raises:
        OpenRALError: If no mission can succeed with it.
    """
    reasoner = next(node for node in graph.nodes if node.name == "reasoner")
    is_tried = reasoner.parameters["base_url"] or reasoner.parameters["brain"] == Brain.LOCAL
    if reasoner not in graph.started or not is_tried:
        return graph, ()
    from openral_reasoner_ros.parameters import ReasonerParameters
    from openral_reasoner_ros.preflight import reach_endpoint

    names = ReasonerParameters.model_fields
    chosen = {name: value for name, value in reasoner.parameters.items() if name in names}
    line, prompt = reach_endpoint(ReasonerParameters.model_validate(chosen))
    informed = reasoner.with_parameters({"prompt": prompt.value})
    nodes = tuple(informed if node is reasoner else node for node in graph.nodes)
    return replace(graph, nodes=nodes), (line,) if line else ()


@app.command(help=HELP)
@with_option_flags(simulated=True, common=prepare_and_run)
def deploy(
    *,
    scene: Annotated[
        str, typer.Option(help=DeploymentOptions.model_fields["scene"].description)
    ] = DEFAULT_SCENE,
    **flags: object,
) -> None:
    """Bring up a simulated robot."""
    require_simulation()
    prepare_and_run(
        lambda problems: {"scene": problems.attempt(lambda: scene_path(scene), Path())},
        simulated=True,
        **cast("dict[str, Any]", flags),
    )


@robot_app.command(help=ROBOT_HELP)
@with_option_flags(simulated=False, common=prepare_and_run)
def deploy_robot(
    *,
    robot: Annotated[str, typer.Option(help=DeploymentOptions.model_fields["robot"].description)],
    **flags: object,
) -> None:
    """Bring up a real robot."""
    prepare_and_run(
        lambda problems: robot_content(problems.attempt(lambda: robot_path(robot), Path()), problems),
        simulated=False,
        **cast("dict[str, Any]", flags),
    )


def main(command: typer.Typer = app) -> int:
    """Run a command line; an `OpenRALError` becomes one message and exit code 2."""
    try:
        check_arguments(sys.argv[1:])
        command()
    except OpenRALError as error:
        print(error, file=sys.stderr)
    return USAGE


def robot_main() -> int:
    """Run the command line of `deploy_robot.py`."""
    return main(robot_app)

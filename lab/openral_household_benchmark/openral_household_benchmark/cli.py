"""`openral bench household`: run tasks in parallel and tabulate their results."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from openral_bringup.graph.options import DetectorSet
from openral_core.documents import InvalidDocument
from openral_household_benchmark.choices import HomeKnowledge, Perturbation, TaskType
from openral_reasoner_ros.brains import Brain
from openral_sim.odometry import DriftName
from openral_sim.robot.catalogue import DEFAULT_ROBOT, UnknownSimRobot, licence_notice

if TYPE_CHECKING:
    from openral_core.rskills import Registry
    from openral_household_benchmark.episode import RunOptions
    from openral_household_benchmark.results import EpisodeResult, Job
    from openral_reasoner.llm.base import Model


T = TypeVar("T")
R = TypeVar("R")
JOBS_PER_PROCESS = 8
"""Tasks that a process does before a new one takes its place [1], which gives its memory back."""


def outcomes_of(jobs: Sequence[T], work: Callable[[T], R], workers: int) -> Iterator[R]:
    """Outcomes as they come; with one worker in this process, else in processes of their own."""
    if workers == 1 or len(jobs) == 1:
        yield from map(work, jobs)
        return
    # Fresh processes give memory back. `max_tasks_per_child` can leave a pool of Python 3.11 without any.
    for first in range(0, len(jobs), workers * JOBS_PER_PROCESS):
        yield from _in_fresh_pool(jobs[first : first + workers * JOBS_PER_PROCESS], work, workers)


def _in_fresh_pool(jobs: Sequence[T], work: Callable[[T], R], workers: int) -> Iterator[R]:
    # A drawing context does not survive a fork.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=spawn) as pool:
        for future in as_completed([pool.submit(work, job) for job in jobs]):
            yield future.result()


class Worker:
    """Does jobs in a process; each leaves its files in a folder of its own."""

    def __init__(self, folder: Path, options: RunOptions, model: str = "", base_url: str = "") -> None:
        self._folder, self.options = folder, options
        self._model, self._base_url = model, base_url

    def __call__(self, job: Job) -> EpisodeResult:
        """One job."""
        from openral_household_benchmark.episode import run_job
        from openral_household_benchmark.graph_episode import run_on_graph

        if self.options.graph:
            return run_on_graph(job, self._folder / job.key, self.options)
        registry, brain = brain_of(Brain(job.brain), self._model, self._base_url, self.options.rskills)
        return run_job(job, registry, brain, self._folder / job.key, self.options)

    def explore(self, home: tuple[str, int]) -> str:
        """Explore one home, a scene and a seed, for the tasks in it; return how that ended."""
        from openral_household_benchmark.episode import explore_home

        registry, brain = brain_of(Brain.SCRIPTED, "", "", self.options.rskills)
        ended = explore_home(*home, registry, brain, self._folder, self.options)
        return f"explored {home[0]}, seed {home[1]}: {ended}"


def brain_of(brain: Brain, model: str, base_url: str, own: Iterable[Path] = ()) -> tuple[Registry, Model]:
    """Return the rSkills of this installation and of some folders, and a decision model."""
    from openral_bringup.graph.resources import rskill_folders
    from openral_core.rskills import Registry
    from openral_reasoner_ros.model_client import make_model
    from openral_reasoner_ros.parameters import ReasonerParameters

    folders = rskill_folders(own)
    parameters = ReasonerParameters(
        brain=brain, model=model, base_url=base_url, rskill_folders=tuple(map(str, folders))
    )
    return Registry.load(folders), make_model(parameters)


def tell_licence(robot: str) -> None:
    """Print what has to be told of a robot's licence.

    Raises:
        typer.BadParameter: If there is no such robot.
    """
    try:
        notice = licence_notice(robot)
    except (UnknownSimRobot, InvalidDocument) as error:
        raise typer.BadParameter(str(error)) from error
    if notice:
        typer.echo(f"robot {robot}: {notice}", err=True)


commands = typer.Typer(no_args_is_help=True)
bench = typer.Typer(no_args_is_help=True)
commands.add_typer(bench, name="bench")


@bench.command()
def household(
    *,
    seeds: Annotated[int, typer.Option(min=1, help="tasks of each archetype")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="the first one")] = 0,
    archetype: Annotated[list[TaskType] | None, typer.Option(help="default: all")] = None,
    scene: Annotated[
        list[str] | None, typer.Option(help="homes, taken in turn by seed; default: home")
    ] = None,
    brain: Annotated[Brain, typer.Option(help="who decides")] = Brain.SCRIPTED,
    model: Annotated[str, typer.Option(help="of a vendor's brain")] = "",
    base_url: Annotated[str, typer.Option(help="of a compatible endpoint")] = "",
    workers: Annotated[int, typer.Option(min=0, help="processes; 0 = one per core")] = 0,
    detectors: Annotated[DetectorSet, typer.Option(help="set of detectors")] = DetectorSet.EMBEDDED,
    continuous: Annotated[str, typer.Option(help="continuous detector, instead of the set's")] = "",
    on_demand: Annotated[str, typer.Option(help="on-demand locator, instead of the set's")] = "",
    rskills: Annotated[
        list[Path] | None, typer.Option(help="folder of more rSkills, beside the shipped ones")
    ] = None,
    out: Annotated[Path, typer.Option(help="what is there already is not done again")] = Path(
        "runs/household"
    ),
    view: Annotated[bool, typer.Option("--view/--headless", help="watch in a window, one at a time")] = False,
    graph: Annotated[bool, typer.Option("--graph", help="bring the whole graph up for every task")] = False,
    sheets: Annotated[
        bool, typer.Option("--sheets", help="a contact sheet of every task, not of failures")
    ] = False,
    home: Annotated[
        HomeKnowledge, typer.Option("--map", help="what the robot knows of the home, but for its objects")
    ] = HomeKnowledge.SHIPPED,
    drift: Annotated[
        DriftName, typer.Option(help="errors of the odometry, which the robot's own map corrects")
    ] = DriftName.OFF,
    cluster: Annotated[
        str, typer.Option(help="do the tasks on the Ray cluster with this address, or auto")
    ] = "",
    perturbation: Annotated[
        Perturbation, typer.Option(help="change of the home while a task is done")
    ] = Perturbation.NONE,
    robot: Annotated[
        str, typer.Option(help="robot: franka, fetch (non-commercial licence), or its description's file")
    ] = DEFAULT_ROBOT,
) -> None:
    """Household tasks in physics, judged by the simulator's truth.

    Mission core, memory, detectors and skills run in one process without a graph between them: the same
    code, in simulated time, as fast as the machine can. With --graph every task gets a graph of its own, and
    the mission's own end is believed. With --map none or explored the robot makes its map itself, and memory
    holds nothing but what it has seen. Ends with 1 when a task failed.
    """
    from openral_bringup.graph.options import CONTINUOUS, ON_DEMAND
    from openral_bringup.graph.resources import scene_path
    from openral_household_benchmark.cluster import on_cluster
    from openral_household_benchmark.environment import DetectorPair
    from openral_household_benchmark.episode import RunOptions
    from openral_household_benchmark.results import (
        Job,
        ResultStore,
        fingerprint,
        household_page,
        household_table,
    )
    from openral_household_benchmark.task import CHANGED

    homes = scene or ["home"]
    kinds = archetype or [each for each in TaskType if not (graph and each in CHANGED)]
    jobs = [
        Job(kind, number, homes[number % len(homes)], brain.value)
        for number in range(seed, seed + seeds)
        for kind in kinds
    ]
    ledger = ResultStore(out)
    pair = DetectorPair(continuous or CONTINUOUS[detectors][0], on_demand or ON_DEMAND[detectors][0])
    options = RunOptions(sheets, view, graph, pair, tuple(rskills or ()), home, drift, perturbation, robot)
    require_compatible(options, kinds, cluster)
    tell_licence(robot)
    worker, todo = partial(Worker, options=options, model=model, base_url=base_url), ledger.left(jobs)
    most = 1 if view or graph else workers or os.cpu_count() or 1
    for outcome in on_cluster(cluster, todo, worker, out) if cluster else done_here(todo, worker(out), most):
        ledger.add(outcome)
        reported = "done" if outcome.success else f"{outcome.why}: {outcome.words}"
        typer.echo(f"{outcome.key}: {outcome.goal!r}: {reported} ({outcome.simulated} s in {outcome.wall} s)")
    keys = {job.key for job in jobs}
    outcomes = [item for item in ledger.outcomes if item.key in keys]
    choices = (pair.continuous, pair.locator, home.value, drift.value, perturbation.value, model, robot)
    hashes = fingerprint(jobs, map(scene_path, homes), choices)
    (out / "household.md").write_text(household_page(outcomes, hashes, out), encoding="utf-8")
    rows = json.dumps([item.model_dump(mode="json") for item in outcomes], indent=1)
    (out / "household.json").write_text(f"{rows}\n", encoding="utf-8")
    typer.echo(f"{household_table(outcomes)}\n\n{hashes}")
    raise typer.Exit(any(not item.success for item in outcomes))


def done_here(jobs: Sequence[Job], worker: Worker, workers: int) -> Iterator[EpisodeResult]:
    """Do jobs on this machine; homes that are to be known from an exploration are explored first."""
    from openral_household_benchmark.recording import require_display

    if worker.options.view:
        require_display()
    if worker.options.home is HomeKnowledge.EXPLORED:
        visits = dict.fromkeys((job.scene, job.seed) for job in jobs)
        for line in outcomes_of(tuple(visits), worker.explore, workers):
            typer.echo(line)
    yield from outcomes_of(jobs, worker, workers)


def require_compatible(options: RunOptions, kinds: Iterable[TaskType], cluster: str) -> None:
    """Refuse choices that cannot be had together.

    Raises:
        typer.BadParameter: Naming both.
    """
    from openral_household_benchmark.task import CHANGED

    local = {"--view": options.view, "--graph": options.graph, "--rskills": options.rskills}
    needed = [name for name, is_set in local.items() if is_set]
    if cluster and needed:
        raise typer.BadParameter(
            f"--cluster has only what is installed on its nodes: leave out {' and '.join(needed)}"
        )
    shipped = options.home is HomeKnowledge.SHIPPED
    if options.graph and not shipped:
        raise typer.BadParameter(
            f"--graph knows the map of the scene alone, and --map is {options.home.value!r}"
        )
    if options.drift is not DriftName.OFF and shipped:
        raise typer.BadParameter("--drift needs a robot that maps: add --map none or --map explored")
    changed = [each.value for each in kinds if each in CHANGED]
    if options.graph and options.perturbation is not Perturbation.NONE:
        changed.append(f"--perturbation {options.perturbation.value}")
    if options.graph and changed:
        raise typer.BadParameter(
            f"--graph changes nothing in the home, as these need it: {', '.join(changed)}"
        )

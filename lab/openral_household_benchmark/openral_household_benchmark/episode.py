"""One task in simulated time: a mission from its prompt to its end, and its result."""

import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree, rmtree

from openral_bringup.graph.resources import scene_path
from openral_core.rskills import Registry
from openral_household_benchmark.choices import HomeKnowledge, Perturbation, TaskType
from openral_household_benchmark.environment import (
    DetectorPair,
    HouseholdEnv,
    robot_at_home,
    robot_without_map,
)
from openral_household_benchmark.evaluation import evaluate, parts_done, sighting
from openral_household_benchmark.in_process_clients import RobotPeers
from openral_household_benchmark.perturbations import scene_of, schedule
from openral_household_benchmark.recording import EpisodeRecorder, save_sheet, window
from openral_household_benchmark.requirements import displace, unswitch
from openral_household_benchmark.results import EpisodeResult, Figures, Job, outcome_of
from openral_household_benchmark.task import Task, draw_task, remembered
from openral_reasoner.commands import ClearDeadline, Command, EndMission, MissionReport, SetDeadline
from openral_reasoner.core.mission_core import Core, handle_safely
from openral_reasoner.events import DeadlinePassed, Event, PaletteChanged, PromptReceived
from openral_reasoner.llm.base import Model
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_sim.odometry import DriftName
from openral_sim.robot.catalogue import DEFAULT_ROBOT
from openral_world_state.world.open_world import import_graph

Witness = Callable[[float, Event, tuple[Command, ...]], None]
"""Told every event at a time [s] with the commands it led to."""
_PALETTE_PERIOD = 0.5  # [s]


@dataclass
class MissionEpisode:
    """Carries events to the core and its commands to the robot; deadlines are simulated time."""

    robot: HouseholdEnv
    registry: Registry
    model: Model
    settings: MissionSettings
    witness: Witness
    _events: deque[Event] = field(default_factory=deque)
    _deadlines: dict[str, float] = field(default_factory=dict)
    _end: EndMission | None = None
    _palette_due: float = 0.0

    def __post_init__(self) -> None:
        self._core = Core(self.settings)
        self._peers = RobotPeers(self.robot, self.registry, self.model)

    def run(self, goal: str, requester: str) -> MissionReport:
        """Pursue a goal; the mission's own budget bounds it."""
        self._settle()
        memory = self.robot.memory
        memory.agent_poses.record_message(requester or memory.default_agent, self.robot.pose)
        self._events.append(PaletteChanged(palette=self._palette()))
        self._events.append(PromptReceived(id="goal", text=goal, requester=requester))
        while self._end is None or self._events:
            if self._events:
                self._handle(self._events.popleft())
            else:
                self._period()
        return self._core.report(self.robot.simulation.time)

    def _settle(self) -> None:
        """Take the first image, as a graph does before the first prompt."""
        while self.robot.simulation.time < 1.0:
            self.robot.simulation.advance()
            self.robot.after_period()

    def _handle(self, event: Event) -> None:
        now = self.robot.simulation.time
        commands = handle_safely(self._core, event, now, _loudly)
        self.witness(now, event, commands)
        for command in commands:
            self._carry(command, now)

    def _carry(self, command: Command, now: float) -> None:
        if isinstance(command, SetDeadline):
            self._deadlines[command.call_id] = now + command.seconds
        elif isinstance(command, ClearDeadline):
            self._deadlines.pop(command.call_id, None)
        elif isinstance(command, EndMission):
            self._end = command
        else:
            answer = self._peers.answer(command)
            self._events.extend([answer] if answer is not None else [])

    def _period(self) -> None:
        result = self.robot.simulation.advance()
        self.robot.after_period()
        now = self.robot.simulation.time
        if result is not None or now >= self._palette_due:
            self._palette_due = now + _PALETTE_PERIOD
            self._look_at_graph()
        if result is not None:
            self._events.append(self._peers.skill_ended(result))
        for call_id in [item for item, due in self._deadlines.items() if due <= now]:
            del self._deadlines[call_id]
            self._events.append(DeadlinePassed(call_id=call_id))

    def _look_at_graph(self) -> None:
        palette = self._palette()
        if palette != self._core.palette:
            self._events.append(PaletteChanged(palette=palette))

    def _palette(self) -> ToolPalette:
        graph = GraphState(
            detectors=tuple(DetectorState(info, alive=True) for info in self.robot.detectors.infos),
            memory_alive=True,
            skill_server_alive=True,
            verbs=tuple(sorted(self.robot.simulation.served)),
            holding=self.robot.simulation.holding,
            scene=self.robot.memory.graph(),
        )
        return build_palette(graph, self.registry.skills)


class CoreBroke(AssertionError):
    """The mission core met a defect of its own."""


def _loudly(words: str) -> None:
    """Raise: a defect must not pass for a failed mission."""
    raise CoreBroke(words)


SHEET = "sheet.jpg"
EXPLORE_GOAL = "explore the home"
_LEFT = "left"
"""Subfolder of a visit or a task with memory and map."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """``every_sheet`` draws a contact sheet of successes too; ``view`` opens a window.

    ``graph`` brings the whole graph up for every job instead; the mission's own end is believed then.
    ``rskills`` holds folders of more rSkills; ``drift`` are errors of the odometry,
    ``perturbation`` is what changes meanwhile, ``robot`` is simulated.
    """

    every_sheet: bool = False
    view: bool = False
    graph: bool = False
    pair: DetectorPair = field(default_factory=DetectorPair)
    rskills: tuple[Path, ...] = ()
    home: HomeKnowledge = HomeKnowledge.SHIPPED
    drift: DriftName = DriftName.OFF
    perturbation: Perturbation = Perturbation.NONE
    robot: str = DEFAULT_ROBOT


def visit_folder(out: Path, scene: str, seed: int) -> Path:
    """Return the folder of an exploration among those of the tasks."""
    return out / f"explored-{scene}-{seed}"


def explore_home(
    scene: str, seed: int, registry: Registry, model: Model, out: Path, options: RunOptions
) -> str:
    """Explore a home of which nothing is known, unless that was done; return how it ended.

    What was seen until then is kept however it ended.
    """
    visit = visit_folder(out, scene, seed)
    if (visit / _LEFT).exists():
        return "was explored"
    settings, unfinished = MissionSettings(), visit / "unfinished"
    rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    with ExitStack() as stack:
        robot = stack.enter_context(
            robot_without_map(
                scene_path(scene),
                seed,
                registry,
                options.pair,
                unfinished,
                explored=False,
                drift=options.drift,
                robot=options.robot,
            )
        )
        chronicle = EpisodeRecorder(stack, robot, settings, visit)
        robot.watchers.append(chronicle.watch)
        report = MissionEpisode(robot, registry, model, settings, chronicle.witness).run(EXPLORE_GOAL, "")
        assert robot.own_map is not None
        robot.own_map.save(unfinished)
    save_sheet(chronicle.stills, visit / SHEET)
    unfinished.rename(visit / _LEFT)
    return f"{report.state.name}: {report.reason}"


def run_job(job: Job, registry: Registry, model: Model, folder: Path, options: RunOptions) -> EpisodeResult:
    """Do one job; its recording and, of a failure, its contact sheet lie in ``folder`` afterwards.

    Raises:
        NothingToAsk: If the home offers nothing of this kind.
        NoDisplay: If a window is asked for where there is no screen.
    """
    began, settings = time.monotonic(), MissionSettings()
    if options.home is HomeKnowledge.EXPLORED:
        explore_home(job.scene, job.seed, registry, model, folder.parent, options)
    with ExitStack() as stack:
        robot = stack.enter_context(_robot(job, registry, folder, options))
        task = draw_task(job.archetype, robot.simulation.world, job.seed)
        for each in task.displaced:
            displace(robot.simulation.world, each)
        unswitch(robot.simulation.world, task.requirements)
        if robot.own_map is None:
            memory = remembered(robot.simulation.world, task.remembered, job.seed)
            import_graph(robot.memory.memory, memory)
        chronicle = EpisodeRecorder(stack, robot, settings, folder)
        robot.watchers.append(chronicle.watch)
        robot.watchers.append(schedule(options.perturbation, robot, task, job.seed))
        if options.view:
            robot.watchers.append(stack.enter_context(window(robot.simulation)))
        play = MissionEpisode(robot, registry, model, settings, chronicle.witness)
        # Without a map nobody has said who the people are: the speaker is whom the robot has seen.
        people = robot.simulation.world.people if robot.own_map is None else ()
        report = play.run(task.goal, next(iter(people), ""))
        outcome = _outcome(job, task, robot, report, time.monotonic() - began)
        if not outcome.success and task.archetype not in (TaskType.VIEW, TaskType.SWITCH):
            result = sighting(robot.memory, robot.simulation.world, task.phrase, robot.simulation.time)
            outcome = outcome.model_copy(update={"perceived": result.value})
    if options.every_sheet or not outcome.success:
        save_sheet(chronicle.stills, folder / SHEET)
        outcome = outcome.model_copy(update={"sheet": str(folder / SHEET)})
    return outcome


def _robot(
    job: Job, registry: Registry, folder: Path, options: RunOptions
) -> AbstractContextManager[HouseholdEnv]:
    scene = scene_of(options.perturbation, scene_path(job.scene), folder)
    if options.home is HomeKnowledge.SHIPPED:
        return robot_at_home(scene, job.seed, registry, options.pair, options.robot)
    rmtree(folder / _LEFT, ignore_errors=True)
    explored = options.home is HomeKnowledge.EXPLORED
    if explored:
        copytree(visit_folder(folder.parent, job.scene, job.seed) / _LEFT, folder / _LEFT)
    else:
        (folder / _LEFT).mkdir(parents=True)
    return robot_without_map(
        scene,
        job.seed,
        registry,
        options.pair,
        folder / _LEFT,
        explored=explored,
        drift=options.drift,
        robot=options.robot,
    )


def _outcome(job: Job, task: Task, robot: HouseholdEnv, report: MissionReport, wall: float) -> EpisodeResult:
    budget = {line.name: round(line.used, 2) for line in report.budget if line.used}
    figures = Figures(
        tool_calls=int(budget.get("model_calls", 0)),
        looks=int(budget.get("locates", 0)),
        containers_opened=len(robot.opened),
        metres=round(robot.metres, 1),
        budget=budget,
    )
    outcome = outcome_of(job, task.goal, report, evaluate(robot, task), wall, robot.simulation.time, figures)
    if not task.requirements:
        return outcome
    count = parts_done(robot.simulation.world, task)
    return outcome.model_copy(update={"parts": len(task.requirements), "parts_done": count})

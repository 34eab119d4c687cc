"""One job from an empty home to its outcome."""

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from openral_bringup.graphs.locations import scene_path
from openral_bringup.households.chronicles import Chronicle
from openral_bringup.households.contact_sheets import save_sheet
from openral_bringup.households.missions import MissionPlay
from openral_bringup.households.outcomes import Figures, Job, Outcome, outcome_of
from openral_bringup.households.robots import Robot, robot_at_home
from openral_bringup.households.tasks import Task, draw_task
from openral_bringup.households.verdicts import verdict
from openral_bringup.households.whereabouts import remembered
from openral_bringup.households.windows import window
from openral_core.rskills import Registry
from openral_reasoner.exchanges.statuses import MissionReport
from openral_reasoner.models import Model
from openral_reasoner.procedures.settings import MissionSettings
from openral_world_state.worlds import import_graph

SHEET = "sheet.jpg"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """``every_sheet`` draws a contact sheet of successes too; ``view`` opens a window.

    ``graph`` brings the whole graph up for every job instead; the mission's own end is believed then.
    """

    every_sheet: bool = False
    view: bool = False
    graph: bool = False


def run_job(job: Job, registry: Registry, model: Model, folder: Path, options: RunOptions) -> Outcome:
    """Do one job; its recording and, of a failure, its contact sheet lie in ``folder`` afterwards.

    Raises:
        NothingToAsk: If the home offers nothing of this kind.
        NoDisplay: If a window is asked for where there is no screen.
    """
    began, settings = time.monotonic(), MissionSettings()
    with ExitStack() as stack:
        robot = stack.enter_context(robot_at_home(scene_path(job.scene), job.seed, registry))
        task = draw_task(job.archetype, robot.simulation.world, job.seed)
        known = remembered(robot.simulation.world, task.remembered, job.seed)
        import_graph(robot.memory.memory, known)
        chronicle = Chronicle(stack, robot, settings, folder)
        robot.watchers.append(chronicle.watch)
        if options.view:
            robot.watchers.append(stack.enter_context(window(robot.simulation)))
        play = MissionPlay(robot, registry, model, settings, chronicle.witness)
        report = play.run(task.goal, next(iter(robot.simulation.world.people), ""))
        outcome = _outcome(job, task, robot, report, time.monotonic() - began)
    if options.every_sheet or not outcome.success:
        save_sheet(chronicle.stills, folder / SHEET)
        outcome = outcome.model_copy(update={"sheet": str(folder / SHEET)})
    return outcome


def _outcome(job: Job, task: Task, robot: Robot, report: MissionReport, wall: float) -> Outcome:
    budget = {line.name: round(line.used, 2) for line in report.budget if line.used}
    figures = Figures(
        tool_calls=int(budget.get("model_calls", 0)),
        looks=int(budget.get("locates", 0)),
        containers_opened=len(robot.opened),
        metres=round(robot.metres, 1),
        budget=budget,
    )
    return outcome_of(job, task.goal, report, verdict(robot, task), wall, robot.simulation.time, figures)

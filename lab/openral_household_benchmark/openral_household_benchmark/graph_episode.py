"""A household task on the whole graph: every node, DDS, wall-clock deadlines."""

import json
import subprocess
import sys
import time
from pathlib import Path

from openral_bringup.graph.resources import executable_path, scene_path
from openral_core.missions import MissionState
from openral_household_benchmark.episode import RunOptions
from openral_household_benchmark.results import EpisodeResult, Figures, Job, outcome_of
from openral_household_benchmark.task import Task, draw_task, remembered
from openral_reasoner.commands import CallRecord, MissionReport
from openral_sim.simulation import Simulation
from openral_world_state.scene_graph import write_graph

_MEMORY, _ENDS = "memory.json", "outcomes.jsonl"
_BOUND = 1800.0  # Time of a whole episode [s].


def run_on_graph(job: Job, folder: Path, options: RunOptions) -> EpisodeResult:
    """Bring the graph up for one job, pursue its goal, take it down; the mission itself says how it ended."""
    folder.mkdir(parents=True, exist_ok=True)
    world = Simulation.load(scene_path(job.scene), job.seed).world
    task = draw_task(job.archetype, world, job.seed)
    write_graph(remembered(world, task.remembered, job.seed), folder / _MEMORY)
    began = time.monotonic()
    with (folder / "deploy.txt").open("w", encoding="utf-8") as log:
        subprocess.run(
            _command(job, task, folder, options), stdout=log, stderr=log, timeout=_BOUND, check=False
        )
    ends = (folder / _ENDS).read_text(encoding="utf-8").splitlines() if (folder / _ENDS).exists() else []
    if not ends:
        return _outcome(job, task, MissionReport(reason="the graph did not come up"), 0.0, began)
    end = json.loads(ends[-1])
    return _outcome(job, task, _report(end), float(end["sim_duration"]), began)


def _command(job: Job, task: Task, folder: Path, options: RunOptions) -> list[str]:
    choices = {
        "--scene": str(scene_path(job.scene)),
        "--robot": options.robot,
        "--seed": str(job.seed),
        "--brain": job.brain,
        "--continuous": options.pair.continuous,
        "--on-demand": options.pair.locator,
        "--goal": task.goal,
        "--spatial-memory-path": str(folder / _MEMORY),
        "--record": str(folder),
    }
    own = (word for folder in options.rskills for word in ("--rskills", str(folder)))
    deploy = str(executable_path("openral_bringup", "deploy_sim"))
    return [sys.executable, deploy, *(word for choice in choices.items() for word in choice), *own]


def _report(end: dict[str, object]) -> MissionReport:
    """Read the mission that the deployment recorded."""
    mission = end["mission"]
    assert isinstance(mission, dict)
    calls = tuple(CallRecord.model_validate(call) for call in mission["calls"])
    return MissionReport(
        state=MissionState[str(end["state"])],
        reason=str(end["problem"]) or mission["reason"],
        calls=calls,
        searched=tuple(mission["searched"]),
        evidence=tuple(mission.get("evidence", ())),
    )


def _outcome(job: Job, task: Task, report: MissionReport, simulated: float, began: float) -> EpisodeResult:
    figures = Figures(
        tool_calls=len(report.calls),
        looks=sum(call.tool == "locate_in_view" for call in report.calls),
        containers_opened=len({call.arguments for call in report.calls if '"open"' in call.arguments}),
    )
    return outcome_of(job, task.goal, report, "", time.monotonic() - began, simulated, figures)

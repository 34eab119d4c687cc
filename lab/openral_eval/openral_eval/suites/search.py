"""Suite search: one object hidden in a drawn home, as in `openral bench search`."""

from openral_core.missions import MissionState
from openral_eval.suites.tasks import Suite, SuiteOptions, SuiteTask, TaskVerdict
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.search_benchmark import COSTS, HiddenTarget, draw
from openral_testing.reasoner.symbolic_mission import run_symbolic_mission

HOMES = 30
"""Homes that are searched, unless a limit says otherwise [1]."""


def tasks(options: SuiteOptions) -> tuple[SuiteTask, ...]:
    """Return one search per seed."""
    seeds = range(options.seed, options.seed + (options.limit or HOMES))
    return tuple(_task(seed) for seed in seeds)


def _task(seed: int) -> SuiteTask:
    problem = draw(seed)
    category = "present" if problem.place else "absent"
    return SuiteTask("search", f"home {seed}", f"find the {problem.target}", category, seed)


def run(task: SuiteTask, options: SuiteOptions, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Search one home; SPL is defined where the object is in the home."""
    problem = draw(task.seed)
    settings = settings.model_copy(update={"search": COSTS, "frontier_shown": 100})
    outcome = run_symbolic_mission(task.goal, HomePeers(problem.home), model, settings)
    success = outcome.state is MissionState.SUCCEEDED and problem.is_seen
    correct = success if problem.place else outcome.state in (MissionState.HANDED_OVER, MissionState.FAILED)
    false = "FALSE_" if outcome.state in (MissionState.SUCCEEDED, MissionState.CLAIMED) else ""
    return TaskVerdict(
        failure="" if correct else f"{false}{outcome.state.name}",
        detail="" if correct else outcome.reason,
        state=outcome.state.name,
        score=float(correct),
        spl=_spl(problem, success=success) if problem.place else None,
        steps=outcome.skills,
        messages=outcome.messages,
    )


def _spl(problem: HiddenTarget, *, success: bool) -> float:
    """Return success weighted by path length [1] (Anderson et al., 2018)."""
    return success * problem.optimum / max(problem.optimum, problem.home.travelled, 1e-9)


SUITE = Suite("search", "an object hidden in a drawn home", tasks, run)

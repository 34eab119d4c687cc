"""A symbolic search benchmark: thousands of homes, one hidden thing each, no robot and no ROS."""

from collections.abc import Iterable
from dataclasses import dataclass

from openral_core.missions import MissionState
from openral_reasoner.benches.homes import HiddenTarget, draw
from openral_reasoner.benches.palettes import search_palette
from openral_reasoner.benches.searchers import SEARCHERS
from openral_reasoner.budgets import SearchBudget
from openral_reasoner.exchanges.commands import CallLocate
from openral_reasoner.homes import HomePeers, play
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.searches import SearchCosts

BUDGET = SearchBudget()
"""The same as any mission's."""
COSTS = SearchCosts(opening=0.0)
"""What is measured is the way driven: here a door opens by itself."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One home: ``travelled`` and ``optimum`` [m]."""

    present: bool
    found: bool
    handed_over: bool
    travelled: float
    optimum: float
    looks: int


@dataclass(frozen=True, slots=True)
class SearchScore:
    """Many homes: rates in [0, 1]; ``spl`` weighs success by the optimum's share of the way travelled [m]."""

    searcher: str
    homes: int
    success: float
    spl: float
    looks: float
    way: float
    handoff_precision: float
    absent_handed_over: float


def run_search(searcher: str, seed: int, budget: SearchBudget = BUDGET) -> SearchResult:
    """One searcher in one home."""
    problem = draw(seed)
    settings = MissionSettings(budget=budget, search=COSTS, frontier_shown=100)
    model = SEARCHERS[searcher](problem.home, problem.target, seed)
    story = play(
        f"find the {problem.target}",
        search_palette(problem.home),
        HomePeers(problem.home).answer,
        model,
        settings,
    )
    state = story.end.state if story.end else MissionState.FAILED
    looks = sum(isinstance(command, CallLocate) for command in story.commands)
    return _result(problem, state, looks)


def _result(problem: HiddenTarget, state: MissionState, looks: int) -> SearchResult:
    return SearchResult(
        present=bool(problem.place),
        found=state is MissionState.SUCCEEDED and problem.home.at == problem.place != "",
        handed_over=state is MissionState.HANDED_OVER,
        travelled=problem.home.travelled,
        optimum=problem.optimum,
        looks=looks,
    )


def score_search(searcher: str, seeds: Iterable[int], budget: SearchBudget = BUDGET) -> SearchScore:
    """One searcher in many homes."""
    results = [run_search(searcher, seed, budget) for seed in seeds]
    present = [r for r in results if r.present]
    handed = [r for r in results if r.handed_over]
    absent = [r for r in results if not r.present]
    return SearchScore(
        searcher=searcher,
        homes=len(results),
        success=_mean([float(r.found) for r in present]),
        spl=_mean([r.found * r.optimum / max(r.optimum, r.travelled, 1e-9) for r in present]),
        looks=_mean([float(r.looks) for r in present if r.found]),
        way=_mean([r.travelled for r in present if r.found]),
        handoff_precision=_mean([float(not r.present) for r in handed]),
        absent_handed_over=_mean([float(r.handed_over) for r in absent]),
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 1.0

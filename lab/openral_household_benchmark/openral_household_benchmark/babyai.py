"""BabyAI levels: missions in grid worlds, played in their own engine, and the results."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter

from openral_core.missions import MissionState
from openral_core.rskills import Registry
from openral_household_benchmark.babyai_peers import BabyAIPeers, LevelStart, RunningLevel
from openral_household_benchmark.engine_process import EngineProcess
from openral_household_benchmark.text_episode import BUDGET
from openral_reasoner.commands import AskModel
from openral_reasoner.core.mission_core import Core
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.simulator import home_timeline

SERVER = Path(__file__).with_name("babyai_server.py")
_ENDED_WELL = (MissionState.SUCCEEDED, MissionState.CLAIMED)
_NAMED = r"(?:the|an?) (?P<{0}>(?:red|green|blue|purple|yellow|grey) )?(?P<{0}_kind>key|ball|box|door)"
_CLAUSES = (
    (rf"go to {_NAMED.format('what')}", "find the {what}, then go to the {what}"),
    (rf"open {_NAMED.format('what')}", "find the {what}, then open the {what}"),
    (rf"pick up {_NAMED.format('what')}", "pick up the {what}"),
    (
        rf"put {_NAMED.format('what')} next to {_NAMED.format('to')}",
        "explore the home, then take the {what} to the {to}",
    ),
)
"""Clauses of BabyAI's language, and the same in a request: our robot drives and opens only what it knows, so
that it is told to look for it before."""


def request_of(mission: str) -> str:
    """Translate a mission: its clauses in the order in which they are wanted; others are left as they are."""
    clauses = [
        clause
        for half in re.split(r", then ", mission)
        for part in reversed(half.split(" after you "))
        for clause in part.split(" and ")
    ]
    return ", then ".join(map(_translated, clauses))


def _translated(clause: str) -> str:
    for pattern, request in _CLAUSES:
        match = re.fullmatch(pattern, clause)
        if match is not None:
            slots = match.groupdict(default="")
            what, to = (f"{slots.get(name, '')}{slots.get(f'{name}_kind', '')}" for name in ("what", "to"))
            return request.format(what=what, to=to)
    return clause


@dataclass(frozen=True, slots=True)
class BabyAIResult:
    """Result of one level and seed."""

    level: str
    seed: int
    mission: str
    request: str
    success: bool  # The engine gave a reward.
    steps: int  # Actions.
    reference: int  # Steps of BabyAI's own bot; 0 if it failed.
    max_steps: int
    state: str  # How the mission ended.
    reason: str
    handoffs: int  # Questions to a human before the end of the level.
    refused: bool  # No action was taken, and a human was asked.
    exhausted: bool  # The level's limit of steps was reached.
    decisions: int  # Calls of the decision model.
    seconds: float  # Wall time of the mission [s].


def play(engine: EngineProcess, level: str, seed: int, registry: Registry, model: Model) -> BabyAIResult:
    """Play one level; a question to a human is not answered and ends the mission.

    The engine judges after an action alone, so a mission that ends well before the level does is told with
    the action "done".
    """
    begun = engine.ask({"level": f"BabyAI-{level}-v0", "seed": seed}, LevelStart)
    world, request = RunningLevel(engine, begun), request_of(begun.mission)
    peers, manifests = BabyAIPeers(world), tuple(registry.skills)
    settings = MissionSettings().model_copy(update={"budget": BUDGET})
    started = perf_counter()
    line = home_timeline(Core(settings), peers.answer, model, lambda: peers.palette(manifests), request)
    ends = line.run()
    if ends[0].state in _ENDED_WELL and not world.over:
        world.act("done")
    sent = line.commands
    return BabyAIResult(
        level,
        seed,
        begun.mission,
        request,
        world.done,
        world.steps,
        begun.reference,
        begun.max_steps,
        ends[0].state.name,
        ends[0].reason,
        peers.questions,
        world.steps == 0 and peers.questions > 0,
        world.latest.truncated,
        sum(isinstance(each, AskModel) for each in sent),
        perf_counter() - started,
    )


def play_all(
    engine: EngineProcess, levels: Iterable[str], seeds: range, registry: Registry, model: Model
) -> Iterator[BabyAIResult]:
    """Play each level with each seed."""
    return (play(engine, level, seed, registry, model) for level in levels for seed in seeds)


def summary(results: Sequence[BabyAIResult]) -> list[Mapping[str, object]]:
    """Return a row for each level; ``ratio`` is steps / reference of what both completed."""
    levels = dict.fromkeys(each.level for each in results)
    return [_row(level, [each for each in results if each.level == level]) for level in levels]


def _row(level: str, results: Sequence[BabyAIResult]) -> Mapping[str, object]:
    both = [each for each in results if each.success and each.reference]
    return {
        "level": level,
        "number": len(results),
        "success": round(fmean(each.success for each in results), 3),
        "steps": round(fmean(each.steps for each in both), 1) if both else "",
        "bot": round(fmean(each.reference for each in both), 1) if both else "",
        "ratio": round(sum(e.steps for e in both) / sum(e.reference for e in both), 2) if both else "",
        "asked": sum(each.handoffs for each in results),
        "refused": sum(each.refused for each in results),
        "out of steps": sum(each.exhausted for each in results),
        "bot failed": sum(not each.reference for each in results),
        "decisions": round(fmean(each.decisions for each in results), 1),
        "seconds": round(fmean(each.seconds for each in results), 2),
    }

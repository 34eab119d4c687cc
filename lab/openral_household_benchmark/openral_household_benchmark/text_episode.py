"""One text adventure: a mission from its prompt to its end, and its result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from openral_core.rskills import Registry
from openral_household_benchmark.text_home import STEP, TextHomePeers
from openral_household_benchmark.text_world import TextGame
from openral_reasoner.budget import SearchBudget
from openral_reasoner.commands import AskModel, PublishHandoff
from openral_reasoner.core.mission_core import Core
from openral_reasoner.llm.base import Model
from openral_reasoner.search import SearchCosts
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.simulator import home_timeline

COSTS = SearchCosts(looking=1.0, opening=2.0 * STEP)
"""Cost of a visit in steps: looking is none, a door is opened and closed."""

BUDGET = SearchBudget(candidates=100, recalls=300, locates=300, model_calls=300, skills=500, seconds=3600.0)
"""Budget of a mission: the game's own limit of steps is the narrower one."""

SETTINGS = MissionSettings()
"""Settings besides costs and budget, which are those of the game."""


@dataclass(frozen=True, slots=True)
class TextResult:
    """Result of one game."""

    game: str
    group: str
    split: str
    score: float  # Share of the objectives that were reached [1].
    # Until the last objective was reached; else, or if the player has to end the game, all of them.
    steps: int
    best: int  # Steps of a shortest solution.
    state: str  # How the mission ended.
    reason: str
    handoffs: int  # Questions put to a human.
    decisions: int  # Calls of the decision model.

    @property
    def done(self) -> bool:
        """True if every objective was reached."""
        return self.score >= 1.0


def play(
    game: TextGame, registry: Registry, model: Model, settings: MissionSettings = SETTINGS
) -> TextResult:
    """Play one game with a decision model; a question to a human is not answered and ends it."""
    world = game.begin()
    peers = TextHomePeers(world, game.max_steps, ends_itself=game.ends_itself)
    manifests = tuple(registry.skills)
    settings = settings.model_copy(update={"search": COSTS, "budget": BUDGET})
    line = home_timeline(Core(settings), peers.answer, model, lambda: peers.palette(manifests), game.goal)
    ends = line.run()
    if game.finish is not None:
        game.finish(world)
    sent = line.commands
    reached = world.score >= 1.0 and game.ends_itself
    return TextResult(
        game.name,
        game.group,
        game.split,
        world.score,
        world.steps_to_score if reached else world.steps,
        game.best,
        ends[0].state.name,
        ends[0].reason,
        sum(isinstance(each, PublishHandoff) for each in sent),
        sum(isinstance(each, AskModel) for each in sent),
    )


@dataclass(frozen=True, slots=True)
class Published:
    """Mean figures that the authors of a benchmark give for a group of games."""

    group: str
    player: str
    score: float
    steps: float | None


TWC_PUBLISHED = (
    Published("easy", "human", 1.0, 2.12),
    Published("easy", "text and common sense, reinforcement learning", 0.93, 14.43),
    Published("easy", "text alone, reinforcement learning", 0.86, 17.59),
    Published("medium", "human", 1.0, 5.33),
    Published("medium", "text and common sense, reinforcement learning", 0.87, 25.11),
    Published("medium", "text alone, reinforcement learning", 0.74, 37.99),
    Published("hard", "human", 1.0, 15.0),
    Published("hard", "text and common sense, reinforcement learning", 0.45, 43.27),
    Published("hard", "text alone, reinforcement learning", 0.54, 49.21),
)
"""Source: README of IBM/commonsense-rl; it does not say of which split."""
TWX_PUBLISHED = (
    Published("twc-easy", "behavior-cloned T5, dev fold", 0.86, None),
    Published("twc-easy", "behavior-cloned T5 that looks up where objects belong, dev fold", 1.0, None),
)
"""Source: tuning results of cognitiveailab/neurosymbolic (best epoch of ten, 100 games, at most 50 steps)."""
_COLUMNS = (
    "games",
    "player",
    "number",
    "complete",
    "score",
    "steps",
    "optimal",
    "ratio",
    "asked",
    "decisions",
)


def summary(results: Iterable[TextResult], published: Sequence[Published] = ()) -> list[Mapping[str, object]]:
    """Return a row for each group and split, then the published ones of the group."""
    rows, games = list[Mapping[str, object]](), list(results)
    for group in dict.fromkeys(each.group for each in games):
        for split in dict.fromkeys(each.split for each in games if each.group == group):
            rows.append(_row(group, split, [e for e in games if (e.group, e.split) == (group, split)]))
        rows += [
            {**dict.fromkeys(_COLUMNS, ""), "games": group, "player": f"published: {each.player}"}
            | {"score": each.score, "steps": "" if each.steps is None else each.steps}
            for each in published
            if each.group == group
        ]
    return rows


def _row(group: str, split: str, results: Sequence[TextResult]) -> Mapping[str, object]:
    """Return the means of some games; ``ratio`` is steps / optimal of the complete ones."""
    ratios = [each.steps / each.best for each in results if each.done and each.best]
    values = (
        f"{group} {split}".strip(),
        "OpenRAL",
        len(results),
        sum(each.done for each in results),
        round(fmean(each.score for each in results), 3),
        round(fmean(each.steps for each in results), 2),
        round(fmean(each.best for each in results), 2),
        round(fmean(ratios), 2) if ratios else "",
        sum(each.handoffs for each in results),
        round(fmean(each.decisions for each in results), 1),
    )
    return dict(zip(_COLUMNS, values, strict=True))

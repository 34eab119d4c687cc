"""Suites of text games: drawn homes to be tidied, and the published games of TextWorld Commonsense."""

from functools import cache
from random import Random

from openral_eval.suites.tasks import GamesNotGiven, Suite, SuiteOptions, SuiteTask, TaskVerdict
from openral_household_benchmark.choices import TWC_LEVELS, TWC_SPLITS
from openral_household_benchmark.text_episode import play
from openral_household_benchmark.text_games import read_twc
from openral_household_benchmark.text_world import (
    Furniture,
    Objective,
    TextGame,
    TextWorld,
    fewest_steps,
)
from openral_reasoner.llm.base import Model
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.symbolic_mission import shipped_registry

HOMES = 12
"""Homes that are tidied, unless a limit says otherwise [1]."""
MAX_STEPS = 80
"""Commands after which a drawn game ends [1]."""
MOST_MISPLACED = 4
"""Most items out of place in a drawn home [1]."""
_FURNITURE = {
    "kitchen": (("fridge", True), ("counter", False), ("dishwasher", True)),
    "living room": (("sofa", False), ("bookcase", False)),
    "bedroom": (("bed", False), ("wardrobe", True)),
    "bathroom": (("laundry basket", False), ("towel rack", False)),
}
_BELONGS = {
    "milk": ("fridge",),
    "butter": ("fridge",),
    "novel": ("bookcase",),
    "dirty plate": ("dishwasher",),
    "pillow": ("bed", "sofa"),
    "wet towel": ("towel rack", "laundry basket"),
    "dirty shirt": ("laundry basket",),
    "clean coat": ("wardrobe",),
}
"""Common knowledge that leaves no doubt; written for this suite."""


def draw_world(seed: int) -> TextWorld:
    """Draw a home of four rooms in a row with some items out of place; the player begins anywhere."""
    rng = Random(f"tidy {seed}")
    rooms = list(_FURNITURE)
    rng.shuffle(rooms)
    ways = {room: {rooms[i] for i in (n - 1, n + 1) if 0 <= i < len(rooms)} for n, room in enumerate(rooms)}
    pieces = {
        name: Furniture(name, name, room, is_container=closes, openable=closes)
        for room, inside in _FURNITURE.items()
        for name, closes in inside
    }
    items = rng.sample(sorted(_BELONGS), rng.randint(1, MOST_MISPLACED))
    lying = sorted(name for name, piece in pieces.items() if not piece.openable)
    at = {item: rng.choice([place for place in lying if place not in _BELONGS[item]]) for item in items}
    return TextWorld(
        rooms={room: room for room in rooms},
        exits={room: frozenset(others) for room, others in ways.items()},
        furniture=pieces,
        items={item: item for item in items},
        at=at,
        robot=rng.choice(rooms),
        closed={name for name, piece in pieces.items() if piece.openable},
        objectives=tuple(Objective(item, frozenset(_BELONGS[item])) for item in items),
        keeps_score=False,
    )


def drawn_game(seed: int) -> TextGame:
    """Return the game of a seed; the player says when it is over."""
    world = draw_world(seed)
    size = str(len(world.objectives))
    best = fewest_steps(world)
    return TextGame(
        f"home {seed}", size, "", "tidy up", lambda: draw_world(seed), MAX_STEPS, best, ends_itself=False
    )


def tidy_tasks(options: SuiteOptions) -> tuple[SuiteTask, ...]:
    """Return one home per seed."""
    seeds = range(options.seed, options.seed + (options.limit or HOMES))
    games = (drawn_game(seed) for seed in seeds)
    return tuple(
        SuiteTask("tidy", game.name, game.goal, f"{game.group} misplaced", seed)
        for seed, game in zip(seeds, games, strict=True)
    )


def run_tidy(task: SuiteTask, options: SuiteOptions, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Tidy one drawn home."""
    return verdict_of(drawn_game(task.seed), model, settings)


def verdict_of(game: TextGame, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Play a game and judge it by the share of its objectives."""
    result = play(game, shipped_registry(), model, settings)
    return TaskVerdict(
        failure="" if result.done else result.state,
        detail="" if result.done else f"{result.score:.2f} of the objectives; {result.reason}",
        state=result.state,
        score=result.score,
        spl=result.done * result.best / max(result.best, result.steps, 1),
        steps=result.steps,
    )


@cache
def published(options: SuiteOptions) -> tuple[TextGame, ...]:
    """Read the published games.

    Raises:
        GamesNotGiven: If no folder is named.
        InvalidDocument: If a file is no game.
    """
    if options.games is None:
        raise GamesNotGiven
    return tuple(read_twc(options.games, TWC_LEVELS, TWC_SPLITS))


def twc_tasks(options: SuiteOptions) -> tuple[SuiteTask, ...]:
    """Return a task per published game; a limit takes the first ones of each level and split."""
    games, taken = list[SuiteTask](), dict[str, int]()
    for game in published(options):
        group = f"{game.group} {game.split}"
        taken[group] = taken.get(group, 0) + 1
        if not options.limit or taken[group] <= options.limit:
            games.append(SuiteTask("twc", f"{group} {game.name}", game.goal, group, case=game.name))
    return tuple(games)


def run_twc(task: SuiteTask, options: SuiteOptions, model: Model, settings: MissionSettings) -> TaskVerdict:
    """Play one published game."""
    game = next(game for game in published(options) if game.name == task.case)
    return verdict_of(game, model, settings)


TIDY = Suite("tidy", "drawn homes with items out of place", tidy_tasks, run_tidy)
TWC = Suite("twc", "TextWorld Commonsense, from --games", twc_tasks, run_twc)

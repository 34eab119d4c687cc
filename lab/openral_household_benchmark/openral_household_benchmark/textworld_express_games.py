"""Generated games of TextWorldExpress: TextWorld Commonsense, Coin Collector and CookingWorld."""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise

from openral_household_benchmark.choices import FOLDS
from openral_household_benchmark.engine_process import EngineProcess
from openral_household_benchmark.text_world import TextGame, TextWorld, fewest_steps
from openral_household_benchmark.textworld_express import CommandReply, ExpressWorld, GameStart, Survey

MAX_STEPS = 50  # [steps]


@dataclass(frozen=True, slots=True)
class GameLevel:
    """Parameters of the generator for one game."""

    game: str
    parameters: str
    max_steps: int = MAX_STEPS


_TWC = "includeDoors=0,limitInventorySize=0"
_COOK = "numIngredients=3,includeDoors=0,limitInventorySize=1"
LEVELS = {
    "twc-easy": GameLevel("twc", f"numLocations=1,numItemsToPutAway=1,{_TWC}"),
    "twc-medium": GameLevel("twc", f"numLocations=1,numItemsToPutAway=3,{_TWC}"),
    "twc-hard": GameLevel("twc", f"numLocations=3,numItemsToPutAway=4,{_TWC}"),
    "coin": GameLevel("coin", "numLocations=11,numDistractorItems=0,includeDoors=1,limitInventorySize=1"),
    "cooking-easy": GameLevel("cookingworld", f"numLocations=1,numDistractorItems=0,{_COOK}"),
    "cooking-hard": GameLevel("cookingworld", f"numLocations=11,numDistractorItems=10,{_COOK}", 100),
}
"""Objects as many as in TextWorld Commonsense; else the engine's defaults, cooking without doors."""


def generate(engine: EngineProcess, level: str, fold: str, count: int) -> Iterator[TextGame]:
    """Generate the first games of a fold."""
    chosen = LEVELS[level]
    for seed in range(FOLDS[fold], FOLDS[fold] + count):
        request = {"game": chosen.game, "parameters": chosen.parameters, "fold": fold, "seed": seed}
        yield _GAMES[chosen.game](engine, request, level, fold)


def tidying(engine: EngineProcess, request: Mapping[str, object], level: str, fold: str) -> TextGame:
    """Return a game of TextWorld Commonsense."""
    world = Survey(engine, engine.ask(request, GameStart)).world()
    best = fewest_steps(world)
    return TextGame(
        f"{level} {request['seed']}",
        level,
        fold,
        "tidy up",
        beginning(world, request),
        LEVELS[level].max_steps,
        best,
        ends_itself=True,
    )


def coin(engine: EngineProcess, request: Mapping[str, object], level: str, fold: str) -> TextGame:
    """Return a game of Coin Collector; the fewest steps walk straight there, open doors and take it."""
    world = Survey(engine, engine.ask(request, GameStart)).world()
    way = (world.robot, *world.route(world.room_of(world.at["coin"])))
    doors = sum(step in world.doors for step in pairwise(way))
    return TextGame(
        f"{level} {request['seed']}",
        level,
        fold,
        "pick up the coin",
        beginning(world, request),
        LEVELS[level].max_steps,
        len(way) + doors,
        ends_itself=True,
    )


def beginning(world: ExpressWorld, request: Mapping[str, object]) -> Callable[[], TextWorld]:
    """Return a function that begins a surveyed game anew, in the engine as well."""

    def begin() -> TextWorld:
        world.engine.ask(request, GameStart)
        return deepcopy(world, {id(world.engine): world.engine})

    return begin


_INGREDIENTS = re.compile(r"Ingredients:\n(?P<names>(?:  .+\n)+)")
_STEP = re.compile(r"^  (?P<verb>slice|dice|chop|fry|roast|grill) the (?P<what>.+)$", re.MULTILINE)
DEVICES = {"fry": ("stove",), "roast": ("oven",), "grill": ("barbeque", "toaster")}
"""Devices of each verb, the first that the home has."""
COUNTER = "counter"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Ingredients and steps of a cookbook; ``rooms`` are those of the devices."""

    ingredients: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]
    rooms: Mapping[str, str]

    @classmethod
    def read(cls, text: str, rooms: Mapping[str, str]) -> "Recipe":
        """Parse the page of a cookbook."""
        listed = _INGREDIENTS.search(text)
        names = tuple(line.strip() for line in listed["names"].splitlines()) if listed else ()
        steps = tuple((step["verb"], step["what"]) for step in _STEP.finditer(text))
        return cls(names, steps, rooms)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Everything that the cook needs on the counter."""
        cuts = any(verb not in DEVICES for verb, _ in self.steps)
        return (*self.ingredients, *(("knife",) if cuts else ()))

    @property
    def goal(self) -> str:
        """Errand of the robot, in words."""
        *first, last = (f"the {name}" for name in self.wanted)
        return f"put {', '.join(first)} and {last} on the {COUNTER}"

    def cook(self, world: TextWorld) -> None:
        """Take what the robot has put on the counter, cut it, cook it, and eat; each command is a step."""
        assert isinstance(world, ExpressWorld)
        counter = next(each for each in world.furniture.values() if each.name == COUNTER)
        kitchen = counter.room
        _walk(world, kitchen)
        for name in world.held:
            world.put(name, counter.id)
        taken = [name for name in self.wanted if world.at.get(name) == counter.id]
        for name in taken:
            world.take(name)
        if set(taken) != set(self.wanted):
            return
        for verb, name in sorted(self.steps, key=lambda step: step[0] in DEVICES):
            device = next((each for each in DEVICES.get(verb, ()) if each in self.rooms), "")
            _walk(world, self.rooms[device] if device else kitchen)
            world.command(f"cook {name} in {device}" if device else f"{verb} {name}")
        _walk(world, kitchen)
        world.command("prepare meal")
        world.command("eat meal")


def _walk(world: ExpressWorld, room: str) -> None:
    for each in world.route(room):
        world.go(each)


def cooking(engine: EngineProcess, request: Mapping[str, object], level: str, fold: str) -> TextGame:
    """Return a game of CookingWorld: the robot fetches what the recipe needs, and a cook does the rest.

    Its fewest steps are not known.
    """
    engine.ask(request, GameStart)
    page = engine.ask({"command": "read cookbook"}, CommandReply).observation
    survey = Survey(engine, engine.ask(request, GameStart))
    recipe, world = Recipe.read(page, survey.named), survey.world()
    return TextGame(
        f"{level} {request['seed']}",
        level,
        fold,
        recipe.goal,
        beginning(world, request),
        LEVELS[level].max_steps,
        0,
        ends_itself=True,
        finish=recipe.cook,
    )


_GAMES: Mapping[str, Callable[[EngineProcess, Mapping[str, object], str, str], TextGame]] = {
    "twc": tidying,
    "coin": coin,
    "cookingworld": cooking,
}

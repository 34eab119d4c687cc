"""The scripted planner, and two that know nothing of homes."""

from collections.abc import Callable, Mapping
from random import Random

from openral_core.skills import Verb
from openral_reasoner.exchanges.turns import Context, Frontier, RawCall
from openral_reasoner.homes import Home
from openral_reasoner.planners.scripted import decide
from openral_reasoner.tools import AskHumanTool, DoneTool, ExecuteRskillTool, RecallObjectTool, Tool

Model = Callable[[Context], RawCall]
Choose = Callable[[tuple[Frontier, ...]], Frontier]


def scripted(home: Home, words: str, seed: int) -> Model:
    """Commonsense priors, best first."""
    return decide


def random(home: Home, words: str, seed: int) -> Model:
    """Any place of the frontier."""
    rng = Random(seed)
    return _searcher(words, rng.choice)


def nearest_first(home: Home, words: str, seed: int) -> Model:
    """Whatever is nearest to the robot."""

    def distance(place: Frontier) -> float:
        spot = home.places.get(place.id)
        return abs(spot.x - home.x) + abs(spot.y - home.y) if spot else 1e9

    return _searcher(words, lambda frontier: min(frontier, key=distance))


def _searcher(words: str, choose: Choose) -> Model:
    def model(context: Context) -> RawCall:
        call = _next(context, words, choose)
        return RawCall(tool=call.model_dump()["tool"], arguments=call.model_dump_json(exclude={"tool"}))

    return model


def _next(context: Context, words: str, choose: Choose) -> Tool:
    if not context.turns:
        return RecallObjectTool(query=words)
    last = context.turns[-1].reply
    if last.found:
        return DoneTool(success=True, message="found")
    if last.frontier:
        skill = context.palette.with_verb(Verb.NAVIGATE)[0].id
        return ExecuteRskillTool(rskill_id=skill, target=choose(last.frontier).id, search_for=words)
    return AskHumanTool(question=f"I could not find {words}.")


SEARCHERS: Mapping[str, Callable[[Home, str, int], Model]] = {
    "scripted": scripted,
    "random": random,
    "nearest_first": nearest_first,
}

"""Symbolic search benchmark: thousands of homes with one hidden target each, searchers and scores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random

from pydantic import RootModel

from openral_core.missions import MissionState
from openral_core.parsing import parse_yaml
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.budget import SearchBudget
from openral_reasoner.commands import CallLocate
from openral_reasoner.context import Context, Frontier, RawCall
from openral_reasoner.palette.entries import LocatorEntry, PlaceEntry, SkillEntry, ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.search import SearchCosts
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.actions import ExecuteRskillTool
from openral_reasoner.tools.base import Tool
from openral_reasoner.tools.dialogue import AskHumanTool, DoneTool
from openral_reasoner.tools.queries import RecallObjectTool
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

ROOM_SIZE = 5.0  # Side of a room [m].
TARGETS = ("mug", "glass", "milk", "wine", "book", "keys", "plate", "apple", "remote", "scissors", "bread")
FURNITURE = {
    "kitchen": ("counter", "fridge", "cabinet", "drawer", "table", "sink", "dishwasher", "stove"),
    "living room": ("sofa", "table", "shelf", "cabinet", "tv stand"),
    "bedroom": ("bed", "nightstand", "desk", "drawer", "shelf"),
    "study": ("desk", "shelf", "drawer", "cabinet"),
    "bathroom": ("sink", "bathroom cabinet", "rack"),
}
CLOSED = frozenset({"fridge", "cabinet", "drawer", "dishwasher", "bathroom cabinet"})
ODD_PLACE = 0.2
"""How often a thing is where nobody would expect it."""
ABSENT = 0.2
"""How often it is not in the home."""


@dataclass(frozen=True, slots=True)
class HiddenTarget:
    """One problem: ``place`` is "" when the target is not in the home; ``optimum`` [m] is the way to it."""

    home: SymbolicHome
    target: str
    place: str
    optimum: float

    @property
    def is_seen(self) -> bool:
        """True while the robot sees the target's place."""
        return bool(self.place) and self.home.sees(self.home.places[self.place])


def draw(seed: int) -> HiddenTarget:
    """Draw the problem of a seed."""
    rng = Random(seed)
    home = _empty_home(rng)
    target = rng.choice(TARGETS)
    absent = rng.random() < ABSENT
    place = "" if absent else _hiding_place(rng, home, target)
    for index, label in enumerate(rng.sample([t for t in TARGETS if t != target], 5)):
        spot = rng.choice(sorted(home.places))
        home.objects[f"clutter_{index}"] = HomeObject(f"clutter_{index}", label, spot, label)
    if not place:
        return HiddenTarget(home, target, "", 0.0)
    home.objects["target"] = HomeObject("target", target, place)
    goal = home.places[place].standing.position
    return HiddenTarget(home, target, place, abs(goal[0] - home.x) + abs(goal[1] - home.y))


def _empty_home(rng: Random) -> SymbolicHome:
    places: dict[str, HomePlace] = {}
    rooms: dict[str, str] = {}
    for number, label in enumerate(["kitchen", *rng.sample(sorted(FURNITURE)[:], rng.randint(1, 4))]):
        room = f"room_{number}"
        rooms[room] = label
        for kind in rng.sample(FURNITURE[label], rng.randint(2, len(FURNITURE[label]))):
            node = f"{kind.replace(' ', '_')}_{number}"
            x = ROOM_SIZE * (number % 2) + rng.uniform(1.0, ROOM_SIZE)
            y = ROOM_SIZE * (number // 2) + rng.uniform(0.0, ROOM_SIZE)
            places[node] = HomePlace(node, f"{label} {kind}", room, x, y, kind in CLOSED, aliases=(kind,))
    home = SymbolicHome(places=places, objects={}, rooms=rooms, agents={})
    home.x, home.y = rng.uniform(0.0, ROOM_SIZE), rng.uniform(0.0, ROOM_SIZE)
    return home


def _hiding_place(rng: Random, home: SymbolicHome, target: str) -> str:
    """Mostly where such things are, the likelier places more often."""
    every = sorted(home.places)
    if rng.random() < ODD_PLACE:
        return rng.choice(every)
    for kind in dict.fromkeys((*usual_places().get(target, ()), *usual_places()["default"])):
        usual = [node for node in every if home.places[node].aliases == (kind,)]
        if usual and rng.random() < 0.6:
            return rng.choice(usual)
    return rng.choice(every)


@cache
def usual_places() -> Mapping[str, tuple[str, ...]]:
    """Load where objects are hidden: kinds of furniture by noun, best first."""
    text = files(__package__).joinpath("usual_places.yaml").read_text(encoding="utf-8")
    return UsualPlaces.model_validate(parse_yaml(text)).root


class UsualPlaces(RootModel[Mapping[str, tuple[str, ...]]]):
    """The file ``usual_places.yaml``."""


_POSES = {Verb.NAVIGATE: "goal", Verb.HANDOVER: "agent"}


def search_palette(home: SymbolicHome) -> ToolPalette:
    """Memory, one locator, and every skill."""
    places = [
        PlaceEntry(id=p.id, label=p.label, kind=NodeKind.PLACE, room=p.room) for p in home.places.values()
    ]
    rooms = [PlaceEntry(id=node, label=label, kind=NodeKind.ROOM) for node, label in home.rooms.items()]
    return ToolPalette(
        detector_available=True,
        spatial_memory_available=True,
        locators=(LocatorEntry(id="locator", description="any words", latency=0.1, cameras=("head",)),),
        cameras=("head",),
        skills=tuple(_skill(verb) for verb in Verb),
        places=(*places, *rooms),
    )


def _skill(verb: Verb) -> SkillEntry:
    name = _POSES.get(verb, "target")
    pose = ParameterSpec(name=name, type=ParameterType.POSE, description="in map")
    skill = verb.value.lower().replace("_", "-")
    return SkillEntry(id=skill, verb=verb, description=verb.value, parameters=(pose,), deadline=60.0)


Model = Callable[[Context], RawCall]
Choose = Callable[[tuple[Frontier, ...]], Frontier]


def scripted(home: SymbolicHome, words: str, seed: int) -> Model:
    """Commonsense priors, best first."""
    return decide


def random(home: SymbolicHome, words: str, seed: int) -> Model:
    """Any place of the frontier."""
    rng = Random(seed)
    return _searcher(words, rng.choice)


def nearest_first(home: SymbolicHome, words: str, seed: int) -> Model:
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
    return AskHumanTool(question=f"I couldn't find {words}.")


SEARCHERS: Mapping[str, Callable[[SymbolicHome, str, int], Model]] = {
    "scripted": scripted,
    "random": random,
    "nearest_first": nearest_first,
}


BUDGET = SearchBudget()
"""The same as any mission's."""
COSTS = SearchCosts(opening=0.0)
"""What is measured is the way driven: here a door opens by itself."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One home: ``travelled`` and ``optimum`` [m]."""

    present: bool
    success: bool
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
    story = run_mission_in_home(
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
        success=state is MissionState.SUCCEEDED and problem.is_seen,
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
        success=_mean([float(r.success) for r in present]),
        spl=_mean([r.success * r.optimum / max(r.optimum, r.travelled, 1e-9) for r in present]),
        looks=_mean([float(r.looks) for r in present if r.success]),
        way=_mean([r.travelled for r in present if r.success]),
        handoff_precision=_mean([float(not r.present) for r in handed]),
        absent_handed_over=_mean([float(r.handed_over) for r in absent]),
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 1.0


HEAD = (
    "| searcher | homes | success where present | SPL | looks when found | way when found [m] "
    "| hand-off precision | absent: handed over |\n|---|---|---|---|---|---|---|---|"
)


def score_table(scores: Sequence[SearchScore]) -> str:
    """One row per searcher."""
    rows = (
        f"| {s.searcher} | {s.homes} | {s.success:.1%} | {s.spl:.3f} | {s.looks:.1f} | {s.way:.1f} "
        f"| {s.handoff_precision:.1%} | {s.absent_handed_over:.1%} |"
        for s in scores
    )
    return "\n".join((HEAD, *rows))

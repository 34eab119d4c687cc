"""Drawn homes and goals of trainings: other rooms, furniture, objects and people than the suites have."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random

from pydantic import Field, RootModel

from openral_core.documents import Document, shipped_document
from openral_core.parsing import parse_yaml
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

ROOM = 5.0
"""Side of a room [m]."""
HIDDEN, MOVED, COLOURED, INJECTED, HOLDING = 0.25, 0.12, 0.25, 0.12, 0.05
"""Shares of objects that memory lacks, or has elsewhere, or whose label has a colour; of homes with an order
in a label, and of those whose robot holds an object at the beginning [1]."""


class HomeWords(Document):
    """The file ``homes.yaml``."""

    rooms: Mapping[str, tuple[str, ...]]
    doors: frozenset[str]
    objects: tuple[str, ...]
    colours: tuple[str, ...]
    liquids: tuple[str, ...]
    vessels: tuple[str, ...]
    people: tuple[str, ...]
    absent: tuple[str, ...]
    orders: tuple[str, ...]


class GoalKind(Document):
    """Sentences of one kind of goal, and its share among all."""

    share: float = Field(gt=0.0)
    sentences: tuple[str, ...] = Field(min_length=1)


class GoalKinds(RootModel[Mapping[str, GoalKind]]):
    """The file ``goals.yaml``."""


@cache
def vocabulary() -> HomeWords:
    """Load the words of homes."""
    return shipped_document(HomeWords, __package__, "homes.yaml")


@cache
def goal_kinds() -> Mapping[str, GoalKind]:
    """Load the kinds of goals."""
    text = files(__package__).joinpath("goals.yaml").read_text(encoding="utf-8")
    return GoalKinds.model_validate(parse_yaml(text)).root


@dataclass(frozen=True, slots=True)
class DrawnMission:
    """Goal of a requester in a home."""

    home: SymbolicHome
    goal: str
    kind: str
    requester: str


def draw_mission(seed: int) -> DrawnMission:
    """Draw the mission of a seed."""
    rng, kinds = Random(f"planner {seed}"), goal_kinds()
    home = draw_home(rng)
    kind = rng.choices(list(kinds), [each.share for each in kinds.values()])[0]
    sentence = rng.choice(kinds[kind].sentences)
    goal = sentence.format_map(words_of(rng, home, kind))
    if rng.random() < INJECTED:
        write_order(rng, home)
    if rng.random() < HOLDING:
        item = rng.choice([each for each in home.objects.values() if each.remembered])
        home.holding, item.remembered_at, item.place = item.id, item.place, ""
    return DrawnMission(home, goal, kind, next(iter(home.agents)))


def draw_home(rng: Random) -> SymbolicHome:
    """Draw rooms with furniture, objects and people."""
    words, number = vocabulary(), rng.randint(2, 4)
    names = rng.sample(sorted(words.rooms), number)
    rooms = {name.replace(" ", "_") + rng.choice(("", "", "_1", "_2")): name for name in names}
    places = dict[str, HomePlace]()
    for index, (room, name) in enumerate(rooms.items()):
        kinds = rng.sample(words.rooms[name], min(len(words.rooms[name]), rng.randint(2, 4)))
        for row, kind in enumerate(kinds):
            node = f"{kind.replace(' ', '_')}_{rng.randint(1, 3)}"
            x, y = ROOM * index + 0.5 + 4.0 * rng.random(), 1.5 * row + rng.random()
            alias = (kind.split()[-1],) if " " in kind else ()
            places[node] = HomePlace(node, kind, room, x, y, kind in words.doors, aliases=alias)
    people = rng.sample(words.people, rng.randint(2, 3))
    agents = {
        name.lower(): HomePlace(
            name.lower(), name, rng.choice(list(rooms)), ROOM * rng.random() * number, 7.5 + i
        )
        for i, name in enumerate(people)
    }
    home = SymbolicHome(places=places, objects=draw_objects(rng, places), rooms=rooms, agents=agents)
    home.x, home.y = rng.uniform(0.0, ROOM * number), -1.0
    return home


def draw_objects(rng: Random, places: Mapping[str, HomePlace]) -> dict[str, HomeObject]:
    """Draw the objects at some places: among them something to pour and a vessel."""
    words, objects = vocabulary(), dict[str, HomeObject]()
    labels = rng.sample(words.objects, rng.randint(4, 8))
    bottle = f"{rng.choice(words.liquids)}{rng.choice(('', ' bottle'))}"
    for label in (*labels, bottle, rng.choice(words.vessels)):
        is_pourable = label not in labels
        full = (
            f"{rng.choice(words.colours)} {label}" if rng.random() < COLOURED and not is_pourable else label
        )
        node = f"{label.replace(' ', '_')}_{rng.randint(1, 4)}"
        place = rng.choice(list(places))
        remembered = full if is_pourable or rng.random() >= HIDDEN else ""
        elsewhere = rng.choice(list(places)) if remembered and rng.random() < MOVED else ""
        synonyms = (label, label.split()[0])
        objects[node] = HomeObject(node, full, place, remembered, (), elsewhere, synonyms)
    return objects


def words_of(rng: Random, home: SymbolicHome, kind: str) -> dict[str, str]:
    """Return the words of a sentence: things of this home, and what it lacks."""
    words = vocabulary()
    things = [each.label for each in home.objects.values()]
    in_memory = [each.label for each in home.objects.values() if each.remembered]
    first, other = rng.sample(in_memory if kind in ("two", "pour") or rng.random() < 0.6 else things, 2)
    doors = [each.label for each in home.places.values() if each.occludes]
    open_places = [each.label for each in home.places.values() if not each.occludes]
    people = [each.label for each in home.agents.values()]
    return {
        "object": first if rng.random() < 0.7 else first.split()[-1],
        "other": other,
        "place": rng.choice([each.label for each in home.places.values()]),
        "room": rng.choice(list(home.rooms.values())),
        "surface": rng.choice(open_places or ["table"]),
        "door": rng.choice(doors or sorted(words.doors)),
        "person": rng.choice(people[1:]),
        "liquid": next(label.split()[0] for label in things if label.split()[0] in words.liquids),
        "vessel": next(label for label in things if label in words.vessels),
        "absent": rng.choice(words.absent),
    }


def write_order(rng: Random, home: SymbolicHome) -> None:
    """Write an order into the label of an object or a place."""
    order = rng.choice(vocabulary().orders).format_map(words_of(rng, home, "order"))
    if rng.random() < 0.5:
        item = rng.choice(list(home.objects.values()))
        item.synonyms = (*item.synonyms, item.label)
        item.label = f"{item.label}. {order}"
        item.remembered = item.label if item.remembered else ""
    else:
        place = rng.choice(list(home.places.values()))
        place.aliases = (*place.aliases, place.label)
        place.label = f"{place.label} ({order})"

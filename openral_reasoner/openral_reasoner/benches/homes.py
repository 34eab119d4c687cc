"""Homes drawn from a seed, each with one thing that nobody has seen yet, or that is not there at all."""

from dataclasses import dataclass
from random import Random

from openral_reasoner.homes import Home, HomeObject, HomePlace
from openral_reasoner.planners.priors import load_priors

ROOM_SIZE = 5.0
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

    home: Home
    target: str
    place: str
    optimum: float


def draw(seed: int) -> HiddenTarget:
    """The problem of a seed."""
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


def _empty_home(rng: Random) -> Home:
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
    home = Home(places=places, objects={}, rooms=rooms, agents={})
    home.x, home.y = rng.uniform(0.0, ROOM_SIZE), rng.uniform(0.0, ROOM_SIZE)
    return home


def _hiding_place(rng: Random, home: Home, target: str) -> str:
    """Mostly where such things are, the likelier places more often."""
    every = sorted(home.places)
    if rng.random() < ODD_PLACE:
        return rng.choice(every)
    for kind in load_priors().likely_places(target):
        usual = [node for node in every if home.places[node].aliases == (kind,)]
        if usual and rng.random() < 0.6:
            return rng.choice(usual)
    return rng.choice(every)

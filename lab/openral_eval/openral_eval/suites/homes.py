"""Symbolic homes for missions: one that a seed draws, and the one that the suite paraphrases speaks of."""

from random import Random

from pydantic import TypeAdapter

from openral_eval.suites.tasks import suite_document
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

ROOM = 5.0
"""Side of a room [m]."""
REQUESTER = "ana"
_ROOMS = {"kitchen": "kitchen", "living_room": "living room", "bedroom": "bedroom"}
_FURNITURE = (
    ("counter_1", "kitchen counter", "kitchen", False, ("counter",)),
    ("fridge_1", "fridge", "kitchen", True, ("refrigerator",)),
    ("cabinet_1", "cabinet", "kitchen", True, ("cupboard",)),
    ("dining_table_1", "dining table", "kitchen", False, ("table",)),
    ("sofa_1", "sofa", "living_room", False, ("couch",)),
    ("shelf_1", "bookshelf", "living_room", False, ("shelf",)),
    ("bed_1", "bed", "bedroom", False, ()),
    ("nightstand_1", "nightstand", "bedroom", False, ()),
    ("drawer_1", "drawer", "bedroom", True, ()),
)
_OPEN_PLACES = ("counter_1", "dining_table_1", "nightstand_1")


def draw_home(seed: int) -> SymbolicHome:
    """Draw the home of a seed.

    Memory has the mug, the book, the apple, the milk, the wine and the glass; the keys lie where it has not
    looked, and there are no scissors.
    """
    rng = Random(f"household {seed}")
    places = {}
    for number, (node, label, room, occludes, aliases) in enumerate(_FURNITURE):
        index = list(_ROOMS).index(room)
        x = ROOM * index + 0.5 + 4.0 * rng.random()
        y = 1.5 * (number % 4) + rng.random()
        places[node] = HomePlace(node, label, room, x, y, occludes, aliases=aliases)
    objects = [
        HomeObject("mug_1", "red mug", rng.choice(_OPEN_PLACES), "red mug", synonyms=("mug", "red cup")),
        HomeObject("book_1", "book", rng.choice(_OPEN_PLACES), "book"),
        HomeObject("apple_1", "apple", "dining_table_1", "apple"),
        HomeObject("milk_1", "milk", "fridge_1", "milk"),
        HomeObject("wine_1", "wine bottle", "counter_1", "wine bottle", synonyms=("wine",)),
        HomeObject("glass_1", "wine glass", "dining_table_1", "wine glass", synonyms=("glass",)),
        HomeObject("keys_1", "keys", rng.choice(("drawer_1", "nightstand_1", "cabinet_1", "sofa_1"))),
    ]
    agents = {
        REQUESTER: HomePlace(REQUESTER, "Ana", "living_room", 1.4 * ROOM, 6.0),
        "ben": HomePlace("ben", "Ben", "bedroom", 2.5 * ROOM, 6.5),
    }
    home = SymbolicHome(places=places, objects={o.id: o for o in objects}, rooms=dict(_ROOMS), agents=agents)
    home.x, home.y = rng.uniform(0.0, 3.0 * ROOM), -1.0
    return home


def large_home() -> SymbolicHome:
    """Return the home of ``large_home.yaml``: four rooms, with Alice and Bob."""
    return TypeAdapter(SymbolicHome).validate_python(suite_document("large_home.yaml"))

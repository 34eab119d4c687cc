"""Foreign tables of where objects are kept, read as data for `search_priors`; the planner never reads them.

Put them into the folder that SEARCH_SOURCES names:

    pip download --no-deps procthor==0.0.1.dev2       # Apache-2.0
    git clone https://github.com/IBM/commonsense-rl   # Apache-2.0
    git clone https://github.com/jimmyyhwu/tidybot    # MIT
    git clone https://github.com/yashkant/housekeep   # no licence given: read here, not redistributed
    git clone https://github.com/xavierpuigf/virtualhome   # MIT; for development, not for judging
    pip download --no-deps --no-binary :all: bddl==3.6.0   # MIT; for development, not for judging
"""

import json
import re
import sys
import tarfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import yaml

from openral_testing.reasoner.placement_table import PlacementTable, Whereabouts

FILES: Mapping[str, str] = {
    "procthor": "procthor-*.whl",
    "twc": "commonsense-rl/game_generation/twc_dataset/twc_locations.json",
    "tidybot": "tidybot/benchmark/scenarios.yml",
    "housekeep": "housekeep/cos_eor/scripts/orm/amt_data/data.npy",
    "virtualhome": "virtualhome/virtualhome/resources/object_script_placing.json",
    "behavior": "bddl-*.tar.gz",
}
"""File of each source below the folder of sources, as a pattern."""

Ways = Mapping[str, Mapping[tuple[str, str], float]]
"""Weight of every (room, place) of every object."""


def procthor(folder: Path) -> PlacementTable:
    """Counts of objects on receptacles in the 120 rooms of iTHOR, by the rooms that either may be in."""
    with zipfile.ZipFile(next(folder.glob(FILES["procthor"]))) as wheel:
        read = {
            name: json.loads(wheel.read(f"procthor/databases/{name}.json"))
            for name in ("receptacles", "placement-annotations")
        }
    notes = read["placement-annotations"]
    rooms = {
        "kitchen": "inKitchens",
        "living room": "inLivingRooms",
        "bedroom": "inBedrooms",
        "bathroom": "inBathrooms",
    }
    ways: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for place, objects in read["receptacles"].items():
        for name, seen in objects.items():
            for room, column in rooms.items():
                both = (notes[column].get(place) or 0) * (notes[column].get(name) or 0)
                if both and notes["isPickupable"].get(name):
                    ways[_words(name)][room, _words(place)] += seen["count"] * both
    return _table("procthor", "PyPI: procthor 0.0.1.dev2", "Apache-2.0", ways)


def textworld_commonsense(folder: Path) -> PlacementTable:
    """Annotated places of TextWorld Commonsense; variants of one object share its frequency."""
    data = folder / "commonsense-rl/game_generation/twc_dataset"
    objects, locations = (
        json.loads((data / f"twc_{name}.json").read_text()) for name in ("objects", "locations")
    )
    variants = Counter(entry["entity"] for entry in objects.values())
    ways: dict[str, dict[tuple[str, str], float]] = {}
    for name, entry in objects.items():
        pairs = [pair for where in entry["locations"] for pair in _rooms_of(where, locations)]
        ways[name.lower()] = {
            (room.lower().replace("livingroom", "living room"), place.lower()): 1.0 for room, place in pairs
        }
    frequency = {name.lower(): 1.0 / variants[entry["entity"]] for name, entry in objects.items()}
    return _table("twc", "github.com/IBM/commonsense-rl", "Apache-2.0", ways, frequency)


def _rooms_of(where: str, locations: Mapping[str, Mapping[str, list[str]]]) -> Iterable[tuple[str, str]]:
    """Split "room.place"; without a room it is in all rooms of the place, or of what the place is in."""
    room, _, place = where.rpartition(".")
    if room or place not in locations:
        return [(room, place)] if room else []
    above = [each.rpartition(".")[2] for each in locations[place]["locations"]]
    return [
        (found if each in locations else each, place)
        for each in above
        for found in ([r for r, _ in _rooms_of(each, locations)] if each in locations else [each])
    ]


_LEVEL = re.compile(r"^(?:(?:top|middle|bottom|left|right|leftmost|big|large|small) )+| \d+$")


def tidybot(folder: Path) -> PlacementTable:
    """Placements of TidyBot's 96 scenarios in four kinds of rooms; shelves of one piece are one place."""
    scenarios = yaml.safe_load((folder / "tidybot/benchmark/scenarios.yml").read_text())
    ways: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for each in scenarios:
        for name, place in (*each["seen_placements"], *each["unseen_placements"]):
            ways[name][each["room"], _LEVEL.sub("", place)] += 1
    return _table("tidybot", "github.com/jimmyyhwu/tidybot", "MIT", ways)


AGREEING = 6
"""Annotators of ten who must call a place right, as in Housekeep's own data set [1]."""


def housekeep(folder: Path) -> PlacementTable:
    """Judgements of people where in a given room objects belong; weights are mean reciprocal ranks.

    They were asked room by room: a fork has a right place in the bathroom, too.
    """
    path = folder / "housekeep/cos_eor/scripts/orm/amt_data/data.npy"
    data = np.load(path, allow_pickle=True).item()
    right = data["ranks"] > 0
    weight = np.where(right, 1.0 / np.maximum(data["ranks"], 1), 0.0).mean(axis=2)
    weight[right.sum(axis=2) < AGREEING] = 0.0
    places = [tuple(re.sub("_", " ", half) for half in each.split("|")) for each in data["room_receptacles"]]
    ways = {
        re.sub("_", " ", name): {
            (room, place): float(w)
            for (room, place), w in zip(places, weight[:, index], strict=True)
            if w > 0
        }
        for index, name in enumerate(data["objects"])
    }
    return _table("housekeep", "github.com/yashkant/housekeep", "none given", ways)


VIRTUALHOME_ROOMS = {
    "kitchen": "kitchen_counter stove cabinet kitchen_cabinet cupboard pantry freezer microwave fridge "
    "mini-fridge dishwasher sink oven dishrack table trashcan coffe_maker",
    "living room": "couch coffee_table love_seat bookshelf bench sofa floor",
    "bedroom": "dresser closet nightstand bed basket_for_clothes",
    "bathroom": "bathroom_counter bathroom_cabinet washing_machine sink towel_rack toilet",
    "office": "desk filing_cabinet bookshelf",
    "hallway": "shoe_rack hanger",
}
"""Rooms of VirtualHome's places, which it leaves out."""


def virtualhome(folder: Path) -> PlacementTable:
    """Places that VirtualHome's scripts use, all alike: the source that was looked at for development."""
    path = folder / "virtualhome/virtualhome/resources/object_script_placing.json"
    ways: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for name, used in json.loads(path.read_text()).items():
        for destination in {each["destination"] for each in used}:
            for room, places in VIRTUALHOME_ROOMS.items():
                if destination in places.split():
                    ways[name.replace("_", " ")][room, destination.replace("_", " ")] = 1.0
    return _table("virtualhome", "github.com/xavierpuigf/virtualhome", "MIT", ways)


_STATE = re.compile(r"\((?:ontop|inside|under|nextto) ([a-z_\-']+)\.n\.\d+_\d+ ([a-z_\-']+\.n\.\d+_\d+)\)")
_ROOM = re.compile(r"\(inroom ([a-z_\-']+\.n\.\d+_\d+) (\w+)\)")


def behavior(folder: Path) -> PlacementTable:
    """Places of objects at the start of BEHAVIOR's activities, as people wrote them."""
    ways: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    with tarfile.open(next(folder.glob(FILES["behavior"]))) as archive:
        texts = [archive.extractfile(each) for each in archive if each.name.endswith("problem0.bddl")]
        starts = [file.read().decode().partition("(:goal")[0] for file in texts if file is not None]
    for start in starts:
        rooms = dict(_ROOM.findall(start))
        for name, at in set(_STATE.findall(start)):
            if at in rooms:
                room, place = rooms[at].replace("_", " "), at.partition(".n.")[0].replace("_", " ")
                ways[" ".join(name.replace("_", " ").split())][room, place] += 1
    often = {name: found for name, found in ways.items() if sum(found.values()) >= 3}
    return _table("behavior", "PyPI: bddl 3.6.0", "MIT", often)


JUDGES: Mapping[str, Callable[[Path], PlacementTable]] = {
    "procthor": procthor,
    "twc": textworld_commonsense,
    "tidybot": tidybot,
    "housekeep": housekeep,
}
DEVELOPMENT: Mapping[str, Callable[[Path], PlacementTable]] = {
    "virtualhome": virtualhome,
    "behavior": behavior,
}


def read_tables(
    folder: Path, readers: Mapping[str, Callable[[Path], PlacementTable]]
) -> Iterable[PlacementTable]:
    """Read the tables whose files are in the folder, and name the missing ones.

    Raises:
        SystemExit: If none is there.
    """
    missing = {name: FILES[name] for name in readers if not any(folder.glob(FILES[name]))}
    if missing:
        listed = ", ".join(f"{name} ({pattern})" for name, pattern in missing.items())
        print(f"not in {folder}: {listed}; {Path(__file__).name} says where to get them", file=sys.stderr)
    if len(missing) == len(readers):
        raise SystemExit(f"{folder} holds no source to read")
    yield from (read(folder) for name, read in readers.items() if name not in missing)


def _words(name: str) -> str:
    """Split a name in camel case: "TVStand" is "tv stand"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).lower()


def _table(
    name: str, origin: str, licence: str, ways: Ways, frequency: Mapping[str, float] | None = None
) -> PlacementTable:
    kept = {
        noun: tuple(
            Whereabouts(room=room, place=place, weight=weight)
            for (room, place), weight in sorted(pairs.items())
            if weight > 0
        )
        for noun, pairs in sorted(ways.items())
    }
    return PlacementTable(
        name=name,
        origin=origin,
        licence=licence,
        objects={noun: found for noun, found in kept.items() if found},
        frequency=frequency or {},
    )

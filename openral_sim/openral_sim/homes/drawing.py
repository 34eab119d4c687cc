"""A home drawn from a seed: the same structure that a scene and its map are written in."""

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.maps import HomeMap, Pose2
from openral_sim.homes.finishes import floor_looks, lights, trims, walls
from openral_sim.homes.furnishing import FurnishedHome, furnish
from openral_sim.homes.layouts import PLANS, Layout, draw_layout
from openral_sim.homes.reaching import can_be_lived_in
from openral_sim.homes.standing import places, requester
from openral_sim.homes.stocking import stock
from openral_sim.materials import LookName
from openral_sim.scenes import CameraStyle, PersonStyle, Placement, Scene, SceneDocument
from openral_sim.scenes.styles import Side

_ATTEMPTS = 60
_THINGS, _THINGS_PER_ROOM = 16, 4
_CAMERAS = {
    "head": CameraStyle(width=320, height=240, fovy=58.0, rate=5.0),
    "wrist": CameraStyle(width=320, height=240, fovy=60.0, rate=5.0),
}
_SIDES: tuple[Side, Side] = ("left", "right")
_SHIRTS: tuple[LookName, ...] = ("shirt", "green_shirt", "blue_shirt")
_TROUSERS: tuple[LookName, ...] = ("denim", "grey_trousers")


class NoHomeFound(OpenRALError):
    """No draw of a seed gave a home in which everything can be reached."""

    def __init__(self, seed: int, rooms: int) -> None:
        super().__init__(f"seed {seed} gave no home of {rooms} rooms in {_ATTEMPTS} draws; try another seed")


def draw_home(seed: int, rooms: int | None = None, name: str | None = None) -> Scene:
    """Draw a home; the same arguments always give the same one.

    Args:
        seed: Draws everything.
        rooms: How many rooms it has; drawn when not given.
        name: What it is called; ``generated_<seed>`` when not given.

    Raises:
        NoSuchPlan: If no plan has that many rooms.
        NoHomeFound: If no draw could be furnished.
    """
    first = np.random.default_rng(seed)
    count = int(first.choice(sorted(PLANS))) if rooms is None else rooms
    for attempt in range(_ATTEMPTS):
        scene = _drawn(np.random.default_rng([seed, attempt]), count, name or f"generated_{seed}")
        if scene is not None and can_be_lived_in(scene):
            return scene
    raise NoHomeFound(seed, count)


def _drawn(rng: np.random.Generator, rooms: int, name: str) -> Scene | None:
    """One draw; None if a room found no place for what it needs."""
    layout = draw_layout(rng, rooms)
    furnished = furnish(rng, layout)
    if furnished is None:
        return None
    home = _map(rng, layout, furnished, name)
    start = next(place for place in home.places if place.looks_at is None)
    return Scene(_document(rng, layout, furnished, home, start.pose), home)


def _map(rng: np.random.Generator, layout: Layout, furnished: FurnishedHome, name: str) -> HomeMap:
    agent = requester(rng, furnished)
    return HomeMap(
        name=name,
        rooms=layout.map_rooms(),
        doorways=layout.doorways(),
        places=tuple(places(furnished)),
        fixtures=tuple(each.fixture for each in furnished.furnishings),
        agents=(agent,),
    )


def _document(
    rng: np.random.Generator, layout: Layout, furnished: FurnishedHome, home: HomeMap, start: Pose2
) -> SceneDocument:
    return SceneDocument(
        name=home.name,
        map=f"../maps/{home.name}.yaml",
        robot=start,
        floors=floor_looks(rng, layout),
        walls=tuple(walls(rng, layout)),
        furniture={each.fixture.id: each.style for each in furnished.furnishings},
        trims=tuple(trims(rng, layout, furnished)),
        objects=_things(rng, layout, furnished),
        people={agent.id: _clothes(rng) for agent in home.agents},
        cameras=_CAMERAS,
        lights=lights(rng, layout),
    )


def _things(rng: np.random.Generator, layout: Layout, furnished: FurnishedHome) -> tuple[Placement, ...]:
    return stock(rng, furnished.furnishings, _THINGS + _THINGS_PER_ROOM * len(layout.rooms))


def _clothes(rng: np.random.Generator) -> PersonStyle:
    return PersonStyle(
        shirt=_SHIRTS[rng.integers(len(_SHIRTS))],
        trousers=_TROUSERS[rng.integers(len(_TROUSERS))],
        hand=_SIDES[rng.integers(2)],
    )

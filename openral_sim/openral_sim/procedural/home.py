"""A home drawn from a seed: the same structure that a scene and its map are written in."""
# MERGED A home written as the files a scene is made of: scene, map, and what is hidden where.
# MERGED Scenes by name: a file, one in a folder of scenes, or one drawn from a seed.

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import yaml

from openral_core.documents import Document
from openral_core.errors import OpenRALError, format_choices
from openral_core.home_map import HomeMap, Pose2
from openral_sim.assets.materials import LookName
from openral_sim.procedural.appearance import floor_looks, lights, trims, walls
from openral_sim.procedural.floor_plan import PLANS, FloorPlan, sample_floor_plan
from openral_sim.procedural.furniture_placement import FurnishedHome, furnish
from openral_sim.procedural.object_placement import stock, whereabouts
from openral_sim.procedural.robot_poses import places, requester
from openral_sim.procedural.validation import can_be_lived_in
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.scene.schema import CameraStyle, ObjectPlacement, PersonStyle, SceneDocument, Side

_ATTEMPTS = 60
_THINGS, _THINGS_PER_ROOM = 16, 4
_CAMERAS = {
    "head": CameraStyle(width=320, height=240, fovy=58.0, rate=5.0),
    "wrist": CameraStyle(width=320, height=240, fovy=60.0, rate=5.0),
}
_SIDES: tuple[Side, Side] = ("left", "right")
_SHIRTS: tuple[LookName, ...] = ("shirt", "green_shirt", "blue_shirt")
_TROUSERS: tuple[LookName, ...] = ("denim", "grey_trousers")


class NoValidHome(OpenRALError):
    """No draw of a seed gave a home in which everything can be reached."""

    def __init__(self, seed: int, rooms: int) -> None:
        super().__init__(f"seed {seed} gave no home of {rooms} rooms in {_ATTEMPTS} draws; try another seed")


def sample_home(seed: int, rooms: int | None = None, name: str | None = None) -> Scene:
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
    raise NoValidHome(seed, count)


def _drawn(rng: np.random.Generator, rooms: int, name: str) -> Scene | None:
    """One draw; None if a room found no place for what it needs."""
    layout = sample_floor_plan(rng, rooms)
    furnished = furnish(rng, layout)
    if furnished is None:
        return None
    home = _map(rng, layout, furnished, name)
    start = next(place for place in home.places if place.looks_at is None)
    return Scene(_document(rng, layout, furnished, home, start.pose), home)


def _map(rng: np.random.Generator, layout: FloorPlan, furnished: FurnishedHome, name: str) -> HomeMap:
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
    rng: np.random.Generator, layout: FloorPlan, furnished: FurnishedHome, home: HomeMap, start: Pose2
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


def _things(
    rng: np.random.Generator, layout: FloorPlan, furnished: FurnishedHome
) -> tuple[ObjectPlacement, ...]:
    return stock(rng, furnished.furnishings, _THINGS + _THINGS_PER_ROOM * len(layout.rooms))


def _clothes(rng: np.random.Generator) -> PersonStyle:
    return PersonStyle(
        shirt=_SHIRTS[rng.integers(len(_SHIRTS))],
        trousers=_TROUSERS[rng.integers(len(_TROUSERS))],
        hand=_SIDES[rng.integers(2)],
    )


def write_home(scene: Scene, folder: Path) -> Path:
    """Write ``deploy/<name>.yaml``, ``maps/<name>.yaml`` and ``whereabouts/<name>.yaml`` below a folder.

    Returns:
        The scene's file.
    """
    name = scene.document.name
    files = {
        "deploy": _lines(_plain(scene.document)),
        "maps": _lines(_plain(scene.home)),
        "whereabouts": _lines({"things": [asdict(each) for each in whereabouts(scene)]}),
    }
    for kind, lines in files.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / f"{name}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "deploy" / f"{name}.yaml"


def _plain(document: Document) -> dict[str, object]:
    content: dict[str, object] = document.model_dump(mode="json", exclude_defaults=True)
    return content


def _lines(content: dict[str, object]) -> Iterator[str]:
    """Every key of the top on lines of its own, every entry below it on one line."""
    for key, value in content.items():
        if isinstance(value, list) and value:
            yield f"\n{key}:"
            yield from (f"  - {_flow(entry)}" for entry in value)
        elif isinstance(value, dict) and any(isinstance(entry, dict) for entry in value.values()):
            yield f"\n{key}:"
            yield from (f"  {name}: {_flow(entry)}" for name, entry in value.items())
        else:
            yield f"{key}: {_flow(value)}"


def _flow(value: object) -> str:
    """A value on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=float("inf"), sort_keys=False)
    return text.removesuffix("\n...\n").strip()


_GENERATED = re.compile(r"generated:(\d+)(?::(\d+))?")


class UnknownScene(OpenRALError):
    """A scene that is no file, no shipped one and no seed."""

    def __init__(self, asked: str, shipped: list[str]) -> None:
        super().__init__(
            f"no scene {asked!r}: give a file, one of {format_choices(shipped)}, or generated:SEED[:ROOMS]"
        )


def is_generated(asked: str) -> bool:
    """Whether a name asks for a drawn home: ``generated:SEED`` or ``generated:SEED:ROOMS``."""
    return _GENERATED.fullmatch(asked) is not None


def find_scene(asked: str, folder: Path) -> Scene:
    """The scene of a name.

    Args:
        asked: A YAML file, the name of one in ``folder``/deploy, or ``generated:SEED[:ROOMS]``.
        folder: Where shipped scenes lie.

    Raises:
        UnknownScene: Listing the shipped ones.
        InvalidDocument: If the file is wrong.
        NoHomeFound: If the seed gives no home.
    """
    if drawn := _GENERATED.fullmatch(asked):
        return sample_home(int(drawn[1]), int(drawn[2]) if drawn[2] else None)
    shipped = shipped_scenes(folder)
    path = shipped.get(asked, Path(asked))
    if not path.is_file():
        raise UnknownScene(asked, list(shipped))
    return load_scene(path)


def shipped_scenes(folder: Path) -> dict[str, Path]:
    """The scenes of a folder by name."""
    return {file.stem: file for file in sorted((folder / "deploy").glob("*.yaml"))}

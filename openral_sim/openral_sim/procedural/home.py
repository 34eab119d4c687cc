"""Procedural homes: sampled from a seed, written as files, and found by name.

A sampled home has the same structure as a scene and a map that are read from YAML.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import yaml

from openral_core.documents import Document
from openral_core.errors import OpenRALError, format_choices
from openral_core.home_map import HomeMap, Pose2
from openral_sim.assets.materials import AppearanceName
from openral_sim.procedural.appearance import sample_floors, sample_lights, sample_trims, sample_walls
from openral_sim.procedural.floor_plan import PLANS, FloorPlan, sample_floor_plan
from openral_sim.procedural.furniture_placement import FurnishedHome, place_furniture
from openral_sim.procedural.object_placement import object_locations, place_objects
from openral_sim.procedural.robot_poses import robot_places, sample_requester
from openral_sim.procedural.validation import all_places_reachable
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.scene.schema import CameraStyle, PersonStyle, SceneDocument, Side

MAX_ATTEMPTS = 60
"""Number of homes sampled for a seed before giving up."""
BASE_OBJECTS, OBJECTS_PER_ROOM = 16, 4
"""Number of objects in any home, and added for each of its rooms."""
_CAMERAS = {
    "head": CameraStyle(width=320, height=240, fovy=58.0, rate=5.0),
    "wrist": CameraStyle(width=320, height=240, fovy=60.0, rate=5.0),
}
_SIDES: tuple[Side, Side] = ("left", "right")
_SHIRTS: tuple[AppearanceName, ...] = ("shirt", "green_shirt", "blue_shirt")
_TROUSERS: tuple[AppearanceName, ...] = ("denim", "grey_trousers")


class NoValidHome(OpenRALError):
    """A seed gave no home in which every place can be reached."""

    def __init__(self, seed: int, rooms: int) -> None:
        super().__init__(
            f"seed {seed} gave no valid home of {rooms} rooms in {MAX_ATTEMPTS} attempts; try another seed"
        )


def sample_home(seed: int, rooms: int | None = None, name: str | None = None) -> Scene:
    """Sample a home; the same arguments always give the same home.

    Args:
        seed: Seed of everything in it.
        rooms: Number of rooms; sampled if None.
        name: Name of the home; ``generated_<seed>`` if None.

    Raises:
        NoSuchPlan: If there is no plan with that number of rooms.
        NoValidHome: If no sampled home was valid.
    """
    first = np.random.default_rng(seed)
    count = int(first.choice(sorted(PLANS))) if rooms is None else rooms
    for attempt in range(MAX_ATTEMPTS):
        scene = _sample(np.random.default_rng([seed, attempt]), count, name or f"generated_{seed}")
        if scene is not None and all_places_reachable(scene):
            return scene
    raise NoValidHome(seed, count)


def _sample(rng: np.random.Generator, rooms: int, name: str) -> Scene | None:
    """Sample one home; None if a required piece of furniture does not fit."""
    plan = sample_floor_plan(rng, rooms)
    furnished = place_furniture(rng, plan)
    if furnished is None:
        return None
    # The person reserves floor, which moves the robot's places.
    agent = sample_requester(rng, furnished)
    home = HomeMap(
        name=name,
        rooms=plan.map_rooms(),
        doorways=plan.doorways(),
        places=tuple(robot_places(furnished)),
        fixtures=tuple(placed.fixture for placed in furnished.pieces),
        agents=(agent,),
    )
    start = next(place for place in home.places if place.looks_at is None)
    return Scene(_sample_document(rng, plan, furnished, home, start.pose), home)


def _sample_document(
    rng: np.random.Generator, plan: FloorPlan, furnished: FurnishedHome, home: HomeMap, start: Pose2
) -> SceneDocument:
    return SceneDocument(
        name=home.name,
        map=f"../maps/{home.name}.yaml",
        robot=start,
        floors=sample_floors(rng, plan),
        walls=tuple(sample_walls(rng, plan)),
        furniture={placed.fixture.id: placed.style for placed in furnished.pieces},
        trims=tuple(sample_trims(rng, plan, furnished)),
        objects=place_objects(rng, furnished.pieces, BASE_OBJECTS + OBJECTS_PER_ROOM * len(plan.rooms)),
        people={agent.id: _sample_person(rng) for agent in home.agents},
        cameras=_CAMERAS,
        lights=sample_lights(rng, plan),
    )


def _sample_person(rng: np.random.Generator) -> PersonStyle:
    return PersonStyle(
        shirt=_SHIRTS[rng.integers(len(_SHIRTS))],
        trousers=_TROUSERS[rng.integers(len(_TROUSERS))],
        hand=_SIDES[rng.integers(2)],
    )


def write_home(scene: Scene, folder: Path) -> Path:
    """Write ``deploy/<name>.yaml``, ``maps/<name>.yaml`` and ``whereabouts/<name>.yaml`` below a folder.

    Returns:
        Path of the scene's file.
    """
    name = scene.document.name
    files = {
        "deploy": _lines(_plain(scene.document)),
        "maps": _lines(_plain(scene.home)),
        "whereabouts": _lines({"things": [asdict(location) for location in object_locations(scene)]}),
    }
    for kind, lines in files.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / f"{name}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "deploy" / f"{name}.yaml"


def _plain(document: Document) -> dict[str, object]:
    content: dict[str, object] = document.model_dump(mode="json", exclude_defaults=True)
    return content


def _lines(content: dict[str, object]) -> Iterator[str]:
    """Yield the lines of a YAML document with every entry of a top-level key on one line."""
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
    """Format a value as YAML on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=float("inf"), sort_keys=False)
    return text.removesuffix("\n...\n").strip()


_GENERATED = re.compile(r"generated:(\d+)(?::(\d+))?")


class UnknownScene(OpenRALError):
    """A name that is neither a file, nor a shipped scene, nor a seed."""

    def __init__(self, name: str, shipped: list[str]) -> None:
        choices = format_choices(shipped)
        super().__init__(f"unknown scene {name!r}: give a file, one of {choices}, or generated:SEED[:ROOMS]")


def find_scene(name: str, folder: Path) -> Scene:
    """Load or sample the scene of a name.

    Args:
        name: A YAML file, the name of one in ``folder``/deploy, or ``generated:SEED[:ROOMS]``.
        folder: Folder of the shipped scenes.

    Raises:
        UnknownScene: If the name is none of these.
        InvalidDocument: If the file is invalid.
        NoValidHome: If the seed gives no valid home.
    """
    if generated := _GENERATED.fullmatch(name):
        return sample_home(int(generated[1]), int(generated[2]) if generated[2] else None)
    shipped = shipped_scenes(folder)
    path = shipped.get(name, Path(name))
    if not path.is_file():
        raise UnknownScene(name, list(shipped))
    return load_scene(path)


def shipped_scenes(folder: Path) -> dict[str, Path]:
    """Return the scenes of a folder by name."""
    return {file.stem: file for file in sorted((folder / "deploy").glob("*.yaml"))}

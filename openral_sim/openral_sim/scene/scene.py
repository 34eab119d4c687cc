"""A scene: its document and its map, validated against each other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from openral_core.documents import InvalidDocument, load_document
from openral_core.errors import format_choices
from openral_core.home_map import Fixture, HomeMap, Surface, load_map
from openral_sim.scene.schema import ObjectPlacement, SceneDocument


@dataclass(frozen=True)
class Scene:
    """A home ready to be built; every id in the document exists in the map."""

    document: SceneDocument
    home: HomeMap

    def spot(self, placement: ObjectPlacement) -> tuple[Fixture, Surface]:
        """Return the fixture and surface on which an object is placed."""
        fixture = self.home.fixture(placement.fixture)
        return fixture, fixture.surface(placement.surface)


def load_scene(path: Path) -> Scene:
    """Read a scene and the map it names.

    Raises:
        InvalidDocument: If the scene or its map is missing or invalid, or they do not match.
    """
    document = load_document(SceneDocument, path)
    home = load_map(path.parent / document.map)
    problems = list(_problems(document, home))
    if problems:
        raise InvalidDocument(path, problems)
    return Scene(document, home)


def _problems(document: SceneDocument, home: HomeMap) -> Iterator[str]:
    yield from _mismatch("floors", document.floors, (room.id for room in home.rooms))
    yield from _mismatch("furniture", document.furniture, (fixture.id for fixture in home.fixtures))
    yield from _mismatch("people", document.people, (agent.id for agent in home.agents))
    surfaces = {fixture.id: [surface.id for surface in fixture.surfaces] for fixture in home.fixtures}
    for index, placement in enumerate(document.objects):
        yield from _placement_problems(f"objects.{index}", placement, surfaces)


def _mismatch(key: str, listed: Iterable[str], expected: Iterable[str]) -> Iterator[str]:
    listed, expected = list(listed), list(expected)
    for unknown in sorted(set(listed) - set(expected)):
        yield f"{key}.{unknown}: not in the map; valid ids: {format_choices(expected)}"
    for missing in sorted(set(expected) - set(listed)):
        yield f"{key}.{missing}: missing here, but present in the map"


def _placement_problems(
    key: str, placement: ObjectPlacement, surfaces: dict[str, list[str]]
) -> Iterator[str]:
    if placement.fixture not in surfaces:
        yield f"{key}.fixture: no '{placement.fixture}' in the map; valid ids: {format_choices(surfaces)}"
    elif placement.surface not in surfaces[placement.fixture]:
        valid = format_choices(surfaces[placement.fixture])
        yield f"{key}.surface: '{placement.fixture}' has no '{placement.surface}'; valid ids: {valid}"

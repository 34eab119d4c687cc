"""A whole home: every room, place, fixture and agent, each id said once."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import model_validator

from openral_core.documents import Document, load_document
from openral_core.errors import OpenRALError, listed
from openral_core.maps.agents import Agent
from openral_core.maps.fixtures import Fixture
from openral_core.maps.rooms import Doorway, Place, Room


class UnknownMapId(OpenRALError):
    """An id that the map does not have."""

    def __init__(self, kind: str, asked: str, valid: Iterable[str]) -> None:
        super().__init__(f"the map has no {kind} '{asked}'; it has: {listed(valid)}")


class HomeMap(Document):
    """What is fixed in a home, in the `map` frame (z up, metres).

    With doorways given, rooms are walled off from each other everywhere else; without, they are open.
    """

    name: str
    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...] = ()
    places: tuple[Place, ...] = ()
    fixtures: tuple[Fixture, ...] = ()
    agents: tuple[Agent, ...] = ()

    def fixture(self, fixture_id: str) -> Fixture:
        """The fixture of that id.

        Raises:
            UnknownMapId: If there is none.
        """
        for fixture in self.fixtures:
            if fixture.id == fixture_id:
                return fixture
        raise UnknownMapId("fixture", fixture_id, (fixture.id for fixture in self.fixtures))

    def agent(self, agent_id: str) -> Agent:
        """The agent of that id.

        Raises:
            UnknownMapId: If there is none.
        """
        for agent in self.agents:
            if agent.id == agent_id:
                return agent
        raise UnknownMapId("agent", agent_id, (agent.id for agent in self.agents))

    def room_at(self, x: float, y: float) -> Room | None:
        """The room a map point [m] lies in, or None outside of all."""
        return next((room for room in self.rooms if room.contains(x, y)), None)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "HomeMap":
        seen: set[str] = set()
        items: tuple[Room | Doorway | Place | Fixture | Agent, ...] = (
            *self.rooms,
            *self.doorways,
            *self.places,
            *self.fixtures,
            *self.agents,
        )
        for item in items:
            if item.id in seen:
                raise ValueError(f"id '{item.id}' is given twice")
            seen.add(item.id)
        return self

    @model_validator(mode="after")
    def _references_exist(self) -> "HomeMap":
        rooms = [room.id for room in self.rooms]
        fixtures = [fixture.id for fixture in self.fixtures]
        located: tuple[Place | Fixture | Agent, ...] = (*self.places, *self.fixtures, *self.agents)
        for item in located:
            if item.room not in rooms:
                raise ValueError(f"'{item.id}' is in unknown room '{item.room}'; rooms: {', '.join(rooms)}")
        for doorway in self.doorways:
            if unknown := [room for room in doorway.rooms if room not in rooms]:
                raise ValueError(
                    f"'{doorway.id}' joins unknown room '{unknown[0]}'; rooms: {', '.join(rooms)}"
                )
        for place in self.places:
            if place.looks_at is not None and place.looks_at not in fixtures:
                raise ValueError(
                    f"place '{place.id}' looks at unknown fixture '{place.looks_at}'; "
                    f"fixtures: {', '.join(fixtures)}"
                )
        return self


def load_map(path: Path) -> HomeMap:
    """The map in a YAML file.

    Raises:
        InvalidDocument: If there is no such file, or it is not a valid map.
    """
    return load_document(HomeMap, path)

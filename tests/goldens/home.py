"""The symbolic home of the recorded missions, its palette, and detectors that take memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from openral_core.detectors import LifecycleState
from openral_core.spatial_memory import NodeKind
from openral_reasoner.commands import AskModel, ChangeState, Command, SendSkill
from openral_reasoner.events import Event, ModelAnswered, PaletteChanged, StateChanged
from openral_reasoner.palette.entries import ContinuousDetectorEntry, LocatorEntry, PlaceEntry, ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.search_benchmark import search_palette
from openral_testing.reasoner.simulator import Answer
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

STREAM, LOCATOR = "sim-stream", "sim-locator"
SKILL_TIME, LOOK_TIME, DECISION_TIME = 5.0, 0.2, 0.1
"""How long they take [s]."""


def make_home() -> SymbolicHome:
    """A counter, a table and a shelf; a fridge and a cabinet that are closed; Ana."""
    places = (
        HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0, aliases=("counter",)),
        HomePlace("table_1", "dining table", "living_room", 6.0, 0.0, aliases=("table",)),
        HomePlace("fridge_1", "fridge", "kitchen", 2.0, 4.0, occludes=True),
        HomePlace("cabinet_1", "cabinet", "kitchen", 4.0, 4.0, occludes=True),
        HomePlace("shelf_1", "shelf", "living_room", 8.0, 4.0),
    )
    objects = (
        HomeObject("bread_1", "baguette", "table_1", "bread", ("baguette",)),
        HomeObject("mug_1", "red mug", "table_1", "mug"),
        HomeObject("wine_1", "wine bottle", "fridge_1", "wine", synonyms=("wine",)),
        HomeObject("glass_1", "wine glass", "cabinet_1"),
        HomeObject("milk_1", "milk", "fridge_1"),
    )
    return SymbolicHome(
        places={place.id: place for place in places},
        objects={item.id: item for item in objects},
        rooms={"kitchen": "kitchen", "living_room": "living room"},
        agents={"ana": HomePlace("ana", "Ana", "living_room", 9.0, -2.0)},
    )


def make_palette(home: SymbolicHome) -> ToolPalette:
    """Memory, every skill, a locator of 80 MB and a continuous detector of 80 MB; both may be switched."""
    locator = LocatorEntry(
        id=LOCATOR,
        aliases=("locator",),
        description="any words",
        latency=0.1,
        cameras=("head",),
        is_default=True,
        memory=80.0,
        held=True,
    )
    stream = ContinuousDetectorEntry(
        id=STREAM,
        description="a few words",
        labels=("bread", "mug"),
        cameras=("head",),
        memory=80.0,
        held=True,
    )
    plain = search_palette(home)
    people = tuple(PlaceEntry(id=a.id, label=a.label, kind=NodeKind.AGENT) for a in home.agents.values())
    return plain.model_copy(
        update={
            "locators": (locator,),
            "continuous_detectors": (stream,),
            "peers": (LOCATOR, STREAM),
            "places": (*plain.places, *people),
        }
    )


@dataclass
class Device:
    """A home whose detectors load, take memory, and give it back a while after they sleep."""

    home: SymbolicHome
    palette: ToolPalette
    moves: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.peers = HomePeers(self.home)

    def answers(self, command: Command, now: float) -> Iterator[Answer]:
        """The event that answers a command, and its time."""
        if isinstance(command, AskModel):
            yield DECISION_TIME, decided(command)
        elif isinstance(command, ChangeState):
            yield from self._change(command)
        else:
            answer = self.peers.answer(command)
            if answer is not None:
                yield SKILL_TIME if isinstance(command, SendSkill) else LOOK_TIME, answer

    def _change(self, command: ChangeState) -> Iterator[Answer]:
        wakes = command.transition == "activate"
        self.moves.append(f"{command.transition} {command.peer}")
        state = LifecycleState.ACTIVE if wakes else LifecycleState.INACTIVE
        self.palette = holding(self.palette.with_state(command.peer, state), command.peer, held=True)
        yield 1.0, StateChanged(call_id=command.call_id, success=True, message="done")
        yield 1.1, PaletteChanged(palette=self.palette)
        if not wakes:
            self.palette = holding(self.palette, command.peer, held=False)
            yield 3.0, PaletteChanged(palette=self.palette)


def holding(palette: ToolPalette, peer: str, *, held: bool) -> ToolPalette:
    """A palette in which a detector has memory, or has not."""
    update = {"held": held}
    locators = tuple(e.model_copy(update=update) if e.id == peer else e for e in palette.locators)
    streams = tuple(e.model_copy(update=update) if e.id == peer else e for e in palette.continuous_detectors)
    return palette.model_copy(update={"locators": locators, "continuous_detectors": streams})


def decided(command: AskModel) -> Event:
    """The scripted planner's decision."""
    return ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)

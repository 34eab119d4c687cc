"""Robots of the fleet benchmark: mission cores in simulated time, in one symbolic home."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from random import Random

from openral_core.detectors import DetectorInfo, LifecycleState
from openral_core.rskills import Mode, Name, ParameterSpec, ParameterType, SkillManifest, Vocabulary
from openral_core.skills import SkillResult, Verb
from openral_core.spatial_memory import ObserveResult
from openral_fleet.events import Event as FleetEvent
from openral_fleet.events import (
    MissionReported,
    PromptAnswered,
)
from openral_fleet.robots import RobotState
from openral_fleet.ros.conversions import ACTING_TOOL, acting_call, known_objects
from openral_fleet.takeover import has_acted
from openral_reasoner.commands import (
    AskModel,
    CallObserve,
    ClearDeadline,
    Command,
    EndMission,
    PublishReceipt,
    SendSkill,
    SetDeadline,
)
from openral_reasoner.core import Core
from openral_reasoner.events import DeadlinePassed, Event, ModelAnswered
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.publishers import record_message
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

LOOK_TIME, SKILL_TIME = 0.2, 8.0
"""Durations of a call and of a skill [s]."""
PLACES = {
    "counter_1": ("kitchen counter", "kitchen", 2.0, 0.0, False),
    "table_1": ("dining table", "living_room", 6.0, 0.0, False),
    "shelf_1": ("shelf", "living_room", 8.0, 4.0, False),
    "desk_1": ("desk", "study", 1.0, 8.0, False),
    "fridge_1": ("fridge", "kitchen", 2.0, 4.0, True),
    "cabinet_1": ("cabinet", "kitchen", 4.0, 4.0, True),
}
THINGS = ("mug", "bowl", "book", "spoon", "apple", "milk", "plate", "lamp", "towel", "bottle")


def manifest(verb: Verb) -> SkillManifest:
    """Return a skill of the symbolic home."""
    name = {Verb.NAVIGATE: "goal", Verb.HANDOVER: "agent"}.get(verb, "target")
    pose = ParameterSpec(name=name, type=ParameterType.POSE, description="in map")
    name = verb.value.lower().replace("_", "-")
    parameters = () if verb is Verb.EXPLORE else (pose,)
    return SkillManifest(
        kind="skill", id=name, description=name, verb=verb, parameters=parameters, deadline=60.0
    )


MOVES = (Verb.NAVIGATE, Verb.LOOK_AT, Verb.OPEN, Verb.CLOSE, Verb.GRASP, Verb.PLACE, Verb.HANDOVER)
SKILLS = tuple(manifest(verb) for verb in MOVES)
LOCATOR = DetectorInfo(
    name=Name("locator"),
    mode=Mode.ON_DEMAND,
    engine="sim_groundtruth",
    vocabulary=Vocabulary.OPEN,
    description="finds everything",
    labels=(),
    cameras=("head",),
    licence="Apache-2.0",
    commercial_use=True,
    memory_declared=1.0,
    latency=0.02,
    is_default=True,
    state=LifecycleState.ACTIVE,
)


class SharedHome:
    """Objects and places of one home in which two robots are, and what they have brought where."""

    def __init__(self, random: Random) -> None:
        self.places = {
            name: HomePlace(name, label, room, x, y, closed, aliases=(label.split()[-1],))
            for name, (label, room, x, y, closed) in PLACES.items()
        }
        spots = sorted(self.places)
        self.objects: dict[str, HomeObject] = {}
        for thing in THINGS:
            for number in range(1, random.choice((2, 2, 3))):
                remembered = thing if random.random() < 0.7 else ""
                place, name = random.choice(spots), f"{thing}_{number}"
                self.objects[name] = HomeObject(name, thing, place, remembered)
        self.moves: list[tuple[str, str, str]] = []

    def of_robot(self) -> SymbolicHome:
        """Return the home with a robot of its own in it."""
        rooms = {room: room.replace("_", " ") for _, room, *_ in PLACES.values()}
        ana = HomePlace("ana", "Ana", "living_room", 9.0, -2.0)
        return SymbolicHome(self.places, self.objects, rooms, {"ana": ana})


class WatchedPeers(HomePeers):
    """Peers that tell the home what a robot has delivered, and when it has seen an object."""

    def __init__(self, shared: SharedHome, name: str) -> None:
        super().__init__(shared.of_robot())
        self._shared, self._name, self.now, self.seen = shared, name, 0.0, dict[str, float]()

    def observe(self, call: CallObserve) -> ObserveResult:
        for item in self.looks.get(call.located, ()):
            self.seen[item.id] = self.now
        return super().observe(call)

    def send_skill(self, call: SendSkill) -> SkillResult:
        held = self.home.holding
        result = super().send_skill(call)
        if result.success and call.goal.rskill_id in ("handover", "place"):
            place = self.home.objects[held].place or "ana"
            self._shared.moves.append((self._name, held, place))
        return result


@dataclass
class CoreRobot:
    """One robot: a mission core in simulated time. ``alive`` and ``reachable`` are the faults."""

    name: str
    peers: WatchedPeers
    alive: bool = True
    reachable: bool = True
    core: Core = field(default_factory=lambda: Core(MissionSettings(default_requester="ana")))
    now: float = 0.0
    out: list[FleetEvent] = field(default_factory=list)
    _due: list[tuple[float, int, Event, int]] = field(default_factory=list)
    _order: "count[int]" = field(default_factory=count)
    _deadlines: dict[str, int] = field(default_factory=dict)

    def put(self, after: float, event: Event, deadline: int = -1) -> None:
        """Have an event happen after some time [s]."""
        heappush(self._due, (self.now + after, next(self._order), event, deadline))

    def advance(self, now: float) -> None:
        """Let time pass."""
        while self.alive and self._due and self._due[0][0] <= now:
            due, _, event, deadline = heappop(self._due)
            self.now = max(self.now, due)
            if deadline < 0 or (
                isinstance(event, DeadlinePassed) and self._deadlines.get(event.call_id) == deadline
            ):
                self._handle(event)
        self.now = now

    def _handle(self, event: Event) -> None:
        for command in self.core.handle(event, self.now):
            self._carry_out(command)

    def _carry_out(self, command: Command) -> None:
        self.peers.now = self.now
        if isinstance(command, SetDeadline):
            number = self._deadlines[command.call_id] = next(self._order)
            self.put(command.seconds, DeadlinePassed(call_id=command.call_id), number)
        elif isinstance(command, ClearDeadline):
            self._deadlines.pop(command.call_id, None)
        elif isinstance(command, PublishReceipt):
            names = (self.name, command.prompt_id, command.outcome, command.mission_id, command.message)
            self._say(PromptAnswered(*names))
        elif isinstance(command, EndMission):
            self.report()
        elif isinstance(command, AskModel):
            answered = ModelAnswered(call_id=command.call_id, calls=(decide(command.context),))
            self.put(LOOK_TIME, answered)
        elif (answer := self.peers.answer(command)) is not None:
            self.put(SKILL_TIME if isinstance(command, SendSkill) else LOOK_TIME, answer)

    def _say(self, event: FleetEvent) -> None:
        if self.alive and self.reachable:
            self.out.append(event)

    def report(self) -> None:
        """Publish the mission status."""
        report = self.core.report(self.now)
        budget = {line.name: line.limit - line.used for line in report.budget}
        records = (record_message(each) for each in report.calls if each.tool == ACTING_TOOL)
        event = MissionReported(
            self.name, report.prompt_id, report.state, report.mission_id, report.step, report.reason
        )
        self._say(
            replace(
                event,
                evidence=report.evidence,
                calls=tuple(map(acting_call, records)),
                seconds_left=budget.get("seconds", 0.0),
            )
        )

    def state(self) -> RobotState:
        """Return the report of the robot."""
        home = self.peers.home
        objects = [
            replace(known, last_seen=self.peers.seen.get(item, 0.0))
            for item, known in zip(
                [o.id for o in home.objects.values() if o.remembered],
                known_objects(home.graph()),
                strict=True,
            )
        ]
        session = f"{self.name}-1" if self.alive and self.reachable else ""
        where = (home.x, home.y)
        held = home.objects[home.holding].label if home.holding else ""
        return RobotState(self.name, session, frozenset(MOVES), held, "", where, tuple(objects))

    def works_on(self, goals: Mapping[str, str]) -> str:
        """Return the id of the errand that it does, "" for none and for a look at its object."""
        mission = self.core.mission if self.alive else None
        return next((e for e, goal in goals.items() if mission and mission.prompt.text == goal), "")

    @property
    def has_acted(self) -> bool:
        """True if its mission has begun a skill that may move more than itself."""
        mission = self.core.mission
        records = mission.records.values() if mission is not None and self.alive else ()
        acting = (acting_call(record_message(each)) for each in records if each.tool == ACTING_TOOL)
        return has_acted(tuple(acting))


def palette_of(robot: CoreRobot) -> ToolPalette:
    """Return the palette of a robot."""
    graph = GraphState(
        detectors=(DetectorState(LOCATOR, alive=True),),
        memory_alive=True,
        skill_server_alive=True,
        verbs=MOVES,
        scene=robot.peers.home.graph(),
    )
    return build_palette(graph, SKILLS)

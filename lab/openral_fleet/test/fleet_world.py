"""Robots, a network that loses, doubles and delays, and a dispatcher that is killed; all in simulated time.

A robot here is what the dispatcher relies on of a real one: it begins a mission once for each prompt id,
reports it every second, ends it within its time budget, and, with a journal, resumes it after a restart.
"""

from dataclasses import dataclass, field, replace
from random import Random

from openral_core.missions import MissionState, PromptOutcome
from openral_core.skills import Verb
from openral_fleet.dispatcher import Dispatcher
from openral_fleet.errands import ErrandList
from openral_fleet.events import (
    AskHuman,
    Command,
    Event,
    HumanAnswered,
    MissionReported,
    PromptAnswered,
    RobotReported,
    SendPrompt,
    StopHeard,
    StopRobot,
    Ticked,
    WithdrawPrompt,
)
from openral_fleet.goal_traits import traits_of
from openral_fleet.records import ActingCall, FleetState
from openral_fleet.robots import RememberedObject, RobotState
from openral_fleet.settings import PROMPT_LIFESPAN, REPEATS_FOR, FleetSettings

BUDGET = 40.0
STEP = 0.5
SETTINGS = FleetSettings(mission_seconds=BUDGET, lease_margin=20.0, patience=60.0, answer=30.0)


@dataclass
class FakeMission:
    """A mission; ``ends``, ``acts`` and ``deadline`` are times [s]."""

    prompt_id: str
    mission_id: str
    errand: str
    looks_for: str
    acts: float
    ends: float
    deadline: float
    calls: tuple[ActingCall, ...] = ()


@dataclass
class FakeRobot:
    """A robot with one mission at a time; ``effects`` counts the acting steps of each errand."""

    name: str
    world: "FleetWorld"
    journaled: bool = True
    session: int = 1
    alive: bool = True
    reachable: bool = True
    receipts: dict[str, str] = field(default_factory=dict)
    mission: FakeMission | None = None
    last: MissionReported | None = None
    seen: dict[str, float] = field(default_factory=dict)

    def take_prompt(self, message: SendPrompt) -> None:
        """Begin a mission, unless this prompt has begun one."""
        if not self.alive:
            return
        known = self.receipts.get(message.prompt_id)
        outcome = PromptOutcome.STARTED
        if known is None and self.mission is not None:
            outcome = PromptOutcome.REFUSED
        elif known is None:
            known = self.receipts[message.prompt_id] = f"{message.prompt_id}-m"
            self._begin(message, known)
        self.world.to_fleet(PromptAnswered(self.name, message.prompt_id, outcome, known or ""), self)

    def _begin(self, message: SendPrompt, mission_id: str) -> None:
        now, random = self.world.now, self.world.random
        acts = now + random.uniform(1.0, BUDGET * 0.9)
        ends = acts + random.uniform(0.0, 5.0)
        errand = message.prompt_id.split("-")[2]
        is_check = message.text.startswith("find") and not self.world.goals[errand].startswith("find")
        looks_for = message.text.removeprefix("find the ") if is_check else ""
        self.mission = FakeMission(message.prompt_id, mission_id, errand, looks_for, acts, ends, now + BUDGET)
        self.report()

    def step(self) -> None:
        """Act, end and report what is due."""
        mission, now = self.mission, self.world.now
        if mission is None or not self.alive:
            return
        if now >= mission.deadline:
            self._end(MissionState.FAILED)
            return
        if now >= mission.acts > now - STEP:
            if mission.looks_for:
                self.seen[mission.looks_for] = now
            else:
                self.world.act(self, mission)
                mission.calls = (ActingCall(verb="GRASP", status="SUCCEEDED"),)
        if now >= mission.ends:
            self._end(MissionState.SUCCEEDED)
        if self.mission is not None and now == int(now):
            self.report()

    def stop(self) -> None:
        """End the mission by a person's word."""
        if self.alive and self.mission is not None:
            self._end(MissionState.CANCELLED)

    def kill(self) -> None:
        """End the process; a journal keeps the mission."""
        self.alive = False
        if not self.journaled:
            self.mission, self.receipts, self.last = None, {}, None

    def restart(self) -> None:
        """Start a new process, which resumes the mission of the journal; its time has run on."""
        if not self.alive:
            self.alive, self.session = True, self.session + 1
            mission = self.mission
            if mission is not None and self.world.now < mission.deadline:
                missed = mission.acts <= self.world.now
                done = self.world.acted_by(mission)
                if missed and not done:
                    mission.acts = self.world.now + 1.0
                mission.ends = max(mission.ends, mission.acts, self.world.now + 1.0)
            self.report()

    def state(self) -> RobotState:
        """Return the report that the node of the dispatcher would make."""
        session = f"{self.name}-{self.session}" if self.alive and self.reachable else ""
        verbs = frozenset(Verb)
        objects = tuple(self.world.known_object(self, name) for name in self.world.things)
        return RobotState(self.name, session, verbs, position=(0.0, 0.0), objects=objects)

    def report(self) -> None:
        """Publish the status."""
        if not self.alive:
            return
        mission = self.mission
        if mission is None:
            status = self.last or MissionReported(self.name, "", MissionState.IDLE)
        else:
            left = max(0.0, mission.deadline - self.world.now)
            ids = (self.name, mission.prompt_id, MissionState.ACTIVE, mission.mission_id)
            status = MissionReported(*ids, calls=mission.calls, seconds_left=left)
        self.world.to_fleet(status, self)

    def _end(self, state: MissionState) -> None:
        mission = self.mission
        assert mission is not None
        self.mission = None
        ids = (self.name, mission.prompt_id, state, mission.mission_id)
        self.last = MissionReported(*ids, calls=mission.calls)
        self.report()


class FleetWorld:
    """Everything outside the dispatcher, and the dispatcher with its node."""

    def __init__(self, errands: ErrandList, robots: int, seed: int, loss: float, delay: float) -> None:
        self.now, self.random = 0.0, Random(seed)
        self.loss, self.delay = loss, delay
        self.goals = {each.id: each.goal for each in errands.errands}
        self.things = sorted({traits_of(g).moved for g in self.goals.values()} - {""})
        self.effects: dict[str, int] = dict.fromkeys(self.goals, 0)
        self.actors: list[tuple[float, str, str]] = []
        self.robots = {f"r{i}": FakeRobot(f"r{i}", self) for i in range(1, robots + 1)}
        self.disk = FleetState.of("run", errands.errands, 0.0)
        self.dispatcher: Dispatcher | None = None
        self.violations: list[str] = []
        self.human = True
        self._mail: list[tuple[float, int, object]] = []
        self._count = 0
        self._last_due: dict[str, float] = {}
        self._repeated: dict[str, tuple[SendPrompt, float]] = {}
        self.start_dispatcher()

    def start_dispatcher(self) -> None:
        """Make a dispatcher from the disk; the graph latches the status of every robot."""
        self._repeated = {}
        self.dispatcher = Dispatcher(SETTINGS, FleetState.model_validate_json(self.disk.model_dump_json()))
        self.deliver_reports()
        for robot in self.robots.values():
            robot.report()

    def kill_dispatcher(self) -> None:
        """End its process: what was not sent is lost."""
        self.dispatcher = None
        self._repeated = {}

    def handle(self, event: Event, dies_before_sending: bool = False) -> None:
        """Have the dispatcher handle an event as its node does: to the disk first."""
        if self.dispatcher is None:
            return
        commands = self.dispatcher.handle(event, self.now)
        self.disk = self.dispatcher.state
        if dies_before_sending:
            self.kill_dispatcher()
            return
        for command in commands:
            self._carry_out(command)

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, SendPrompt):
            self._repeated[command.prompt_id] = (command, self.now + REPEATS_FOR)
            self._post(command, command.robot)
        elif isinstance(command, WithdrawPrompt):
            self._repeated.pop(command.prompt_id, None)
        elif isinstance(command, StopRobot):
            self._post(command, command.robot)
        elif isinstance(command, AskHuman) and self.human:
            text = "done" if self.effects[command.errand] else "again"
            self._put(self.now + 1.0, HumanAnswered(command.question, text))

    def _post(self, message: object, robot: str) -> None:
        if not self.robots[robot].reachable:
            return
        for _ in range(2 if self.random.random() < 0.1 else 1):
            if self.random.random() >= self.loss:
                self._put_in_order(f"to {robot}", min(self.delay, PROMPT_LIFESPAN), message)

    def to_fleet(self, event: Event, robot: FakeRobot) -> None:
        """Send a message to the dispatcher."""
        if not robot.reachable:
            return
        for _ in range(2 if self.random.random() < 0.1 else 1):
            if self.random.random() >= self.loss:
                self._put_in_order(f"from {robot.name}", self.delay, event)

    def _put_in_order(self, channel: str, delay: float, message: object) -> None:
        """Deliver late, but in the order of one sender, as DDS does."""
        due = max(self._last_due.get(channel, 0.0), self.now + self.random.uniform(0.0, delay))
        self._last_due[channel] = due
        self._put(due, message)

    def _put(self, due: float, message: object) -> None:
        self._count += 1
        self._mail.append((due, self._count, message))

    def known_object(self, robot: FakeRobot, name: str) -> RememberedObject:
        """Return the memory of an object, which leaves its place by the acting step of an errand."""
        moved = any(self.effects[e] for e, goal in self.goals.items() if traits_of(goal).moved == name)
        seen = robot.seen.get(name, 0.0)
        at = "hand" if moved and seen else "counter"
        return RememberedObject(name, 1.0, 1.0, (at,), seen)

    def act(self, robot: FakeRobot, mission: FakeMission) -> None:
        """Count the acting step of an errand."""
        self.effects[mission.errand] += 1
        self.actors.append((self.now, robot.name, mission.prompt_id))

    def acted_by(self, mission: FakeMission) -> bool:
        """Return True if a mission has acted."""
        return any(prompt == mission.prompt_id for _, _, prompt in self.actors)

    def deliver_reports(self) -> None:
        """Report the state of every robot."""
        for robot in self.robots.values():
            self.handle(RobotReported(robot.state()))

    def step(self) -> None:
        """Let half a second pass."""
        self.now += STEP
        if self.now == int(self.now):
            self.deliver_reports()
        for robot in self.robots.values():
            robot.step()
        self._repeat()
        due = sorted(each for each in self._mail if each[0] <= self.now)
        self._mail = [each for each in self._mail if each[0] > self.now]
        for _, _, message in due:
            self._deliver(message)
        self.handle(Ticked())
        self._check()

    def _deliver(self, message: object) -> None:
        if isinstance(message, SendPrompt):
            robot = self.robots[message.robot]
            if message.session == f"{robot.name}-{robot.session}":
                robot.take_prompt(message)
        elif isinstance(message, StopRobot):
            self.robots[message.robot].stop()
        else:
            if isinstance(message, PromptAnswered):
                self._repeated.pop(message.prompt_id, None)
            self.handle(message)  # type: ignore[arg-type]

    def _repeat(self) -> None:
        for prompt_id, (command, until) in list(self._repeated.items()):
            robot = self.robots[command.robot].state()
            if self.now > until or (robot.session and robot.session != command.session):
                del self._repeated[prompt_id]
            elif self.now == int(self.now):
                self._post(replace(command), command.robot)

    def _check(self) -> None:
        running: dict[str, list[str]] = {}
        for robot in self.robots.values():
            mission = robot.mission
            if robot.alive and mission is not None and not mission.looks_for:
                running.setdefault(mission.errand, []).append(robot.name)
        self.violations += [f"{self.now}: {e} with {names}" for e, names in running.items() if len(names) > 1]

    @property
    def ended(self) -> bool:
        """True when every errand has ended, by the disk."""
        return self.disk.ended

    def run(self, seconds: float) -> None:
        """Let time pass until every errand has ended, at most so long [s]."""
        end = self.now + seconds
        while self.now < end and not self.ended:
            self.step()

    def stop_everything(self) -> None:
        """Have the operator say stop."""
        self.handle(StopHeard("stop"))

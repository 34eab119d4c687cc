"""Ten lists of six errands with two robots, of which one is killed, or cut off, in the middle of an errand.

Each robot is a real mission core with the scripted planner; both live in one symbolic home, in simulated
time, and share what they remember. The dispatcher is killed once in each list, between its journal and its
prompts, and made anew from the journal. A robot that is killed stays off, and is presumed off after 30 s. One
that is cut off goes on with its errand unheard, and comes back after 200 s. A person who answers tells the
truth. LISTS=n in the environment, else 10.
"""

import os
from collections import Counter
from dataclasses import dataclass
from random import Random

from benchmarks.fleet_robots import PLACES, THINGS, CoreRobot, SharedHome, WatchedPeers, palette_of
from openral_fleet.dispatcher import Dispatcher
from openral_fleet.errands import parse_errands
from openral_fleet.events import (
    AskHuman,
    HumanAnswered,
    RobotReported,
    SendPrompt,
    StopRobot,
    Ticked,
)
from openral_fleet.events import Event as FleetEvent
from openral_fleet.records import ErrandState, FleetState
from openral_fleet.settings import FleetSettings
from openral_reasoner.events import PaletteChanged, PromptReceived

AWAY = 200.0
"""Time for which a robot is cut off [s]."""
LONGEST = 6000.0


def draw_goals(shared: SharedHome, random: Random) -> dict[str, str]:
    """Draw six goals about six kinds of objects; each goal puts one where none of its kind is."""
    goals = {}
    for number, thing in enumerate(random.sample(THINGS, 6), start=1):
        taken = {item.place for item in shared.objects.values() if item.label == thing}
        surfaces = [n for n, (*_, closed) in PLACES.items() if not closed and n not in taken]
        to = PLACES[random.choice(surfaces)][0]
        kinds = (f"bring me the {thing}", f"put the {thing} on the {to}", f"find the {thing}")
        goals[f"e{number}"] = random.choice(kinds)
    return goals


@dataclass
class ListRun:
    """One list with its robots, faults and dispatcher."""

    seed: int
    fault: str
    answers: bool
    now: float = 0.0
    at_once: int = 0
    missions: int = 0
    faulted: float = 0.0

    def __post_init__(self) -> None:
        self._random = Random(self.seed)
        self.shared = SharedHome(self._random)
        self.goals = draw_goals(self.shared, self._random)
        self.robots = {n: CoreRobot(n, WatchedPeers(self.shared, n)) for n in ("/r1", "/r2")}
        self._victim = self.robots[self._random.choice(sorted(self.robots))]
        self._delay = self._random.uniform(0.0, 60.0)
        presumed = 30.0 if self.fault == "killed" else 0.0
        self._settings = FleetSettings(presumed_off=presumed, lease_margin=60.0)
        errands = parse_errands({"errands": list(self.goals.values())}).errands
        self.disk = FleetState.of("run", errands, 0.0)
        self._dispatcher = Dispatcher(self._settings, self.disk)
        self._restarts, self._answers = 0, list[tuple[float, HumanAnswered]]()
        for robot in self.robots.values():
            robot.put(0.0, PaletteChanged(palette=palette_of(robot)))
            robot.advance(0.0)
            self._tell(RobotReported(robot.state()))
            robot.report()

    def run(self) -> None:
        """Let time pass until every errand has ended."""
        while not self.disk.ended and self.now < LONGEST:
            self.now += 0.5
            for robot in self.robots.values():
                robot.advance(self.now)
                if self.now == int(self.now):
                    self._tell(RobotReported(robot.state()))
                    robot.report()
                events, robot.out = robot.out, []
                for event in events:
                    self._tell(event)
            self._tell(Ticked())
            self._answer()
            self._make_faults()
            works = Counter(filter(None, (r.works_on(self.goals) for r in self.robots.values())))
            self.at_once += any(number > 1 for number in works.values())

    def _tell(self, event: FleetEvent) -> None:
        commands = self._dispatcher.handle(event, self.now)
        self.disk = self._dispatcher.state
        if self._restarts == 0 and self.faulted and any(isinstance(c, SendPrompt) for c in commands):
            self._restarts = 1  # killed between its journal and its prompts
            state = FleetState.model_validate_json(self.disk.model_dump_json())
            self._dispatcher = Dispatcher(self._settings, state)
            for robot in self.robots.values():
                self._tell(RobotReported(robot.state()))
                robot.report()
            return
        for command in commands:
            self._carry_out(command)

    def _carry_out(self, command: object) -> None:
        if isinstance(command, SendPrompt | StopRobot):
            robot = self.robots[command.robot]
            name, text = "stop", "stop"
            if isinstance(command, SendPrompt):
                name, text = command.prompt_id, command.text
                self.missions += 1
            if robot.alive and robot.reachable:
                robot.put(0.1, PromptReceived(id=name, text=text, source="operator"))
        elif isinstance(command, AskHuman) and self.answers:
            said = "done" if self.is_done(command.errand) else "again"
            self._answers.append((self.now + 20.0, HumanAnswered(command.question, said)))

    def _answer(self) -> None:
        due = [answer for at, answer in self._answers if at <= self.now]
        self._answers = [each for each in self._answers if each[0] > self.now]
        for answer in due:
            self._tell(answer)

    def _make_faults(self) -> None:
        if self.faulted:
            if self.fault == "cut off" and not self._victim.reachable and self.now >= self.faulted + AWAY:
                self._victim.reachable = True
            return
        ended = sum(record.state.ended for record in self.disk.records)
        if self._victim.works_on(self.goals) and self._victim.has_acted and ended:
            self._delay -= 0.5
            if self._delay <= 0.0:
                self.faulted = self.now
                self._victim.alive = self.fault != "killed"
                self._victim.reachable = False

    def is_done(self, errand: str) -> bool:
        """Return the truth about an errand that moves something."""
        return self.times(errand) > 0

    def times(self, errand: str) -> int:
        """Return how often an object of the kind was delivered to where the errand says."""
        words = self.goals[errand].split()
        thing = next(word for word in words if word in THINGS)
        label = self.goals[errand].partition(" on the ")[2]
        to = next((name for name, place in PLACES.items() if place[0] == label), "ana")
        return sum(item.startswith(thing) and place == to for _, item, place in self.shared.moves)

    def row(self) -> dict[str, object]:
        """Return the row of the table."""
        states = Counter(record.state for record in self.disk.records)
        done = [record.id for record in self.disk.records if record.state is ErrandState.DONE]
        moving = [errand for errand in self.goals if not self.goals[errand].startswith("find")]
        return {
            "list": self.seed,
            "robot": self.fault,
            "at_s": round(self.faulted),
            "person": "answers" if self.answers else "is silent",
            "done": states[ErrandState.DONE],
            "handed over": states[ErrandState.HANDED_OVER],
            "failed": states[ErrandState.FAILED] + states[ErrandState.CANCELLED],
            "not ended": sum(not record.state.ended for record in self.disk.records),
            "done twice": sum(self.times(errand) > 1 for errand in moving),
            "two at once": self.at_once,
            "done, not in truth": sum(not self.is_done(each) for each in done if each in moving),
            "missions": self.missions,
            "simulated_s": round(self.now),
        }


def run() -> list[dict[str, object]]:
    """One row per list and fault, and their sums."""
    rows = []
    for fault, answers in (("killed", True), ("killed", False), ("cut off", True)):
        for seed in range(int(os.environ.get("LISTS", "10"))):
            made = ListRun(seed, fault, answers)
            made.run()
            rows.append(made.row())
    numbers = [
        name for name, value in rows[0].items() if isinstance(value, int) and name not in ("list", "at_s")
    ]
    total: dict[str, object] = {"list": "all", **{n: sum(int(str(row[n])) for row in rows) for n in numbers}}
    return [*rows, total]

"""One mission of one robot from its prompt to its end, in simulated time."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from openral_bringup.households.peers import RobotPeers
from openral_bringup.households.robots import Robot
from openral_core.rskills import Registry
from openral_reasoner.exchanges.commands import ClearDeadline, Command, EndMission, SetDeadline
from openral_reasoner.exchanges.events import DeadlinePassed, Event, PaletteChanged, PromptReceived
from openral_reasoner.exchanges.statuses import MissionReport
from openral_reasoner.missions import Core, handled
from openral_reasoner.models import Model
from openral_reasoner.palettes import DetectorSeen, LiveGraph, ToolPalette, build_palette
from openral_reasoner.procedures.settings import MissionSettings
from openral_sim.skills import SERVED

Witness = Callable[[float, Event, tuple[Command, ...]], None]
"""Told every event at a time [s] with the commands it led to."""
_PALETTE_PERIOD = 0.5


@dataclass
class MissionPlay:
    """Carries events to the core and its commands to the robot; deadlines are simulated time."""

    robot: Robot
    registry: Registry
    model: Model
    settings: MissionSettings
    witness: Witness
    _events: deque[Event] = field(default_factory=deque)
    _deadlines: dict[str, float] = field(default_factory=dict)
    _end: EndMission | None = None
    _palette_due: float = 0.0

    def __post_init__(self) -> None:
        self._core = Core(self.settings)
        self._peers = RobotPeers(self.robot, self.registry, self.model)

    def run(self, goal: str, requester: str) -> MissionReport:
        """Pursue a goal; the mission's own budget bounds it."""
        self._settle()
        self.robot.memory.standing.heard(requester or self.robot.memory.default_agent, self.robot.pose)
        self._events.append(PaletteChanged(palette=self._palette()))
        self._events.append(PromptReceived(id="goal", text=goal, requester=requester))
        while self._end is None or self._events:
            if self._events:
                self._handle(self._events.popleft())
            else:
                self._period()
        return self._core.report(self.robot.simulation.time)

    def _settle(self) -> None:
        """A first look, as a graph has it before anybody speaks."""
        while self.robot.simulation.time < 1.0:
            self.robot.simulation.advance()
            self.robot.after_period()

    def _handle(self, event: Event) -> None:
        now = self.robot.simulation.time
        commands = handled(self._core, event, now, _loudly)
        self.witness(now, event, commands)
        for command in commands:
            self._carry(command, now)

    def _carry(self, command: Command, now: float) -> None:
        if isinstance(command, SetDeadline):
            self._deadlines[command.call_id] = now + command.seconds
        elif isinstance(command, ClearDeadline):
            self._deadlines.pop(command.call_id, None)
        elif isinstance(command, EndMission):
            self._end = command
        else:
            answer = self._peers.answer(command)
            self._events.extend([answer] if answer is not None else [])

    def _period(self) -> None:
        result = self.robot.simulation.advance()
        self.robot.after_period()
        now = self.robot.simulation.time
        if result is not None or now >= self._palette_due:
            self._palette_due = now + _PALETTE_PERIOD
            self._look_at_graph()
        if result is not None:
            self._events.append(self._peers.ended(result))
        for call_id in [each for each, due in self._deadlines.items() if due <= now]:
            del self._deadlines[call_id]
            self._events.append(DeadlinePassed(call_id=call_id))

    def _look_at_graph(self) -> None:
        palette = self._palette()
        if palette != self._core.palette:
            self._events.append(PaletteChanged(palette=palette))

    def _palette(self) -> ToolPalette:
        graph = LiveGraph(
            detectors=tuple(DetectorSeen(info, alive=True) for info in self.robot.detectors.infos),
            memory_alive=True,
            skill_server_alive=True,
            verbs=tuple(SERVED),
            holding=self.robot.simulation.holding,
            scene=self.robot.memory.graph(),
        )
        return build_palette(graph, self.registry.skills)


class CoreBroke(AssertionError):
    """The mission core met a defect of its own."""


def _loudly(words: str) -> None:
    """A defect must not pass for a failed mission."""
    raise CoreBroke(words)

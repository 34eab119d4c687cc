"""Node that monitors the graph for the console and sends goals to the reasoner as the operator.

Subscribes: openral/mission, openral/prompt_receipt, openral/scene_graph, openral/palette, openral/stop_state,
    /diagnostics, <camera>/camera_info, /clock.
Publishes: openral/prompt.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from uuid import uuid4

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import String

from openral_bringup.deploy.process_supervisor import ProcessSupervisor
from openral_core.missions import MissionState
from openral_msgs.msg import MissionStatus, PromptReceipt, PromptStamped, SceneGraph, SceneNode
from openral_ros.emergency_stop import STOP_STATE, stop_reason
from openral_ros.mission_calls import CallHistory
from openral_ros.node_thread import NodeThread
from openral_ros.qos import LATCHED, RECEIPTS, RELIABLE, SENSOR


@dataclass(frozen=True, slots=True)
class CallLine:
    """One tool call."""

    index: int
    tool: str
    arguments: str
    status: str
    message: str
    duration: float


@dataclass(frozen=True, slots=True)
class MissionSnapshot:
    """Mission as the reasoner reports it; budget maps a name to (used, limit)."""

    id: str = ""
    goal: str = ""
    state: MissionState = MissionState.IDLE
    step: str = ""
    reason: str = ""
    calls: tuple[CallLine, ...] = ()
    budget: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    searched: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """Reasoner's acknowledgement of one prompt; ``mission`` is "" if it started none."""

    mission: str
    refused: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True)
class GraphSnapshot:
    """State of the graph at one moment; image rates in [Hz], receipts by prompt id, number of reports.

    ``stopped`` is the reason of an emergency stop, "" for none.
    """

    nodes: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    remembered: tuple[str, ...] = ()
    sim_time: float = 0.0
    palette_known: bool = False
    mission: MissionSnapshot = field(default_factory=MissionSnapshot)
    receipts: Mapping[str, Receipt] = field(default_factory=dict)
    reports: int = 0
    stopped: str = ""


CHECK_PERIOD = 0.5
"""Time between two updates of the image rates, and of bring-up's silence [s]."""
RATE_WINDOW = 3.0
"""Time over which image rates are averaged [s]."""
BRINGUP = "bringup: "
"""Prefix of bring-up's names in /diagnostics."""
DOWN = "down"
"""What bring-up says of a node that answers no lifecycle request."""
REPORT_AGE = 5.0
"""Age at which bring-up's report of the nodes is no longer believed [s]: five of its periods."""
UNRESPONSIVE = 60.0
"""Time without an answer after which a node is restarted [s]; bring-up reports it after 45 s, and a node
starts within 20 s on an overloaded machine."""
WATCH_PERIOD = 1.0
"""Time between two checks for such nodes [s]: that of bring-up's reports."""


class MonitorNode:
    """Node on a thread of its own; `snapshot` is replaced as a whole, so reading it needs no lock."""

    def __init__(
        self, namespace: str, cameras: Iterable[str], remaps: Mapping[str, str], domain: int | None
    ) -> None:
        self.snapshot = GraphSnapshot()
        self.namespace = namespace
        rules = [word for name, other in remaps.items() for word in ("-r", f"{name}:={other}")]
        arguments = ["--ros-args", *rules, "--enclave", f"{namespace}/deploy"]
        self._thread = NodeThread("deploy", namespace, domain, arguments)
        self._scope, self._node = self._thread.scope, self._thread.node
        self._images: dict[str, deque[float]] = {camera: deque(maxlen=200) for camera in cameras}
        self._sent: set[str] = set()
        self._calls = CallHistory()
        self._down_since: dict[str, float] = {}
        self._died: deque[str] = deque()
        self._reported, self._silence = 0.0, 0.0
        self._prompts = self._scope.publisher(PromptStamped, "openral/prompt", RELIABLE)
        self._subscribe()
        self._thread.start()

    def reasoner_listens(self) -> bool:
        """Return whether the prompt topic has a subscriber."""
        return bool(self._prompts.get_subscription_count() > 0)

    def send_goal(self, goal: str, again: str = "") -> str:
        """Publish a goal as the operator, or the prompt with the id ``again`` once more; return its id."""
        prompt = PromptStamped(id=again or uuid4().hex, text=goal)
        prompt.header.frame_id = "operator"
        prompt.header.stamp = self._node.get_clock().now().to_msg()
        self._sent.add(str(prompt.id))
        self._prompts.publish(prompt)
        return str(prompt.id)

    def note_death(self, nodes: Iterable[str]) -> None:
        """Show nodes as down whose process died, until bring-up reports them again.

        Bring-up may have died with them, and its last report says that they are active.
        """
        self._died.extend(nodes)

    def unresponsive(self, seconds: float) -> list[str]:
        """Return the nodes that bring-up has reported as down for ``seconds``, up to now.

        If it has reported nothing for as long, that is bring-up itself: then its process hangs.
        """
        now = time.monotonic()
        if now - self._reported > REPORT_AGE:
            is_lost = self._reported > 0.0 and self._silence > seconds
            return [f"{self.namespace}/bringup"] if is_lost else []
        return [name for name, since in tuple(self._down_since.items()) if now - since > seconds]

    def close(self) -> None:
        """Stop monitoring and release the node."""
        self._thread.close()

    def _subscribe(self) -> None:
        self._scope.subscription(MissionStatus, "openral/mission", self._on_mission, LATCHED)
        self._scope.subscription(PromptReceipt, "openral/prompt_receipt", self._on_receipt, RECEIPTS)
        self._scope.subscription(SceneGraph, "openral/scene_graph", self._on_graph, LATCHED)
        self._scope.subscription(String, "openral/palette", self._on_palette, LATCHED)
        self._scope.subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, RELIABLE)
        self._scope.subscription(DiagnosticStatus, STOP_STATE, self._on_stop, LATCHED)
        self._scope.subscription(Clock, "/clock", self._on_clock, SENSOR)
        for camera, times in self._images.items():
            self._scope.subscription(
                CameraInfo,
                f"{camera}/camera_info",
                lambda _, times=times: times.append(time.monotonic()),
                SENSOR,
            )
        self._scope.timer(CHECK_PERIOD, self._measure_rates)
        self._scope.timer(CHECK_PERIOD, self._count_silence)
        self._scope.timer(CHECK_PERIOD, self._show_deaths)

    def _on_mission(self, message: MissionStatus) -> None:
        try:
            state = MissionState(message.state)
        except ValueError:  # of a newer reasoner or a foreign publisher: no state to show or to wait for
            warning = f"Ignoring mission {message.goal!r}: unknown state {message.state}"
            self._node.get_logger().warning(warning, once=True)
            return
        self._calls.complete(message)
        calls = tuple(
            CallLine(c.index, c.tool, c.arguments_json, c.status, c.message, c.duration)
            for c in message.calls
        )
        mission = MissionSnapshot(
            message.mission_id,
            message.goal,
            state,
            message.step,
            message.reason,
            calls,
            {line.name: (line.used, line.limit) for line in message.budget},
            tuple(message.searched),
            tuple(message.evidence),
        )
        self.snapshot = replace(self.snapshot, mission=mission, reports=self.snapshot.reports + 1)

    def _on_receipt(self, message: PromptReceipt) -> None:
        if message.prompt_id in self._sent:
            refused = message.outcome == PromptReceipt.OUTCOME_REFUSED
            receipt = Receipt(message.mission_id, refused, message.message)
            receipts = {**self.snapshot.receipts, message.prompt_id: receipt}
            self.snapshot = replace(self.snapshot, receipts=receipts)

    def _on_graph(self, message: SceneGraph) -> None:
        objects = [n.label for n in message.nodes if n.kind == SceneNode.KIND_OBJECT]
        self.snapshot = replace(self.snapshot, remembered=tuple(sorted(objects)))

    def _on_palette(self, message: String) -> None:
        self.snapshot = replace(self.snapshot, palette_known=bool(message.data))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        states = {
            s.name.removeprefix(BRINGUP): s.message for s in message.status if s.name.startswith(BRINGUP)
        }
        if not states:
            return
        self._silence = 0.0
        now, self.snapshot = time.monotonic(), replace(self.snapshot, nodes=states)
        gap = now - self._reported > REPORT_AGE
        before = {} if gap else self._down_since
        down = [name for name, state in states.items() if state.endswith(DOWN)]
        self._reported, self._down_since = now, {name: before.get(name, now) for name in down}

    def _on_stop(self, message: DiagnosticStatus) -> None:
        self.snapshot = replace(self.snapshot, stopped=stop_reason(message))

    def _on_clock(self, message: Clock) -> None:
        self.snapshot = replace(self.snapshot, sim_time=message.clock.sec + message.clock.nanosec * 1e-9)

    def _count_silence(self) -> None:
        """Count for how long bring-up has not reported; time for which this process is suspended is not."""
        self._silence += CHECK_PERIOD

    def _show_deaths(self) -> None:
        if not self._died:
            return
        died = {self._died.popleft() for _ in range(len(self._died))}
        states = {name: DOWN if name in died else state for name, state in self.snapshot.nodes.items()}
        self.snapshot = replace(self.snapshot, nodes=states)

    def _measure_rates(self) -> None:
        since = time.monotonic() - RATE_WINDOW
        rates = {
            camera: sum(t > since for t in times) / RATE_WINDOW for camera, times in self._images.items()
        }
        self.snapshot = replace(self.snapshot, rates=rates)


async def watch_processes(monitor: MonitorNode, supervisor: ProcessSupervisor) -> None:
    """Tell the monitor whose process died; restart every node whose process runs but which does not answer.

    It may have lost its peers. Cancel this before the supervisor stops.
    """
    deaths: dict[str, int] = {}
    while True:
        await asyncio.sleep(WATCH_PERIOD)
        silent = monitor.unresponsive(UNRESPONSIVE)
        for process in supervisor.processes:
            nodes = [node.qualified for node in process.spec.run_nodes]
            if process.deaths > deaths.get(process.spec.key, 0):
                deaths[process.spec.key] = process.deaths
                monitor.note_death(nodes)
            if any(name in silent for name in nodes):
                reason = f"it has not answered for {UNRESPONSIVE:.0f} s"
                process.restart_if_older(UNRESPONSIVE, reason)

"""The simulation's thread: takes goals, advances the world, publishes, keeps the pace."""
# MERGED Runs a `SimLoop` for as long as the node is active.

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic

from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_core.skills import SkillResult, SkillStatus
from openral_ros.resources import ResourceScope
from openral_ros.tracing import span
from openral_ros.worker_thread import WorkerThread
from openral_sim.ros.camera_publisher import CameraImageSource
from openral_sim.ros.state_publishers import SimPublishers
from openral_sim.simulation import RealTimePacer, Simulation, StepProfiler
from openral_sim.skills.requests import ValidatedGoal


@dataclass(frozen=True, slots=True)
class QueuedGoal:
    """A goal for the robot; ``on_end`` is called once, on the simulation's thread.

    Setting ``cancelled``, at any time, brings the robot to a controlled stop.
    """

    goal: ValidatedGoal
    traceparent: str
    on_end: Callable[[SkillResult], None]
    cancelled: Event = field(default_factory=Event)


class SimLoop:
    """Its `run` is one thread's work; everything else may be called from another."""

    def __init__(self, simulation: Simulation, outputs: SimPublishers, pacer: RealTimePacer) -> None:
        self._simulation, self._outputs, self._pacer = simulation, outputs, pacer
        self._orders: SimpleQueue[QueuedGoal] = SimpleQueue()
        self._current: QueuedGoal | None = None
        self._goal_span = ExitStack()
        self._stopping = Event()
        self.shares = StepProfiler()
        self.began_at = simulation.time

    def submit(self, order: QueuedGoal) -> None:
        """Begin a goal; the one before must have ended."""
        self._orders.put(order)

    def stop(self) -> None:
        """End `run` within a control period; the robot stands still."""
        self._stopping.set()

    def run(self, opened: "Future[None]") -> None:
        """Simulate until `stop`; ``opened`` tells whether the cameras could be opened."""
        with ExitStack() as stack:
            try:
                feeds = self._outputs.open_feeds(stack)
            except BaseException as error:
                opened.set_exception(error)
                raise
            opened.set_result(None)
            stack.callback(self._abandon)
            self.shares.restart()
            while not self._stopping.is_set():
                self._period(feeds)

    def _period(self, feeds: tuple[CameraImageSource, ...]) -> None:
        self._take_order()
        if self._current is not None and self._current.cancelled.is_set():
            self._simulation.cancel()
        with self.shares.of("physics and skills"):
            result = self._simulation.advance()
        if result is not None:
            self._end_goal(result)
        self._outputs.publish(self._simulation.time, feeds, self.shares)
        self._stopping.wait(self._pacer.delay(monotonic(), self._simulation.time))

    def _take_order(self) -> None:
        try:
            order = self._orders.get_nowait()
        except Empty:
            return
        attributes = {"rskill": order.goal.rskill_id, "verb": str(order.goal.verb)}
        self._goal_span.enter_context(span("execute_rskill", order.traceparent, attributes))
        self._current = order
        self._simulation.start(order.goal)

    def _end_goal(self, result: SkillResult) -> None:
        order, self._current = self._current, None
        self._goal_span.close()
        if order is not None:
            order.on_end(result)

    def _abandon(self) -> None:
        stage = self._simulation.feedback.stage
        self._simulation.abandon()
        self._take_order()
        self._simulation.abandon()
        self._end_goal(SkillResult(SkillStatus.INACTIVE, f"the simulation stopped while {stage}"))


OPEN_WITHIN = 30.0
STOP_WITHIN = 10.0
"""How long activation and deactivation wait for the thread [s]."""


class CamerasDidNotOpen(OpenRALError):
    """The simulation's thread is still opening its cameras."""

    def __init__(self) -> None:
        super().__init__(f"the cameras did not open within {OPEN_WITHIN:.0f} s")


def start_thread(
    scope: ResourceScope, node: Node, loop: SimLoop, on_broken: Callable[[Exception], None]
) -> None:
    """Run the loop on a thread of its own until the scope is left.

    Args:
        scope: Leaving it stops the loop and waits for it, within a bound.
        node: On its executor ``on_broken`` is called.
        loop: What to run.
        on_broken: Told what the loop raised, if it ends by itself.

    Raises:
        GlContextRefused: If no picture can be drawn here.
        CamerasDidNotOpen: If the thread hangs.
    """
    opened: Future[None] = Future()

    def ended(outcome: Exception | None) -> None:
        if outcome is not None and opened.exception() is None:
            on_broken(outcome)

    ran = WorkerThread(scope, node, "simulation").submit(lambda: loop.run(opened), ended)
    scope.callback(_stop, node, loop, ran)
    try:
        opened.result(OPEN_WITHIN)
    except TimeoutError as error:
        raise CamerasDidNotOpen from error


def _stop(node: Node, loop: SimLoop, ran: "Future[None]") -> None:
    loop.stop()
    try:
        ran.exception(STOP_WITHIN)
    except TimeoutError:
        node.get_logger().error(f"the simulation's thread did not stop within {STOP_WITHIN:.0f} s")

"""The simulation's thread: takes goals, advances the world, publishes, keeps the pace."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic

from openral_core.skills import SkillResult, SkillStatus
from openral_ros.tracing import span
from openral_sim.goals import AdmittedGoal
from openral_sim.loops import Pacer, Simulation, WallShares
from openral_sim.ros.topics.camera_feed import CameraFeed
from openral_sim.ros.topics.outputs import Outputs


@dataclass(frozen=True, slots=True)
class GoalOrder:
    """A goal for the robot; ``on_end`` is called once, on the simulation's thread.

    Setting ``cancelled``, at any time, brings the robot to a controlled stop.
    """

    goal: AdmittedGoal
    traceparent: str
    on_end: Callable[[SkillResult], None]
    cancelled: Event = field(default_factory=Event)


class SimLoop:
    """Its `run` is one thread's work; everything else may be called from another."""

    def __init__(self, simulation: Simulation, outputs: Outputs, pacer: Pacer) -> None:
        self._simulation, self._outputs, self._pacer = simulation, outputs, pacer
        self._orders: SimpleQueue[GoalOrder] = SimpleQueue()
        self._current: GoalOrder | None = None
        self._goal_span = ExitStack()
        self._stopping = Event()
        self.shares = WallShares()
        self.began_at = simulation.time

    def submit(self, order: GoalOrder) -> None:
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

    def _period(self, feeds: tuple[CameraFeed, ...]) -> None:
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

"""Thread of the simulation: takes goals, advances the world, publishes, and keeps to real time."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic

from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_core.skills import SkillResult, SkillStatus
from openral_ros.resources import ResourceScope
from openral_ros.skill_server import QueuedGoal
from openral_ros.tracing import span
from openral_ros.worker_thread import WorkerThread
from openral_sim.ros.state_publishers import SimPublishers
from openral_sim.simulation import RealTimePacer, Simulation, StepProfiler

OPEN_TIMEOUT = 30.0
"""Time that activation waits for the cameras' OpenGL contexts [s]."""
STOP_TIMEOUT = 10.0
"""Time that deactivation waits for the thread [s]."""


class WorldLoop(ABC):
    """Loop of a world; `run` occupies one thread, `stop` may be called from another."""

    def __init__(self, publishers: SimPublishers, pacer: RealTimePacer) -> None:
        self._publishers, self._pacer = publishers, pacer
        self._stopping = Event()
        self.profiler = StepProfiler()

    def stop(self) -> None:
        """End `run` within a control period, with the robot at rest."""
        self._stopping.set()

    def run(self, opened: "Future[None]") -> None:
        """Simulate until `stop`; complete ``opened`` once the cameras are open, or with their error."""
        with ExitStack() as stack:
            try:
                cameras = self._publishers.open_cameras(stack)
            except BaseException as error:
                opened.set_exception(error)
                raise
            opened.set_result(None)
            stack.callback(self._abandon)
            self.profiler.restart()
            while not self._stopping.is_set():
                time, stamp = self._advance()
                self._publishers.publish(time, cameras, self.profiler, stamp)
                self._stopping.wait(self._pacer.delay(monotonic(), time))

    @abstractmethod
    def _advance(self) -> tuple[float, float]:
        """Advance the world by one control period; return its time and the stamp of messages [s]."""

    @abstractmethod
    def _abandon(self) -> None:
        """End what runs, with the robot at rest."""


class SimLoop(WorldLoop):
    """Loop of the simulation with its skills; every method but `run` may be called from another thread."""

    def __init__(self, simulation: Simulation, publishers: SimPublishers, pacer: RealTimePacer) -> None:
        super().__init__(publishers, pacer)
        self._simulation = simulation
        self._queue: SimpleQueue[QueuedGoal] = SimpleQueue()
        self._current: QueuedGoal | None = None
        self._goal_span = ExitStack()
        self._halted = Event()
        self._halted_stage = ""
        self.start_time = simulation.time

    def submit(self, goal: QueuedGoal) -> None:
        """Begin a goal; the previous one must have ended."""
        self._queue.put(goal)

    def halt(self, _: str) -> None:
        """Stop the robot within a control period, end its goal, and keep it still until `release`."""
        self._halted.set()

    def release(self) -> None:
        """Allow motion again."""
        self._halted.clear()

    def _advance(self) -> tuple[float, float]:
        self._follow_emergency_stop()
        self._start_queued_goal()
        if self._current is not None and self._current.cancelled.is_set():
            self._simulation.cancel()
        with self.profiler.of("physics and skills"):
            result = self._simulation.advance()
        if result is not None:
            self._end_goal(result)
        return self._simulation.time, self._simulation.time

    def _follow_emergency_stop(self) -> None:
        """Halt or release the robot; the goal ends once the robot stands."""
        halted = self._halted.is_set()
        if halted:
            self._halted_stage = self._simulation.feedback.stage or self._halted_stage
            self._simulation.halt()
        if self._simulation.settled or self._simulation.halted > halted:
            self._end_goal(SkillResult(SkillStatus.CANCELLED, f"stopped while {self._halted_stage}"))
        if self._simulation.halted > halted:
            self._simulation.release()

    def _start_queued_goal(self) -> None:
        try:
            queued = self._queue.get_nowait()
        except Empty:
            return
        attributes = {"rskill": queued.goal.rskill_id, "verb": str(queued.goal.verb)}
        self._goal_span.enter_context(span("execute_rskill", queued.traceparent, attributes))
        self._current = queued
        self._simulation.start(queued.goal)

    def _end_goal(self, result: SkillResult) -> None:
        ended, self._current = self._current, None
        self._goal_span.close()
        if ended is not None:
            ended.on_end(result)

    def _abandon(self) -> None:
        stage = self._simulation.feedback.stage
        self._simulation.abandon()
        self._start_queued_goal()
        self._simulation.abandon()
        self._end_goal(SkillResult(SkillStatus.INACTIVE, f"the simulation stopped while {stage}"))


class CamerasDidNotOpen(OpenRALError):
    """The simulation's thread did not open its cameras in time."""

    def __init__(self) -> None:
        super().__init__(f"the cameras did not open within {OPEN_TIMEOUT:.0f} s")


def start_thread(
    scope: ResourceScope, node: Node, loop: WorldLoop, on_failed: Callable[[Exception], None]
) -> None:
    """Run the loop on a thread of its own until the scope is left.

    Args:
        scope: Leaving it stops the loop and waits for it, at most `STOP_TIMEOUT`.
        node: Node on whose executor ``on_failed`` is called.
        on_failed: Called with the exception that ended the loop.

    Raises:
        GlContextRefused: If no OpenGL context can be opened.
        CamerasDidNotOpen: If the thread hangs.
    """
    opened: Future[None] = Future()

    def ended(outcome: Exception | None) -> None:
        if outcome is not None and opened.exception() is None:
            on_failed(outcome)

    ran = WorkerThread(scope, "simulation").submit(lambda: loop.run(opened), ended)
    scope.callback(_stop, node, loop, ran)
    try:
        opened.result(OPEN_TIMEOUT)
    except TimeoutError as error:
        raise CamerasDidNotOpen from error


def _stop(node: Node, loop: WorldLoop, ran: "Future[None]") -> None:
    loop.stop()
    try:
        ran.exception(STOP_TIMEOUT)
    except TimeoutError:
        node.get_logger().error(f"the simulation's thread did not stop within {STOP_TIMEOUT:.0f} s")

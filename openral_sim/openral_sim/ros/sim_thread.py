"""Runs a `SimLoop` for as long as the node is active."""

from collections.abc import Callable
from concurrent.futures import Future

from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_ros.scopes import Scope
from openral_ros.worker_thread import WorkerThread
from openral_sim.ros.sim_loop import SimLoop

OPEN_WITHIN = 30.0
STOP_WITHIN = 10.0
"""How long activation and deactivation wait for the thread [s]."""


class CamerasDidNotOpen(OpenRALError):
    """The simulation's thread is still opening its cameras."""

    def __init__(self) -> None:
        super().__init__(f"the cameras did not open within {OPEN_WITHIN:.0f} s")


def start_thread(scope: Scope, node: Node, loop: SimLoop, on_broken: Callable[[Exception], None]) -> None:
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

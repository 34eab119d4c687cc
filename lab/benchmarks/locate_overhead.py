"""Overhead of a detector node: a `locate_in_view` round trip minus the time of the engine.

The engine answers at once, so that no caller waits for another model. The same run measures a bare
service of the same type that does nothing: the cost of rclpy and DDS alone.
"""

import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from lifecycle_msgs.msg import Transition
from rclpy.task import Future

from benchmarks.detector_rig import FAULTY_NODE, SETTING, camera, instant_detector, picture
from openral_msgs.srv import LocateInView
from openral_testing.detectors.running_node import RunningNode, running_node

SAMPLES = 1000  # [count]
WARM = 100  # First calls, which are not counted [count].
CAMERA_RATE = 30.0  # [Hz]
BARE = "/bare_service"
_BARE_NODE = f"""
import rclpy
from openral_msgs.srv import LocateInView
rclpy.init()
node = rclpy.create_node("bare")
node.create_service(LocateInView, "{BARE}", lambda request, response: response)
rclpy.spin(node)
"""
Row = dict[str, object]


def run() -> list[Row]:
    """One row per number of callers: the bare service, the node, and the node while its camera streams."""
    with TemporaryDirectory() as folder:
        detector = instant_detector(Path(folder) / "measured")
        with running_node(detector, SETTING, Path(folder), FAULTY_NODE) as node:
            if not node.transition(Transition.TRANSITION_ACTIVATE):
                raise RuntimeError("the detector was not activated")
            node.show_until_seen(picture(), LocateInView.Request(query="mug"))
            rows = bare_rows(node)
            rows += [row(node, "locate_in_view", callers, "locate_in_view") for callers in (1, 4)]
            with camera(node, CAMERA_RATE):
                case = f"locate_in_view, camera at {CAMERA_RATE:g} Hz"
                rows += [row(node, "locate_in_view", callers, case) for callers in (1, 4)]
    return rows


def bare_rows(node: RunningNode) -> list[Row]:
    """The baseline."""
    process = subprocess.Popen([sys.executable, "-c", _BARE_NODE], env=dict(node.variables))
    try:
        return [row(node, BARE, callers, "bare service") for callers in (1, 4)]
    finally:
        process.kill()
        process.wait()


def row(node: RunningNode, service: str, callers: int, case: str) -> Row:
    """Percentiles of one case [ms]."""
    seconds = overheads(node, service, callers)[WARM:]
    return {
        "service": case,
        "callers": callers,
        "requests": len(seconds),
        "p50_ms": round(1e3 * percentile(seconds, 0.5), 2),
        "p99_ms": round(1e3 * percentile(seconds, 0.99), 2),
        "max_ms": round(1e3 * max(seconds), 2),
    }


def overheads(node: RunningNode, service: str, callers: int) -> list[float]:
    """Round trips minus engine times [s], with so many requests always under way."""
    client = node.client.create_client(LocateInView, service)
    node.wait("offer the service", client.service_is_ready, 30.0)

    def send() -> tuple[float, Future]:
        return time.perf_counter(), client.call_async(LocateInView.Request(query="mug", deadline=20.0))

    pending, seconds = deque(send() for _ in range(callers)), list[float]()
    while len(seconds) < SAMPLES + WARM:
        node.wait("answer", any_done(pending), 30.0)
        now = time.perf_counter()
        for _ in range(len(pending)):
            sent, answer = pending.popleft()
            if not answer.done():
                pending.append((sent, answer))
                continue
            seconds.append(now - sent - answer.result().inference_time)
            pending.append(send())
    node.wait("answer", lambda: all(answer.done() for _, answer in pending), 30.0)
    node.client.destroy_client(client)
    return seconds


def any_done(pending: "deque[tuple[float, Future]]") -> Callable[[], bool]:
    """Test if one of them was answered."""
    return lambda: any(answer.done() for _, answer in pending)


def percentile(values: list[float], share: float) -> float:
    """Return the value that ``share`` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]

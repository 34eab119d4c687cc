"""Time until an observer notices a silent peer: DDS liveliness leases against the reasoner's probe.

One peer process has a publisher with an AUTOMATIC lease, one with a MANUAL_BY_TOPIC lease that its executor
asserts, and the parameter service that `NodeProbe` asks; one observer watches all three in the same run.
Faults: the peer is killed, it is stopped, its executor hangs in a callback, the observer itself is stopped
(a peer reported dead is then a false alarm). ROUNDS=n rounds each, else 5; LEASE=s for the leases, else 1.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import rclpy
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import LivelinessPolicy, QoSProfile
from std_msgs.msg import Empty

from openral_reasoner_ros.liveness import PARAMETERS, NodeProbe
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_ros.resources import ResourceScope

AUTOMATIC, MANUAL = "automatic", "manual by topic"
LONG = True
POLICIES = {AUTOMATIC: LivelinessPolicy.AUTOMATIC, MANUAL: LivelinessPolicy.MANUAL_BY_TOPIC}
PROBE = "probe"
LEASE = float(os.environ.get("LEASE", "1.0"))
"""Liveliness lease [s]."""
ASSERT_PERIOD = LEASE / 4.0
"""Period in which the peer's executor asserts its liveliness [s]; DDS asks for less than the lease."""
POLL_PERIOD: float = ReasonerParameters.model_fields["poll_period"].default
PEER_TIMEOUT: float = ReasonerParameters.model_fields["peer_timeout"].default
HANG, WATCHED, READY = 6.0, 8.0, 30.0
"""Duration of a fault, longest wait for its discovery, longest wait for the peer's start [s]."""


def topic_of(policy: str) -> str:
    """Topic of the publisher with a liveliness policy."""
    return f"lease/{policy.replace(' ', '_')}"


def lease_of(policy: str) -> QoSProfile:
    """QoS with a liveliness lease."""
    lease = Duration(seconds=LEASE)
    return QoSProfile(depth=1, liveliness=POLICIES[policy], liveliness_lease_duration=lease)


def peer() -> None:
    """Run the process under observation until it is killed."""
    rclpy.init()
    node = Node("peer")
    publishers = {p: node.create_publisher(Empty, topic_of(p), lease_of(p)) for p in POLICIES}
    node.create_timer(ASSERT_PERIOD, publishers[MANUAL].assert_liveliness)
    node.create_subscription(Empty, "hang", lambda _: time.sleep(HANG), 1)
    rclpy.spin(node)


@dataclass
class Observer:
    """Node that watches a peer by every mechanism and notes when each one changed its mind."""

    node: Node
    executor: SingleThreadedExecutor
    scope: ResourceScope
    alive: dict[str, bool] = field(default_factory=dict)
    changes: list[tuple[float, str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for policy in POLICIES:
            self._watch_lease(policy)
        self._probe = NodeProbe(self.scope, self.node, "/peer", PEER_TIMEOUT, PARAMETERS)
        self.node.create_timer(POLL_PERIOD, self._poll)
        self.hang = self.node.create_publisher(Empty, "hang", 1)

    def note(self, mechanism: str, alive: bool) -> None:
        """Note a change of a mechanism's belief."""
        if self.alive.get(mechanism, False) != alive:
            self.alive[mechanism] = alive
            self.changes.append((time.monotonic(), mechanism, alive))

    def spin(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Spin until a condition holds; whether it does."""
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)
        return condition()

    def _watch_lease(self, policy: str) -> None:
        def changed(info: Any) -> None:  # noqa: ANN401 - rclpy's event type has no stubs
            self.note(policy, info.alive_count > 0)

        callbacks = SubscriptionEventCallbacks(liveliness=changed)
        self.node.create_subscription(
            Empty, topic_of(policy), lambda _: None, lease_of(policy), event_callbacks=callbacks
        )

    def _poll(self) -> None:
        self._probe.poll()
        self.note(PROBE, self._probe.alive)


MECHANISMS = (*POLICIES, PROBE)


@contextmanager
def observer() -> Iterator[Observer]:
    """Provide an observer in a context of its own."""
    rclpy.init()
    node = Node("observer")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    scope = ResourceScope(node)
    try:
        yield Observer(node, executor, scope)
    finally:
        scope.close()
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()


def first_change(watch: Observer, since: float, mechanism: str, *, alive: bool) -> float | None:
    """Seconds from a time to the first change of one mechanism to one belief."""
    times = (
        t - since for t, name, state in watch.changes if name == mechanism and state == alive and t >= since
    )
    return next(times, None)


@dataclass(frozen=True)
class Fault:
    """A way to fall silent, with its start and its end."""

    name: str
    start: Callable[[Observer, "subprocess.Popen[bytes]"], object]
    end: Callable[["subprocess.Popen[bytes]"], object] = lambda process: None


def stop_observer(watch: Observer, process: "subprocess.Popen[bytes]") -> None:
    """Suspend this process for three seconds."""
    own = os.getpid()
    with subprocess.Popen(["/bin/sh", "-c", f"kill -STOP {own}; sleep 3; kill -CONT {own}"]):
        pass


FAULTS = (
    Fault("peer killed", lambda watch, process: process.kill()),
    Fault(
        "peer stopped",
        lambda watch, process: process.send_signal(signal.SIGSTOP),
        lambda process: process.send_signal(signal.SIGCONT),
    ),
    Fault("peer's executor hangs", lambda watch, process: watch.hang.publish(Empty())),
    Fault("observer stopped", stop_observer),
)


def round_of(fault: Fault) -> dict[str, tuple[float | None, float | None]]:
    """Per mechanism: seconds until the fault and, after its end, the recovery was noticed."""
    with (
        observer() as watch,
        subprocess.Popen([sys.executable, "-m", "benchmarks.dds_liveliness", "peer"]) as process,
    ):
        try:
            ready = watch.spin(lambda: all(watch.alive.get(m, False) for m in MECHANISMS), READY)
            if not ready:
                raise TimeoutError(f"never all alive: {watch.alive}")
            watch.spin(lambda: False, 2.0 * POLL_PERIOD)
            since = time.monotonic()
            fault.start(watch, process)
            watch.spin(lambda: not any(watch.alive.values()), HANG - 1.0)
            noticed = {m: first_change(watch, since, m, alive=False) for m in MECHANISMS}
            fault.end(process)
            since = time.monotonic()
            watch.spin(lambda: all(watch.alive.values()), WATCHED if process.poll() is None else 0.0)
            return {m: (noticed[m], first_change(watch, since, m, alive=True)) for m in MECHANISMS}
        finally:
            process.kill()


def run() -> list[dict[str, object]]:
    """One row per fault and mechanism: how often it was noticed, and median and worst time [s]."""
    rounds = int(os.environ.get("ROUNDS", "5"))
    rows: list[dict[str, object]] = []
    for fault in FAULTS:
        results = [round_of(fault) for _ in range(rounds)]
        rows += [_row(fault.name, mechanism, [r[mechanism] for r in results]) for mechanism in MECHANISMS]
    return rows


def _row(fault: str, mechanism: str, rounds: list[tuple[float | None, float | None]]) -> dict[str, object]:
    noticed = sorted(seconds for seconds, _ in rounds if seconds is not None)
    back = [seconds for _, seconds in rounds if seconds is not None]
    return {
        "fault": fault,
        "mechanism": mechanism,
        "noticed": f"{len(noticed)}/{len(rounds)}",
        "median_s": round(noticed[len(noticed) // 2], 2) if noticed else "-",
        "worst_s": round(noticed[-1], 2) if noticed else "-",
        "back_worst_s": round(max(back), 2) if back else "-",
    }


if __name__ == "__main__" and sys.argv[1:] == ["peer"]:
    peer()

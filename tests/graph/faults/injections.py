"""The faults, and how each ends."""

import signal
from collections.abc import Callable
from dataclasses import dataclass

from graph.faults.deployment import SLUG, FaultTestDeployment
from graph.faults.shm_port_loss import go_on_without_ports

Act = Callable[[FaultTestDeployment], None]
SCARCE = 150.0
"""Memory for one detector at a time [MB]: the locator is woken for every look."""


def _nothing(rig: FaultTestDeployment) -> None:
    """It ends by itself."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``lasts`` [s] until it is healed; 0 = when the mission has ended."""

    name: str
    inject: Act
    heal: Act = _nothing
    lasts: float = 0.0
    budget_mb: float = 0.0


def _send(key: str, number: signal.Signals) -> Act:
    return lambda rig: rig.signal(key, number)


def _go_on_without_ports(rig: FaultTestDeployment) -> None:
    process = rig.node(SLUG)
    if process is not None:
        go_on_without_ports(process)


def _killed(name: str, key: str) -> Fault:
    return Fault(name, _send(key, signal.SIGKILL))


def _switched(name: str, lasts: float = 0.0, budget_mb: float = 0.0) -> Fault:
    return Fault(
        name, lambda rig: rig.switches.on(name), lambda rig: rig.switches.off(name), lasts, budget_mb
    )


FAULTS = {
    fault.name: fault
    for fault in (
        _killed("kill_node", SLUG),
        Fault("kill_worker", lambda rig: rig.kill_workers(SLUG)),
        Fault("stop_node", _send(SLUG, signal.SIGSTOP), _send(SLUG, signal.SIGCONT)),
        Fault("lose_link", _send(SLUG, signal.SIGSTOP), _go_on_without_ports),
        _switched("hang"),
        _switched("out_of_memory", budget_mb=SCARCE),
        _switched("refuse_activate", budget_mb=SCARCE),
        _switched("slow_activate", budget_mb=SCARCE),
        _switched("frozen_camera"),
        _switched("camera_gone"),
        _switched("tf_gap", lasts=10.0),
        Fault("clock_jump", lambda rig: rig.switches.on("clock_jump")),
        _killed("kill_world_state", "world_state"),
        _killed("kill_skill_server", "sim"),
        _killed("kill_reasoner", "reasoner"),
    )
}

"""The faults, and how each ends."""

import signal
from collections.abc import Callable
from dataclasses import dataclass

from graph.fault_injection.faulty_reasoner import lose_power
from graph.faults import disks
from graph.faults.deployment import SLUG, USUAL, FaultTestDeployment, Setup
from graph.faults.model_endpoint import DRIP
from graph.faults.shm_port_loss import go_on_without_ports

from openral_reasoner_ros.journal import JOURNAL_FILE

Act = Callable[[FaultTestDeployment], None]
SCARCE = Setup(budget_mb=150.0)
"""Memory for one detector at a time: the locator is woken for every look."""

UNDRAWN = Setup(undrawn=True)
"""The mapper localises the robot, and makes the floor on which it plans and the home that memory knows."""


def _nothing(rig: FaultTestDeployment) -> None:
    """It ends by itself."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``lasts`` [s] until it is healed; 0 = when the mission has ended.

    A mission ``survives`` if the same one must go on; ``setup`` is the graph it needs.
    """

    name: str
    inject: Act
    heal: Act = _nothing
    lasts: float = 0.0
    setup: Setup = USUAL
    survives: bool = False


def _send(key: str, number: signal.Signals) -> Act:
    return lambda rig: rig.signal(key, number)


def _go_on_without_ports(rig: FaultTestDeployment) -> None:
    process = rig.node(SLUG)
    if process is not None:
        go_on_without_ports(process)


def _killed(name: str, key: str, setup: Setup = USUAL) -> Fault:
    return Fault(name, _send(key, signal.SIGKILL), setup=setup)


def _switched(name: str, lasts: float = 0.0, setup: Setup = USUAL) -> Fault:
    return Fault(name, lambda rig: rig.switches.on(name), lambda rig: rig.switches.off(name), lasts, setup)


def _cut_power(rig: FaultTestDeployment) -> None:
    """Kill everything at once; what the journal had not synced is lost."""
    rig.kill_all()
    lose_power(rig.switches, rig.recording / JOURNAL_FILE)


def _power_cut(name: str, answer: str) -> Fault:
    return Fault(name, _cut_power, setup=Setup(patience=30.0, answer=answer), survives=True)


DISK_FAULTS = (
    Fault(
        "disk_full",
        lambda rig: disks.fill(rig.folder),
        lambda rig: disks.empty(rig.folder),
        setup=Setup(disk="tmpfs"),
    ),
    Fault("disk_stalled", lambda rig: disks.stall(rig.folder), setup=Setup(disk="ext4")),
    Fault("disk_read_only", lambda rig: disks.make_read_only(rig.folder), setup=Setup(disk="ext4")),
)


FAULTS = {
    fault.name: fault
    for fault in (
        _killed("kill_node", SLUG),
        Fault("kill_worker", lambda rig: rig.kill_workers(SLUG)),
        Fault("stop_node", _send(SLUG, signal.SIGSTOP), _send(SLUG, signal.SIGCONT)),
        Fault("lose_link", _send(SLUG, signal.SIGSTOP), _go_on_without_ports),
        _switched("hang"),
        _switched("out_of_memory", setup=SCARCE),
        _switched("refuse_activate", setup=SCARCE),
        _switched("slow_activate", setup=SCARCE),
        _switched("frozen_camera"),
        _switched("camera_gone"),
        _switched("tf_gap", lasts=10.0),
        Fault("clock_jump", lambda rig: rig.switches.on("clock_jump")),
        _killed("kill_world_state", "world_state"),
        _killed("kill_skill_server", "sim"),
        _killed("kill_mapper", "mapper", UNDRAWN),
        Fault("kill_reasoner", _send("reasoner", signal.SIGKILL), survives=True),
        _power_cut("power_cut", "continue"),
        _power_cut("power_cut_declined", "no"),
        *DISK_FAULTS,
        _switched("nan_tf"),
        Fault("clock_anew", lambda rig: rig.switches.on("clock_anew")),
        _switched("bomb_picture"),
        _switched("half_answer", setup=Setup(parameters={SLUG: {"cool_down": 15.0}})),
        _switched(DRIP, setup=Setup(endpoint=True)),
    )
}

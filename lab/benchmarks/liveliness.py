"""Time until a killed or stopped peer leaves the palette, and until it is active in it again.

Each of PEERS="locator,memory", else all, is killed outright ROUNDS=n times, else 3, and stopped as often; a
killed one is started again.
"""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from graph.deployments import Deployment
from graph.listeners import PaletteListener

LONG = True
ACTIVE = 3  # lifecycle_msgs/State.PRIMARY_STATE_ACTIVE
Palette = dict[str, Any]


def _listed(kind: str, detector: str) -> Callable[[Palette], bool]:
    """Test if a detector is offered and active."""
    return lambda palette: any(d["id"] == detector and d["state"] == ACTIVE for d in palette.get(kind, []))


@dataclass(frozen=True)
class Peer:
    """Its node, the parameter file that its process was started with, and what of it the palette shows."""

    node: str
    file: str
    offered: Callable[[Palette], bool]


LOCATOR = "sim-groundtruth-locator"
PEERS: Mapping[str, Peer] = {
    "locator": Peer(
        "/openral/perception/sim_groundtruth_locator/detector",
        "sim_groundtruth_locator.yaml",
        lambda palette: _listed("locators", LOCATOR)(palette) and LOCATOR in palette["peers"],
    ),
    "continuous detector": Peer(
        "/openral/perception/sim_groundtruth/detector",
        "sim_groundtruth.yaml",
        _listed("continuous_detectors", "sim-groundtruth"),
    ),
    "memory": Peer("/world_state", "world_state.yaml", lambda p: bool(p.get("spatial_memory_available"))),
    "skill server": Peer("/sim", "sim.yaml", lambda palette: bool(palette.get("skills"))),
}


@dataclass(frozen=True, slots=True)
class Times:
    """One round [s]: until out of the palette; then from its new process, or SIGCONT, to active and in it."""

    out: float
    back: float
    respawned: float = 0.0
    active: float = 0.0


def run() -> list[dict[str, object]]:
    """One row per peer and way to fall silent, worst of its rounds [s]."""
    selection = os.environ.get("PEERS", ",".join(PEERS)).split(",")
    domain = int(os.environ.get("ROS_DOMAIN_ID", "0"))
    rounds = int(os.environ.get("ROUNDS", "3"))
    with tempfile.TemporaryDirectory() as folder:
        deployment, probe = Deployment(Path(folder)), PaletteListener(domain)
        with deployment, probe:
            probe.seconds_until(lambda: all(p.offered(probe.palette) for p in PEERS.values()), 120.0)
            return [
                _row(name, fault.__name__.strip("_"), [fault(deployment, probe, peer) for _ in range(rounds)])
                for name, peer in PEERS.items()
                if name in selection
                for fault in (_stopped, _killed)
            ]


def _row(name: str, fault: str, rounds: list[Times]) -> dict[str, object]:
    worst = {f"{name}_s": round(max(getattr(t, name) for t in rounds), 2) for name in Times.__slots__}
    return {"peer": name, "fault": fault, "rounds": len(rounds), **worst}


def _stopped(deployment: Deployment, probe: PaletteListener, peer: Peer) -> Times:
    """Out after SIGSTOP, back after SIGCONT."""
    process = _process(deployment, peer)
    process.send_signal(signal.SIGSTOP)
    out = probe.seconds_until(lambda: not peer.offered(probe.palette), 60.0)
    process.send_signal(signal.SIGCONT)
    return Times(out, probe.seconds_until(lambda: peer.offered(probe.palette), 60.0))


def _killed(deployment: Deployment, probe: PaletteListener, peer: Peer) -> Times:
    """Out after SIGKILL, back after the node was started again."""
    process = _process(deployment, peer)
    process.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    out = probe.seconds_until(lambda: not peer.offered(probe.palette), 60.0)
    probe.forget(peer.node)
    probe.seconds_until(lambda: any(pid != process.pid for pid in _pids(deployment, peer)), 60.0)
    created = psutil.Process(_pids(deployment, peer)[-1]).create_time() - (time.time() - time.monotonic())
    probe.seconds_until(lambda: probe.is_active(peer.node), 120.0)
    active = time.monotonic() - created
    probe.seconds_until(lambda: peer.offered(probe.palette), 60.0)
    return Times(out, time.monotonic() - created, created - killed, active)


def _process(deployment: Deployment, peer: Peer) -> psutil.Process:
    """The node's process, without the guard that started it."""
    return psutil.Process(_pids(deployment, peer)[-1])


def _pids(deployment: Deployment, peer: Peer) -> list[int]:
    return [pid for pid in deployment.pids(f"params/{peer.file}") if _is_node(pid)]


def _is_node(pid: int) -> bool:
    try:
        words = " ".join(psutil.Process(pid).cmdline())
    except psutil.NoSuchProcess:
        return False
    return "ros-args" in words and "setpriv" not in words

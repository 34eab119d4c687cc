"""A graph with breakable nodes, brought up, asked and taken down as `deploy_sim` does it."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import psutil
from graph.fault_injection.goal_log import ExecutedGoal, executed
from graph.fault_injection.switches import Switches
from graph.faults.disks import small_disk
from graph.faults.model_endpoint import finding_model
from graph.faults.operator import Operator
from graph.faults.overlays import overlaid

from openral_bringup.deploy.mission_runner import MissionRunner, RunTimeouts
from openral_bringup.deploy.monitor_node import MissionSnapshot, MonitorNode, watch_processes
from openral_bringup.deploy.process_supervisor import RESPAWN, ProcessSupervisor, Respawn, child_environment
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.options import NO_MAP, SHIPPED, DeploymentOptions, DetectorSet, Drift
from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_reasoner_ros.brains import Brain

SLUG = "sim_groundtruth_locator"
Parameters = Mapping[str, Mapping[str, object]]
OVERRIDES: Parameters = {
    "reasoner": {"seconds": 60.0, "keep_warm": 1.0, "min_residency": 0.0, "model_deadline": 6.0},
    SLUG: {"inference_deadline": 10.0, "load_deadline": 20.0},
}
TIMEOUTS = RunTimeouts(start_up=90.0, mission=120.0)
"""No mission may take longer than its budget of 60 s and what its last step takes."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Graph that a fault needs.

    Attributes:
        budget_mb: Memory of the detectors [MB]; 0 is unlimited.
        patience: Longest wait for an answer of the operator [s]; 0 asks nothing.
        answer: The operator's answer to every question; "" leaves it open.
        disk: File system of a small disk on which recording, journal, memory and logs are; "" = none of
            their own.
        endpoint: The decision model is behind an endpoint.
        parameters: Parameters besides `OVERRIDES`, by node.
        seed: Of the simulation.
        respawn: Restart policy of the nodes.
        real_time_factor: Speed limit of the simulation; 0 = unlimited, which takes all processors.
        undrawn: The robot finds its home by itself, with an odometry that drifts; the map is kept.
    """

    budget_mb: float = 0.0
    patience: float = 0.0
    answer: str = ""
    disk: str = ""
    endpoint: bool = False
    parameters: Parameters = field(default_factory=dict)
    seed: int = 0
    respawn: Respawn = RESPAWN
    real_time_factor: float = 0.0
    undrawn: bool = False


USUAL = Setup()


def is_alive(process: psutil.Process) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class FaultTestDeployment:
    """Use as an asynchronous context manager; ``seen`` holds every process the graph ever had."""

    def __init__(self, folder: Path, setup: Setup = USUAL, timeouts: RunTimeouts = TIMEOUTS) -> None:
        self.switches = Switches(folder / "switches")
        self.folder, self.setup, self._stack = folder / "run", setup, ExitStack()
        self.folder.mkdir(parents=True, exist_ok=True)
        if setup.disk:
            self._stack.enter_context(small_disk(self.folder, setup.disk))
        address = self._stack.enter_context(finding_model(self.switches)) if setup.endpoint else ""
        options = self._options(address)
        graph, environment = build_graph(options, rskill_folders()), child_environment(None, self.logs)
        os.environ["ROS_LOG_DIR"] = environment["ROS_LOG_DIR"]
        self._stack.enter_context(overlaid(folder))
        self.supervisor = ProcessSupervisor(graph, self.folder, {**environment, **os.environ}, setup.respawn)
        cameras = [camera.id for camera in options.chosen_cameras]
        self._monitor = MonitorNode("", cameras, graph.listening, None)
        self.operator = Operator(answer=setup.answer)
        alarms = self.supervisor.logs.alarms
        self.runner = MissionRunner(
            self._monitor, self.folder, timeouts, lambda: list(alarms), self.supervisor.restarts
        )
        self.seen: dict[int, psutil.Process] = {}

    async def __aenter__(self) -> Self:
        self.supervisor.start()
        self._watch = asyncio.create_task(watch_processes(self._monitor, self.supervisor))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.look()
        self._watch.cancel()
        self.operator.close()
        self._monitor.close()
        await self.supervisor.stop()
        self._stack.close()

    def _options(self, address: str) -> DeploymentOptions:
        setup = self.setup
        usual = {key: given for key, given in OVERRIDES.items() if key != SLUG or not setup.undrawn}
        keys = (*usual, *setup.parameters)
        chosen = DeploymentOptions(
            scene=scene_path("home"),
            detectors=DetectorSet.EMBEDDED if setup.undrawn else DetectorSet.GROUNDTRUTH,
            gpu_budget_mb=setup.budget_mb,
            handoff_timeout=setup.patience,
            overrides={key: {**usual.get(key, {}), **setup.parameters.get(key, {})} for key in keys},
            seed=setup.seed,
            real_time_factor=setup.real_time_factor,
            record=str(self.recording),
            spatial_memory_path=str(self.folder / "memory.db") if setup.disk or setup.undrawn else "",
            map=NO_MAP if setup.undrawn else SHIPPED,
            drift=Drift.MILD if setup.undrawn else Drift.OFF,
        )
        model = {"brain": Brain.OPENAI, "model": "m-x", "base_url": address}
        return chosen.model_copy(update=model) if address else chosen

    @property
    def recording(self) -> Path:
        """Folder of recording and journal."""
        return self.folder / "recording"

    @property
    def logs(self) -> Path:
        """Folder of the nodes' logs."""
        return self.folder / "logs"

    @property
    def mission(self) -> MissionSnapshot:
        """As the operator reads it now."""
        return self._monitor.snapshot.mission

    @property
    def executed(self) -> list[ExecutedGoal]:
        """Goals that the skill server has executed, by its own record."""
        return executed(self.switches.folder)

    def look(self) -> None:
        """Take note of every process of the graph."""
        for process in map(self.node, (item.spec.key for item in self.supervisor.processes)):
            if process is not None:
                with suppress(psutil.NoSuchProcess):
                    self.seen |= {item.pid: item for item in (process, *process.children(recursive=True))}

    def node(self, key: str) -> psutil.Process | None:
        """The process of a node; None while it is down."""
        pids = {process.spec.key: process.pid for process in self.supervisor.processes}
        with suppress(psutil.NoSuchProcess):
            return psutil.Process(pids[key]) if pids[key] is not None else None
        return None

    def signal(self, key: str, number: signal.Signals) -> None:
        """Send a signal to a node that runs."""
        process = self.node(key)
        if process is not None:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)

    def kill_all(self) -> None:
        """Kill every node at once, and wait until none is left."""
        self.look()
        nodes = [self.node(process.spec.key) for process in self.supervisor.processes]
        for node in filter(None, nodes):
            node.kill()
        deadline = time.monotonic() + 5.0
        while any(map(is_alive, filter(None, nodes))) and time.monotonic() < deadline:
            time.sleep(0.01)

    def kill_workers(self, key: str) -> None:
        """Kill what a node has started."""
        process = self.node(key)
        for child in process.children(recursive=True) if process is not None else ():
            child.kill()

    async def until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait for a condition, bounded; whether it came."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                return False
            self.look()
            await asyncio.sleep(0.02)
        return True

"""A graph with breakable nodes, brought up, asked and taken down as `deploy_sim` does it."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import psutil
from graph.fault_injection.switches import Switches
from graph.faults.overlays import overlaid

from openral_bringup.deploy.mission_runner import MissionRunner, RunTimeouts
from openral_bringup.deploy.monitor_node import MissionSnapshot, MonitorNode
from openral_bringup.deploy.process_supervisor import ProcessSupervisor, child_environment
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.resources import rskill_folders, scene_path

SLUG = "sim_groundtruth_locator"
OVERRIDES: dict[str, dict[str, object]] = {
    "reasoner": {"seconds": 60.0, "keep_warm": 1.0, "min_residency": 0.0},
    SLUG: {"inference_deadline": 10.0, "load_deadline": 20.0},
}
TIMEOUTS = RunTimeouts(start_up=90.0, mission=120.0)
"""No mission may take longer than its budget of 60 s and what its last step takes."""


class FaultTestDeployment:
    """Use as an asynchronous context manager; ``seen`` holds every process the graph ever had."""

    def __init__(self, folder: Path, budget_mb: float = 0.0, seed: int = 0) -> None:
        self.folder = folder
        self.switches = Switches(folder / "switches")
        choices = DeploymentOptions(
            scene=scene_path("home"),
            gpu_budget_mb=budget_mb,
            overrides=OVERRIDES,
            seed=seed,
            real_time_factor=0.0,
            record=str(folder / "recording"),
        )
        graph, environment = build_graph(choices, rskill_folders()), child_environment(None, folder / "logs")
        os.environ["ROS_LOG_DIR"] = environment["ROS_LOG_DIR"]
        self._stack = ExitStack()
        self._stack.enter_context(overlaid(folder))
        self.supervisor = ProcessSupervisor(graph, folder, {**environment, **os.environ})
        self._monitor = MonitorNode("", choices.camera_bases, graph.listening, None)
        alarms = self.supervisor.logs.alarms
        self.runner = MissionRunner(
            self._monitor, folder, TIMEOUTS, lambda: list(alarms), self.supervisor.restarts
        )
        self.seen: dict[int, psutil.Process] = {}

    async def __aenter__(self) -> Self:
        self.supervisor.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.look()
        self._monitor.close()
        await self.supervisor.stop()
        self._stack.close()

    @property
    def mission(self) -> MissionSnapshot:
        """As the operator reads it now."""
        return self._monitor.snapshot.mission

    def look(self) -> None:
        """Take note of every process of the graph."""
        for process in map(self.node, (item.spec.key for item in self.supervisor.processes)):
            if process is not None:
                self.seen |= {item.pid: item for item in (process, *process.children(recursive=True))}

    def node(self, key: str) -> psutil.Process | None:
        """The process of a node; None while it is down."""
        pids = {process.spec.key: process.pid for process in self.supervisor.processes}
        return psutil.Process(pids[key]) if pids[key] is not None else None

    def signal(self, key: str, number: signal.Signals) -> None:
        """Send a signal to a node that runs."""
        process = self.node(key)
        if process is not None:
            process.send_signal(number)

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

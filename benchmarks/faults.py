"""Faults on the launched graph: how each mission ends, when, what the operator reads, what is left behind.

CELLS="kill_node:locate stop_node:skill" in the environment chooses some; without it every cell is run.
"""

import json
import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from benchmarks.stories import segments
from tests.graph.deployments import Deployment, alive, until

LONG = True
GOAL = "bring me the baguette"
LOCATOR = "sim_groundtruth_locator.yaml"
BUDGET = ("--set", "reasoner.seconds=120")
LONGEST = 200.0
"""No mission may take longer than its budget and its start together [s]."""
PHASES = {"start": "/reasoner is active", "locate": "recall_object", "skill": "execute_rskill"}


def _node(deployment: Deployment, name: str) -> psutil.Process:
    """The process of a node, without the guard that started it."""
    found = [
        p for p in deployment.pids(f"params/{name}") if "ros-args" in _words(p) and "setpriv" not in _words(p)
    ]
    return psutil.Process(found[0])


def _words(pid: int) -> str:
    return " ".join(psutil.Process(pid).cmdline())


def _kill(name: str) -> Callable[[Deployment], None]:
    return lambda deployment: _node(deployment, name).send_signal(signal.SIGKILL)


def _kill_worker(deployment: Deployment) -> None:
    deployment.kill("workers.main", LOCATOR)


def _stop(deployment: Deployment) -> None:
    _node(deployment, LOCATOR).send_signal(signal.SIGSTOP)


FAULTS: dict[str, Callable[[Deployment], None]] = {
    "kill_node": _kill(LOCATOR),
    "kill_worker": _kill_worker,
    "stop_node": _stop,
    "kill_stream": _kill("sim_groundtruth.yaml"),
    "kill_world_state": _kill("world_state.yaml"),
    "kill_sim_and_skills": _kill("sim.yaml"),
    "kill_reasoner": _kill("reasoner.yaml"),
}


def run() -> list[dict[str, object]]:
    """One row per cell."""
    every = [f"{fault}:{phase}" for fault in FAULTS for phase in PHASES]
    rows = []
    for name in os.environ.get("CELLS", " ".join(every)).split():
        rows.append(cell(*name.split(":")))
        print(json.dumps(rows[-1]), flush=True)
    return rows


def cell(fault: str, phase: str) -> dict[str, object]:
    """One deployment with one fault."""
    before = segments()
    with (
        tempfile.TemporaryDirectory() as folder,
        Deployment(Path(folder), "--goal", GOAL, *BUDGET) as deployment,
    ):
        deployment.wait_until_told(PHASES[phase], 120.0)
        FAULTS[fault](deployment)
        begun = time.monotonic()
        until(lambda: deployment.process.poll() is not None, LONGEST, lambda: f"{fault}:{phase} hangs")
        passed = time.monotonic() - begun
        left = alive(deployment.family())
        outcome = _outcome(Path(folder))
        log = (Path(folder) / "logs" / "all.log").read_text(errors="replace")
    return {
        "fault": fault,
        "phase": phase,
        "end": outcome["state"],
        "exit_code": deployment.process.returncode,
        "after_s": round(passed, 1),
        "operator_reads": outcome["reason"],
        "respawned": log.count("starting again"),
        "left_processes": len(left),
        "left_segments": len(segments() - before),
    }


def _outcome(folder: Path) -> dict[str, str]:
    file = folder / "outcomes.jsonl"
    if not file.exists():
        return {"state": "none", "reason": ""}
    told = json.loads(file.read_text().splitlines()[-1])
    return {"state": str(told["mission"]["state"]), "reason": told["problem"] or told["mission"]["reason"]}

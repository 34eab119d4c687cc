"""Missions through the interfaces of Nav2, MoveIt and ros2_control, beside the simulation's own skill server.

Each mission runs once per seed by `openral_skills_ros` against the foreign robot, and once by the
simulation's own skill server. A hand-over also counts only if the simulated person has the object. SEEDS=n,
else 20, from FIRST=n, else 0; MISSIONS=baguette,mug,... and SERVERS=foreign,own select; SPEED is the
real-time factor of both servers, else 2.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from openral_bringup.graph.middleware import LARGE_IMAGES, rmw_environment

LONG = True
ROOT = Path(__file__).parents[2]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"
ROBOT = ROOT / "robots" / "foreign_sim.yaml"
MISSIONS = {
    "mug": ("find the mug", ""),
    "baguette": ("bring me the baguette", "requester has baguette"),
    "red_mug": ("bring me the red mug", "requester has red_mug"),
    "counter": ("go to the kitchen counter", ""),
}
"""Goal of each mission, and what the simulation's truth has to say of it afterwards, "" for nothing."""
BOUND = 600.0
"""Longest duration of one deployment [s]."""
STOP_TIMEOUT = 15.0
"""Longest wait for its end [s]."""


def run() -> list[dict[str, object]]:
    """One row per mission, seed and server, and one that sums each pair up."""
    names = os.environ.get("MISSIONS", ",".join(MISSIONS)).split(",")
    servers = {"foreign": foreign, "own": own}
    chosen = os.environ.get("SERVERS", ",".join(servers)).split(",")
    first = int(os.environ.get("FIRST", "0"))
    rows: list[dict[str, object]] = []
    for name in names:
        for seed in range(first, first + int(os.environ.get("SEEDS", "20"))):
            for server in chosen:
                rows.append(servers[server](name, seed))
                print(rows[-1], flush=True)
    return [*rows, *(summary(name, server, rows) for name in names for server in chosen)]


def foreign(name: str, seed: int) -> dict[str, object]:
    """Run a mission through the foreign interfaces."""
    goal, truth = MISSIONS[name]
    arguments = ["--robot", str(ROBOT), "--detectors", "embedded", "--goal", goal]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "foreign.log"
        with foreign_robot(seed, log):
            row = deployed("robot_main", arguments, Path(folder))
        given = log.read_text()
    row["reached"] = row["exit_code"] == 0 and truth in given
    return {"mission": name, "server": "foreign", "seed": seed, **row}


def own(name: str, seed: int) -> dict[str, object]:
    """Run a mission by the simulation's own skill server."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--seed", str(seed), "--real-time-factor", speed(), "--goal", MISSIONS[name][0]]
        row = deployed("main", arguments, Path(folder))
    row["reached"] = row["exit_code"] == 0
    return {"mission": name, "server": "own", "seed": seed, **row}


def speed() -> str:
    """Return the real-time factor."""
    return os.environ.get("SPEED", "2")


@contextmanager
def foreign_robot(seed: int, log: Path) -> Iterator[None]:
    """Run the foreign robot from when it serves goals."""
    parameters = {"scene": SCENE, "seed": seed, "real_time_factor": float(speed())}
    settings = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    command = [sys.executable, "-P", "-m", "openral_sim.ros.foreign.node", "--ros-args", *settings]
    with log.open("wb") as output:
        environment = {**os.environ, **rmw_environment(os.environ, LARGE_IMAGES)}
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def deployed(entry: str, arguments: Sequence[str], folder: Path) -> dict[str, object]:
    """Run a deployment by an entry point of `openral_bringup.deploy.main` to its end."""
    program = f"import sys; from openral_bringup.deploy.main import {entry}; sys.exit({entry}())"
    common = ["--record", str(folder / "run"), "--no-mcap", "--console", "off"]
    command = [sys.executable, "-P", "-c", program, *arguments, *common]
    environment = {**os.environ, "ROS_HOME": str(folder)}  # where an emergency stop is kept
    begun = time.monotonic()
    try:
        code = subprocess.run(
            command,
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=BOUND,
        ).returncode
    except subprocess.TimeoutExpired:
        return {"exit_code": "timed out", "wall_s": BOUND, "skills": 0, "reason": ""}
    row: dict[str, object] = {"exit_code": code, "wall_s": round(time.monotonic() - begun, 1)}
    outcomes = folder / "run" / "outcomes.jsonl"
    if not outcomes.is_file():
        return {**row, "skills": 0, "reason": "no outcome"}
    outcome = json.loads(outcomes.read_text().splitlines()[-1])
    mission = outcome["mission"] or {"calls": [], "reason": ""}
    skills = [call for call in mission["calls"] if call["tool"] == "execute_rskill"]
    return {
        **row,
        "wall_s": round(outcome["duration"], 1),
        "skills": len(skills),
        "failed_skills": sum(call["status"] != "SUCCEEDED" for call in skills),
        "reason": outcome["problem"] or mission["reason"],
    }


def summary(name: str, server: str, rows: Sequence[dict[str, object]]) -> dict[str, object]:
    """Sum up one mission by one server."""
    own = [row for row in rows if (row["mission"], row["server"]) == (name, server)]
    reached = [row for row in own if row["reached"]]
    mean = sum(float(str(row["wall_s"])) for row in reached) / max(len(reached), 1)
    return {
        "mission": name,
        "server": server,
        "seed": "all",
        "exit_code": f"{len(reached)} of {len(own)} reached",
        "wall_s": round(mean, 1),
    }

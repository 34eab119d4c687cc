"""The baguette story over seeds: how many deliver, and in what time. SEEDS=n in the environment, else 20."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

LONG = True
ROOT = Path(__file__).parents[1]
GOAL = "bring me the baguette"


def run() -> list[dict[str, object]]:
    """One row per seed, and one that sums up."""
    rows = [story(seed) for seed in range(int(os.environ.get("SEEDS", "20")))]
    delivered = [row for row in rows if row["exit_code"] == 0]
    total = {
        "seed": "all",
        "exit_code": f"{len(delivered)}/{len(rows)} delivered",
        "wall_s": sum(float(str(row["wall_s"])) for row in rows) / len(rows),
        "left_processes": sum(int(str(row["left_processes"])) for row in rows),
        "left_segments": sum(int(str(row["left_segments"])) for row in rows),
    }
    return [*rows, total]


def story(seed: int) -> dict[str, object]:
    """One deployment from start to end, and what it left behind."""
    before = segments()
    with tempfile.TemporaryDirectory() as folder:
        command = ["deploy_sim.py", "--record", folder, "--seed", str(seed), "--goal", GOAL]
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        left = [p for p in psutil.process_iter(["cmdline"]) if folder in " ".join(p.info["cmdline"] or [])]
        outcome = json.loads((Path(folder) / "outcomes.jsonl").read_text())
    mission = outcome["mission"]
    return {
        "seed": seed,
        "exit_code": done.returncode,
        "wall_s": round(outcome["duration"], 1),
        "sim_s": round(outcome["sim_duration"], 1),
        "start_up_s": round(outcome["start_up"], 1),
        "calls": len(mission["calls"]),
        "reason": outcome["problem"] or mission["reason"],
        "left_processes": len(left),
        "left_segments": len(segments() - before),
    }


def segments() -> set[str]:
    """Shared-memory segments on this machine."""
    folder = Path("/dev/shm")
    return {file.name for file in folder.iterdir() if "fastrtps" in file.name} if folder.exists() else set()

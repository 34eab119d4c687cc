"""Stories over seeds on the launched graph: how many end as they should, and in what time.

SEEDS=n in the environment, else 20; FIRST=n is the first seed, else 0; STORIES=names of `STORIES`, separated
by commas, else all.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
from graph.faults.resource_usage import segments

LONG = True
ROOT = Path(__file__).parents[2]
STORIES = {
    "baguette": ("bring me the baguette", "SUCCEEDED"),
    "mug": ("find the mug", "SUCCEEDED"),
    "unicorn": ("bring me the unicorn", "HANDED_OVER"),
}
"""Goals and the states in which they should end."""


def run() -> list[dict[str, object]]:
    """One row per story and seed, and one per story that sums up."""
    first = int(os.environ.get("FIRST", "0"))
    seeds = range(first, first + int(os.environ.get("SEEDS", "20")))
    chosen = os.environ.get("STORIES", ",".join(STORIES)).split(",")
    return [row for name in chosen for row in told(name, seeds)]


def told(name: str, seeds: range) -> list[dict[str, object]]:
    """One story from every seed, and a row that sums up."""
    rows = [story(name, seed) for seed in seeds]
    expected = STORIES[name][1]
    total = {
        "story": name,
        "seed": "all",
        "state": f"{sum(row['state'] == expected for row in rows)}/{len(rows)} {expected}",
        "wall_s": sum(float(str(row["wall_s"])) for row in rows) / len(rows),
        "left_processes": sum(int(str(row["left_processes"])) for row in rows),
        "left_segments": sum(int(str(row["left_segments"])) for row in rows),
    }
    return [*rows, total]


def story(name: str, seed: int) -> dict[str, object]:
    """One deployment from start to end, and what it left behind."""
    before = segments()
    with tempfile.TemporaryDirectory() as folder:
        command = ["deploy_sim.py", "--record", folder, "--seed", str(seed), "--goal", STORIES[name][0]]
        result = subprocess.run(
            [sys.executable, *command], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        rest = [p for p in psutil.process_iter(["cmdline"]) if folder in " ".join(p.info["cmdline"] or [])]
        outcome = json.loads((Path(folder) / "outcomes.jsonl").read_text())
    mission = outcome["mission"]
    return {
        "story": name,
        "seed": seed,
        "state": outcome["state"],
        "exit_code": result.returncode,
        "wall_s": round(outcome["duration"], 1),
        "sim_s": round(outcome["sim_duration"], 1),
        "start_up_s": round(outcome["start_up"], 1),
        "calls": len(mission["calls"]),
        "reason": outcome["problem"] or mission["reason"],
        "left_processes": len(rest),
        "left_segments": segments() - before,
    }

"""Odd cases through every entrance of every node and suite; a run that was cut off goes on.

CASES=200000 are wanted; JOBS=2 rounds run at a time. Each round is a process of its own per node or suite.
`results/fuzz_progress.json` keeps the rounds that are done; `python -m benchmarks.fuzz` prints how far they
are, per entrance.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

LONG = True
CASES, PER_ENTRANCE = 200_000, 200  # In all, and of one entrance in a round [count].
ROUND = 3600.0
"""Longest round of one node [s]."""
MOST_DEAD = 5
"""Ended processes of one round after which the round is given up."""
HERE = Path(__file__).parent
PROGRESS = HERE / "results" / "fuzz_progress.json"
NAMES = (
    "files", "tools", "endpoints", "mcp", "console",
    "world_state", "detector", "detector (compressed)", "reasoner", "bringup", "sim",
    "recorder", "skill_server", "console (node)", "mcp (node)",
)  # fmt: skip
Progress = dict[str, list[dict[str, Any]]]


def run() -> list[dict[str, object]]:
    """Cases, findings and entrances of each node and suite."""
    target, progress = int(os.environ.get("CASES", str(CASES))), _read()
    number = 0
    PROGRESS.parent.mkdir(exist_ok=True)
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as jobs:
        while _cases(progress) < target:
            missing = [name for name in NAMES if f"{name}|{number}" not in progress]
            rounds = {jobs.submit(_round, name, number): name for name in missing}
            for job in as_completed(rounds):
                progress[f"{rounds[job]}|{number}"] = job.result()
                PROGRESS.write_text(json.dumps(progress))
            number += 1
    return [_row(name, progress) for name in NAMES]


def _round(name: str, number: int) -> list[dict[str, Any]]:
    """One round; an entrance that ends the process is a finding, and the others go on without it."""
    skipped: list[str] = []
    ended: list[dict[str, Any]] = []
    for _ in range(MOST_DEAD + 1):
        code, output, why = _worker(name, number, skipped)
        lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        ended += [line for line in lines if "entrance" in line]
        if code == 0:
            break
        culprit = next((line["begins"] for line in reversed(lines) if "begins" in line), f"{name}: start")
        finding = f"{culprit}: the process ended ({code}): {why}"
        ended.append({"entrance": culprit, "cases": 0, "findings": [finding]})
        skipped += [line["entrance"] for line in lines if "entrance" in line] + [culprit]
    return ended


def _worker(name: str, number: int, skipped: list[str]) -> tuple[int, str, str]:
    """Run one round in a process; return its exit code, its lines, and the end of its errors."""
    command = [sys.executable, "-P", "-m", "fuzzing.worker", name, str(PER_ENTRANCE), str(number), *skipped]
    path = f"{HERE.parents[1] / 'tests'}:{os.environ.get('PYTHONPATH', '')}"
    environment = {**os.environ, "PYTHONPATH": path}
    try:
        ended = subprocess.run(
            command, check=False, capture_output=True, text=True, env=environment, timeout=ROUND
        )
    except subprocess.TimeoutExpired as error:
        return -1, (error.stdout or b"").decode(), "no end in time"
    return ended.returncode, ended.stdout, ended.stderr[-2000:]


def _row(name: str, progress: Progress) -> dict[str, object]:
    cases, grown, findings = _totals(name, progress)
    for finding in sorted(set(findings)):
        print(f"{name}: {finding[:600]}")
    dead = sum("the process ended" in each for each in findings)
    return {
        "node": name,
        "entrances": len(cases),
        "not reached": sum(not count for count in cases.values()),
        "cases": sum(cases.values()),
        "findings": len(findings),
        "dead or hung": dead,
        "most memory kept by a round [MB]": max(grown.values(), default=0.0),
    }


def _totals(name: str, progress: Progress) -> tuple[Counter[str], dict[str, float], list[str]]:
    """Sum the rounds of a node or suite: cases and memory per entrance, and findings."""
    cases: Counter[str] = Counter()
    grown: dict[str, float] = {}
    findings: list[str] = []
    lines = [line for key, part in progress.items() if key.partition("|")[0] == name for line in part]
    for line in lines:
        findings += line["findings"]
        if not line["entrance"].endswith(")") or line["cases"]:
            cases[line["entrance"]] += line["cases"]
            grown[line["entrance"]] = max(grown.get(line["entrance"], 0.0), line.get("grown", 0.0))
    return cases, grown, findings


def _cases(progress: Progress) -> int:
    return sum(line["cases"] for lines in progress.values() for line in lines)


def _read() -> Progress:
    return dict(json.loads(PROGRESS.read_text())) if PROGRESS.exists() else {}


def main() -> None:
    """Print every entrance with its cases, the memory it kept, and every finding."""
    progress = _read()
    for name in NAMES:
        cases, grown, findings = _totals(name, progress)
        for entrance, count in sorted(cases.items()):
            print(f"{count:8d} {grown.get(entrance, 0.0):8.2f} MB  {entrance}")
        for finding in sorted(set(findings)):
            print(f"FINDING {finding[:1500]}")
    print(f"{_cases(progress):8d} cases")


if __name__ == "__main__":
    main()

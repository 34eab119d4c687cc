"""Odd cases through every entrance of every node. CASES=200000 for all; a run that was cut off goes on.

Each round is a process of its own per node. `benchmarks/results/fuzz_progress.json` keeps the rounds that are
done.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LONG = True
CASES, PER_ENTRANCE = 200_000, 100
ROUND = 3600.0
"""Longest round of one node [s]."""
HERE = Path(__file__).parent
PROGRESS = HERE / "results" / "fuzz_progress.json"
NODES = ("files", "world_state", "detector", "detector (compressed)", "reasoner", "bringup", "sim")


def run() -> list[dict[str, object]]:
    """Cases, findings and entrances of each node."""
    wanted, progress = int(os.environ.get("CASES", str(CASES))), _read()
    number = 0
    while _cases(progress) < wanted:
        for node in NODES:
            if f"{node}|{number}" not in progress and _cases(progress) < wanted:
                progress[f"{node}|{number}"] = list(_round(node, number))
                PROGRESS.parent.mkdir(exist_ok=True)
                PROGRESS.write_text(json.dumps(progress))
        number += 1
    return [_row(node, progress) for node in NODES]


def _round(node: str, number: int) -> Iterator[dict[str, Any]]:
    """One round; an entrance that ends the process is a finding, and the others go on without it."""
    skipped: list[str] = []
    while True:
        command = [
            sys.executable,
            "-P",
            "-m",
            "fuzzing.worker",
            node,
            str(PER_ENTRANCE),
            str(number),
            *skipped,
        ]
        environment = {
            **os.environ,
            "PYTHONPATH": f"{HERE.parent / 'tests'}:{os.environ.get('PYTHONPATH', '')}",
        }
        try:
            ended = subprocess.run(
                command, check=False, capture_output=True, text=True, env=environment, timeout=ROUND
            )
            code, told, why = ended.returncode, ended.stdout, ended.stderr[-2000:]
        except subprocess.TimeoutExpired as error:
            code, told, why = -1, (error.stdout or b"").decode(), "no end in time"
        lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
        yield from (line for line in lines if "entrance" in line)
        if code == 0 or len(skipped) > 5:
            return
        culprit = next((line["begins"] for line in reversed(lines) if "begins" in line), f"{node}: start")
        yield {"entrance": culprit, "cases": 0, "findings": [f"{culprit}: the process ended ({code}): {why}"]}
        skipped += [line["entrance"] for line in lines if "entrance" in line] + [culprit]


def _row(node: str, progress: dict[str, list[dict[str, Any]]]) -> dict[str, object]:
    cases: Counter[str] = Counter()
    findings: list[str] = []
    for name, lines in progress.items():
        if name.partition("|")[0] == node:
            for line in lines:
                cases[line["entrance"]] += line["cases"]
                findings += line["findings"]
    dead = sum("the process ended" in each for each in findings)
    for finding in sorted(set(findings)):
        print(f"{node}: {finding[:600]}")
    return {
        "node": node,
        "entrances": len(cases),
        "not reached": sum(not count for count in cases.values()),
        "cases": sum(cases.values()),
        "findings": len(findings),
        "dead or hung": dead,
    }


def _cases(progress: dict[str, list[dict[str, Any]]]) -> int:
    return sum(line["cases"] for lines in progress.values() for line in lines)


def _read() -> dict[str, list[dict[str, Any]]]:
    return dict(json.loads(PROGRESS.read_text())) if PROGRESS.exists() else {}

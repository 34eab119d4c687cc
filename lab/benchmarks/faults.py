"""Every fault in every phase of a mission, on the launched graph.

CELLS="kill_node stop_node:skill" in the environment chooses some; without it all.
"""

import asyncio
import json
import os

from graph.faults.injections import FAULTS
from graph.faults.matrix import PHASES, Row, fault_matrix

LONG = True


def run() -> list[Row]:
    """One row per fault and phase."""
    rows: list[Row] = []
    for name in os.environ.get("CELLS", " ".join(FAULTS)).split():
        fault, _, phase = name.partition(":")
        results = asyncio.run(fault_matrix(FAULTS[fault], (phase,) if phase else tuple(PHASES)))
        rows += results
        for row in results:
            print(json.dumps(row), flush=True)
    return rows

"""Faults of Nav2, MoveIt and a gripper in three phases of a goal, each with the goal after it.

CELLS="dies:mid-motion:moveit,rejects" in the environment chooses some; without it all. Needs `make robot`.
"""

import json
import os
from collections.abc import Iterator, Sequence

LONG = True
Row = dict[str, object]
Cell = tuple[str, str, str]


def chosen(cells: Sequence[Cell]) -> Iterator[Cell]:
    """The cells that CELLS names by fault, and perhaps by phase and backend."""
    selection = [item.split(":") for item in os.environ.get("CELLS", "").split(",") if item]
    for cell in cells:
        if not selection or any(tuple(item) == cell[: len(item)] for item in selection):
            yield cell


def run() -> list[Row]:
    """One row per fault, phase and backend, and one with the sums."""
    from backend_faults import CELLS, try_cell

    rows: list[Row] = []
    for cell in chosen(CELLS):
        rows.append(try_cell(*cell))
        print(json.dumps(rows[-1], default=str), flush=True)
    failed = {(row["fault"], row["phase"]) for row in rows if row["ok"] != "yes"}
    pairs = {(row["fault"], row["phase"]) for row in rows}
    good = sum(row["ok"] == "yes" for row in rows)
    summary = f"{good} of {len(rows)} cells, {len(pairs - failed)} of {len(pairs)} faults and phases"
    return [*rows, {"fault": "all", "ok": summary}]

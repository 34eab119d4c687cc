"""Order of search in homes of foreign tables, against visiting the nearest place first.

The tables are read by `search_sources`, from the folder that SEARCH_SOURCES names. HOMES=n: homes per table,
else 2,000, and a quarter of it for ablations; ODD=x: fraction of objects that are anywhere, else 0.2;
DEVELOPMENT=1: the tables that were looked at for development instead.
"""

import os
from pathlib import Path

from benchmarks.search_sources import DEVELOPMENT, JUDGES, read_tables
from openral_reasoner.placement.belief import BeliefWeights
from openral_testing.reasoner.placement_search import POLICIES, planned, result_rows, search_table
from openral_testing.reasoner.search_benchmark import usual_places

LONG = True


def old_opinion(noun: str) -> tuple[str, ...]:
    """The likely places that the planner gave before it had priors of kinds: a list by head noun."""
    known = usual_places().get(noun.split()[-1], ())
    return tuple(dict.fromkeys((*known, *usual_places()["default"])))[:12]


OLD = planned(BeliefWeights(flat=2.0, prior=0.0, opinion=8.0, seen=0.0, similar=0.0), old_opinion)


def run() -> list[dict[str, object]]:
    """One row per table and policy, and per class of objects."""
    if "SEARCH_SOURCES" not in os.environ:
        raise SystemExit("set SEARCH_SOURCES to a folder with the sources named in search_sources.py")
    folder, homes = Path(os.environ["SEARCH_SOURCES"]), int(os.environ.get("HOMES", "2000"))
    readers = DEVELOPMENT if os.environ.get("DEVELOPMENT") else JUDGES
    odd, rows = float(os.environ.get("ODD", "0.2")), list[dict[str, object]]()
    ours = {name: POLICIES[name] for name in ("nearest first", "planner")}
    ablations = {name: policy for name, policy in POLICIES.items() if name != "planner"} | {"old priors": OLD}
    for table in read_tables(folder, readers):
        rows += map(dict, result_rows(search_table(table, homes, 0, odd, ours)))
        rows += map(dict, result_rows(search_table(table, homes // 4, 0, odd, ablations)))
    return rows

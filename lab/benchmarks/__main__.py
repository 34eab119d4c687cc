"""`python -m benchmarks [NAME ...]`: measure, print a table each, write lab/benchmarks/results/<name>.json.

A module may be left out of the run without names by ``LONG = True``; name it to run it. Without a
ROS_DOMAIN_ID in the environment the graphs run in a free domain of their own.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from rich.console import Console
from rich.table import Table

from openral_bringup.domains import occupy
from openral_testing.machine import machine

HERE = Path(__file__).parent
RESULTS = HERE / "results"
Row = Mapping[str, object]


MODULES = frozenset(module.name for module in iter_modules([str(HERE)]))


def is_benchmark(name: str) -> bool:
    """Tell if a module of this folder measures something."""
    return name in MODULES and hasattr(import_module(f"benchmarks.{name}"), "run")


def names() -> list[str]:
    """Every benchmark."""
    return sorted(filter(is_benchmark, MODULES))


def table(title: str, rows: Iterable[Row]) -> Table:
    """Rows as a table; columns in the order they first appear."""
    table = list(rows)
    columns = list(dict.fromkeys(key for row in table for key in row))
    shown = Table(title=title)
    for column in columns:
        shown.add_column(column)
    for row in table:
        shown.add_row(*(_cell(row.get(column, "")) for column in columns))
    return shown


def measure(name: str, console: Console) -> None:
    """Run one benchmark and keep its figures."""
    rows = import_module(f"benchmarks.{name}").run()
    console.print(table(name, rows))
    RESULTS.mkdir(exist_ok=True)
    content = {"name": name, "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "machine": machine(), "rows": rows}
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1, default=str))


def main(selection: list[str]) -> int:
    """Run the benchmarks asked for, or every short one."""
    if unknown := [name for name in selection if not is_benchmark(name)]:  # the others' needs may be missing
        print(f"unknown benchmark {', '.join(unknown)}: known are {', '.join(names())}", file=sys.stderr)
        return 2
    if "ROS_DOMAIN_ID" not in os.environ:
        os.environ["ROS_DOMAIN_ID"] = str(occupy(None, ()))
    chosen = selection or [n for n in names() if not getattr(import_module(f"benchmarks.{n}"), "LONG", False)]
    console = Console(width=None if sys.stdout.isatty() else 150)
    failed = []
    for name in chosen:
        try:
            measure(name, console)
        except Exception:  # noqa: BLE001 - the others are still worth their time
            console.print_exception()
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A graph on paper, for ``--dry-run``."""

from collections.abc import Iterable

from rich.console import Group
from rich.table import Table
from rich.text import Text

from openral_bringup.graphs import GraphDescription
from openral_bringup.graphs.overrides import defaults


def plan(graph: GraphDescription, lacking: Iterable[str]) -> Group:
    """Every node with all that it is started with, its variables too; then what is still to be had."""
    table = Table(title="graph", show_lines=True)
    for column in ("node", "namespace", "runs", "level", "parameters"):
        table.add_column(column, overflow="fold")
    for node in graph.started:
        lines = [f"{name}: {value}" for name, value in node.parameters.items()]
        lines += [f"{name}: {value} (default)" for name, value in defaults(node).items()]
        parameters = "\n".join([*lines, *(f"{name}={value}" for name, value in node.variables.items())])
        level = "-" if node.level is None else str(node.level)
        cells = (node.name, node.namespace or "/", f"{node.package} {node.executable}", level, parameters)
        table.add_row(*map(Text, cells))
    return Group(table, *(Text(f"before it can start: {each}", style="yellow") for each in lacking))

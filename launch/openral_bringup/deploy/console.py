"""Console output of a deployment: live view on a terminal, else a line per change; the ``--dry-run`` plan.

Everything but `show` is pure: snapshots in, text or `rich` renderables out.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from openral_bringup.deploy.mission_runner import MissionRunner
from openral_bringup.deploy.monitor_node import CallLine, GraphSnapshot, MissionSnapshot, MonitorNode
from openral_bringup.deploy.process_supervisor import ProcessSupervisor
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.overrides import defaults
from openral_core.missions import MissionState

_STAMP = re.compile(r"\[\d+\.\d+\] ")


def unreported(alarms: Iterable[str], reported: Set[str]) -> list[str]:
    """Return the alarms without time stamps that were not reported before, each once."""
    unstamped = dict.fromkeys(_STAMP.sub("", alarm) for alarm in alarms)
    return [alarm for alarm in unstamped if alarm not in reported]


def changes(before: GraphSnapshot, after: GraphSnapshot) -> Iterator[str]:
    """Yield a line for every change of node states, memory, mission and tool calls."""
    for name, state in after.nodes.items():
        if before.nodes.get(name) != state:
            yield f"{name} is {state}"
    for label in sorted(set(after.remembered) - set(before.remembered)):
        yield f"added to memory: {label}"
    yield from _mission_changes(before.mission, after.mission)


def _mission_changes(before: MissionSnapshot, after: MissionSnapshot) -> Iterator[str]:
    known = {call.index: call.status for call in before.calls} if before.id == after.id else {}
    for call in after.calls:
        if known.get(call.index) != call.status and call.status != "pending":
            yield f"{call.tool} {call.arguments} -> {call.status}: {call.message}"
    if (before.id, before.state) != (after.id, after.state):
        yield f"mission {after.goal!r} is {after.state.name.lower()}" + (
            f": {after.reason}" if after.reason else ""
        )


STATE_STYLES = {"active": "green", "inactive": "yellow", "unconfigured": "yellow", "down": "red"}
GOOD = {"FOUND", "REMEMBERED", "SUCCEEDED", "OK"}
SHOWN_CALLS = 12
"""Latest tool calls shown, so that the view fits a terminal of 40 lines."""


def view(
    snapshot: GraphSnapshot, restarts: Mapping[str, int], alarms: Iterable[str], elapsed: float
) -> RenderableType:
    """Render the live view of a running graph."""
    top = Table.grid(expand=True, padding=(0, 1))
    top.add_column(ratio=3)
    top.add_column(ratio=2)
    top.add_row(_nodes(snapshot, restarts), _memory(snapshot))
    parts: list[RenderableType] = [top, _mission(snapshot.mission, elapsed), _calls(snapshot.mission.calls)]
    last = list(alarms)
    if last:
        parts.append(Panel(Text("\n".join(last), style="red"), title="alarms", border_style="red"))
    return Group(*parts)


def _nodes(snapshot: GraphSnapshot, restarts: Mapping[str, int]) -> RenderableType:
    table = Table(box=None, expand=True, pad_edge=False)
    for column in ("node", "state", "restarts"):
        table.add_column(column, style="dim" if column == "restarts" else "")
    for name, state in snapshot.nodes.items():
        style = "red" if state.startswith("given up") else STATE_STYLES.get(state, "cyan")
        table.add_row(Text(_short(name)), Text(state, style=style), str(restarts.get(_key(name), 0) or ""))
    return Panel(table, title="graph", border_style="dim")


def _memory(snapshot: GraphSnapshot) -> RenderableType:
    rates = ", ".join(f"{camera} {rate:.1f} Hz" for camera, rate in snapshot.rates.items()) or "no camera yet"
    counted = Counter(snapshot.remembered)
    labels = ", ".join(f"{label} x{n}" if n > 1 else label for label, n in counted.items()) or "empty"
    lines = (
        f"cameras   {rates}",
        f"sim time  {snapshot.sim_time:.1f} s",
        f"memory    {len(snapshot.remembered)}: {labels}",
    )
    return Panel(Text("\n".join(lines)), title="world", border_style="dim")


def _mission(mission: MissionSnapshot, elapsed: float) -> RenderableType:
    if mission.state is MissionState.IDLE:
        return Panel(Text(f"waiting for the graph, {elapsed:.0f} s", style="dim"), title="mission")
    budget = "  ".join(f"{name} {used:g}/{limit:g}" for name, (used, limit) in mission.budget.items())
    title = Text(f"mission: {mission.goal}")
    now = mission.reason if mission.state.ended else mission.step or mission.reason
    body = f"{mission.state.name.lower()}: {now}\n{budget}"
    return Panel(Text(body), title=title, border_style=_border(mission.state))


def _calls(calls: tuple[CallLine, ...]) -> RenderableType:
    table = Table(box=None, expand=True, pad_edge=False)
    table.add_column("#", width=3, style="dim")
    table.add_column("tool", width=16)
    table.add_column("arguments", ratio=3, overflow="ellipsis", no_wrap=True)
    table.add_column("outcome", width=20)
    table.add_column("message", ratio=4, overflow="ellipsis", no_wrap=True, style="dim")
    table.add_column("s", width=6, justify="right")
    for call in calls[-SHOWN_CALLS:]:
        style = "green" if call.status in GOOD else "cyan" if call.status == "pending" else "yellow"
        row = (
            str(call.index),
            Text(call.tool),
            Text(call.arguments),
            Text(call.status, style=style),
            Text(call.message),
        )
        table.add_row(*row, f"{call.duration:.1f}")
    return Panel(table, title="tool calls", border_style="dim")


def _border(state: MissionState) -> str:
    if state is MissionState.SUCCEEDED:
        return "green"
    if state is MissionState.CLAIMED:
        return "yellow"
    return "red" if state.ended else "cyan"


def _short(name: str) -> str:
    return name.removeprefix("/openral/perception/").removesuffix("/detector").lstrip("/")


def _key(name: str) -> str:
    return _short(name).rsplit("/", 1)[-1]


REFRESH_PERIOD = 0.25
"""Time between two updates of the console [s]."""


async def show(supervisor: ProcessSupervisor, monitor: MonitorNode, runner: MissionRunner) -> None:
    """Update the console until cancelled."""
    console = Console()
    if console.is_terminal:
        await _show_live(console, supervisor, monitor, runner)
    else:
        await _show_lines(console, supervisor, monitor, runner)


async def _show_live(
    console: Console, supervisor: ProcessSupervisor, monitor: MonitorNode, runner: MissionRunner
) -> None:
    with Live(console=console, auto_refresh=False, transient=False) as live:
        while True:
            content = view(monitor.snapshot, supervisor.restarts(), supervisor.logs.alarms, runner.elapsed)
            live.update(content, refresh=True)
            await asyncio.sleep(REFRESH_PERIOD)


async def _show_lines(
    console: Console, supervisor: ProcessSupervisor, monitor: MonitorNode, runner: MissionRunner
) -> None:
    shown, alarm_count, reported = GraphSnapshot(), 0, set[str]()
    while True:
        current, logs = monitor.snapshot, supervisor.logs
        alarms, alarm_count = unreported(logs.alarms_since(alarm_count), reported), logs.alarm_count
        reported |= set(alarms)
        for line in (*changes(shown, current), *alarms):
            console.print(f"{runner.elapsed:6.1f} s  {line}", markup=False, highlight=False, soft_wrap=True)
        shown = current
        await asyncio.sleep(REFRESH_PERIOD)


def plan(graph: GraphDescription, missing: Iterable[str]) -> Group:
    """Render every node with its parameters and environment, then the missing requirements."""
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
    return Group(
        table, *(Text(f"required before start: {requirement}", style="yellow") for requirement in missing)
    )

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
from openral_bringup.graph.nodes import defaults
from openral_bringup.graph.problems import Problem
from openral_core.missions import MissionState
from openral_ros.node_names import short_name

_STAMP = re.compile(r"\[\d+\.\d+\] ")


def unreported(alarms: Iterable[str], reported: Set[str]) -> list[str]:
    """Return the alarms without time stamps that were not reported before, each once."""
    unstamped = dict.fromkeys(_STAMP.sub("", alarm) for alarm in alarms)
    return [alarm for alarm in unstamped if alarm not in reported]


RELEASE = "nothing moves until `openral release`"


def changes(before: GraphSnapshot, after: GraphSnapshot) -> Iterator[str]:
    """Yield a line for every change of the emergency stop, node states, memory, mission and tool calls."""
    if after.stopped != before.stopped:
        yield f"emergency stop: {after.stopped}; {RELEASE}" if after.stopped else "emergency stop released"
    for name, state in after.nodes.items():
        if before.nodes.get(name) != state:
            yield f"{name} is {state}"
    for label in sorted(set(after.remembered) - set(before.remembered)):
        yield f"added to memory: {label}"
    yield from mission_changes(before.mission, after.mission)


def mission_changes(before: MissionSnapshot, after: MissionSnapshot) -> Iterator[str]:
    """Yield a line for every finished tool call and for a new state of the mission."""
    statuses = {call.index: call.status for call in before.calls} if before.id == after.id else {}
    for call in after.calls:
        if statuses.get(call.index) != call.status and call.status != "pending":
            yield f"{call.tool} {call.arguments} -> {call.status}: {call.message}"
    if (before.id, before.state) != (after.id, after.state):
        yield f"mission {after.goal!r} is {after.state.name.lower()}" + (
            f": {after.reason}" if after.reason else ""
        )


STATE_STYLES = {"active": "green", "inactive": "yellow", "unconfigured": "yellow", "down": "red"}
MISSION_STYLES = {MissionState.SUCCEEDED: "green", MissionState.CLAIMED: "yellow"}
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
    top.add_row(nodes_panel(snapshot, restarts), world_panel(snapshot))
    stopped = Panel(Text(f"{snapshot.stopped}; {RELEASE}"), title="EMERGENCY STOP", border_style="bold red")
    parts: list[RenderableType] = [
        *([stopped] if snapshot.stopped else []),
        top,
        mission_panel(snapshot.mission, elapsed),
        calls_panel(snapshot.mission.calls),
    ]
    last = list(alarms)
    if last:
        parts.append(Panel(Text("\n".join(last), style="red"), title="alarms", border_style="red"))
    return Group(*parts)


def nodes_panel(snapshot: GraphSnapshot, restarts: Mapping[str, int]) -> RenderableType:
    """Render the states and restarts of all nodes."""
    table = Table(box=None, expand=True, pad_edge=False)
    for column in ("node", "state", "restarts"):
        table.add_column(column, style="dim" if column == "restarts" else "")
    for name, state in snapshot.nodes.items():
        style = "red" if state.startswith("given up") else STATE_STYLES.get(state, "cyan")
        short = name.removeprefix("/openral/perception/").removesuffix("/detector").lstrip("/")
        died = restarts.get(short_name(name), 0)
        table.add_row(Text(short), Text(state, style=style), str(died or ""))
    return Panel(table, title="graph", border_style="dim")


def world_panel(snapshot: GraphSnapshot) -> RenderableType:
    """Render image rates, simulated time and the remembered objects."""
    rates = ", ".join(f"{camera} {rate:.1f} Hz" for camera, rate in snapshot.rates.items()) or "no camera yet"
    counted = Counter(snapshot.remembered)
    labels = ", ".join(f"{label} x{n}" if n > 1 else label for label, n in counted.items()) or "empty"
    lines = (
        f"cameras   {rates}",
        f"sim time  {snapshot.sim_time:.1f} s",
        f"memory    {len(snapshot.remembered)}: {labels}",
    )
    return Panel(Text("\n".join(lines)), title="world", border_style="dim")


def mission_panel(mission: MissionSnapshot, elapsed: float) -> RenderableType:
    """Render goal, step and budget of the mission."""
    if mission.state is MissionState.IDLE:
        return Panel(Text(f"waiting for the graph, {elapsed:.0f} s", style="dim"), title="mission")
    budget = "  ".join(f"{name} {used:g}/{limit:g}" for name, (used, limit) in mission.budget.items())
    title = Text(f"mission: {mission.goal}")
    now = mission.reason if mission.state.ended else mission.step or mission.reason
    body = f"{mission.state.name.lower()}: {now}\n{budget}"
    border = MISSION_STYLES.get(mission.state, "red" if mission.state.ended else "cyan")
    return Panel(Text(body), title=title, border_style=border)


def calls_panel(calls: tuple[CallLine, ...]) -> RenderableType:
    """Render the latest tool calls."""
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


REFRESH_PERIOD = 0.25
"""Time between two updates of the console [s]."""


async def show(supervisor: ProcessSupervisor, monitor: MonitorNode, runner: MissionRunner) -> None:
    """Update the console until cancelled."""
    console = Console()
    if console.is_terminal:
        await show_live(console, supervisor, monitor, runner)
    else:
        await show_lines(console, supervisor, monitor, runner)


async def show_live(
    console: Console, supervisor: ProcessSupervisor, monitor: MonitorNode, runner: MissionRunner
) -> None:
    """Refresh the live view until cancelled."""
    with Live(console=console, auto_refresh=False, transient=False) as live:
        while True:
            content = view(monitor.snapshot, supervisor.restarts(), supervisor.logs.alarms, runner.elapsed)
            live.update(content, refresh=True)
            await asyncio.sleep(REFRESH_PERIOD)


async def show_lines(
    console: Console, supervisor: ProcessSupervisor, monitor: MonitorNode, runner: MissionRunner
) -> None:
    """Print a line per change until cancelled."""
    previous, alarm_count, reported = GraphSnapshot(), 0, set[str]()
    while True:
        current, logs = monitor.snapshot, supervisor.logs
        alarms, alarm_count = unreported(logs.alarms_since(alarm_count), reported), logs.alarm_count
        reported |= set(alarms)
        for line in (*changes(previous, current), *alarms):
            console.print(f"{runner.elapsed:6.1f} s  {line}", markup=False, highlight=False, soft_wrap=True)
        previous = current
        await asyncio.sleep(REFRESH_PERIOD)


def plan(graph: GraphDescription, missing: Iterable[Problem]) -> Group:
    """Render every node with its parameters and environment, then the missing requirements."""
    table = Table(title="graph", show_lines=True)
    for column in ("node", "namespace", "runs", "level", "parameters"):
        table.add_column(column, overflow="fold")
    for node in graph.started:
        lines = [f"{name}: {value}" for name, value in node.parameters.items()]
        lines += [f"{name}: {value} (default)" for name, value in defaults(node).items()]
        parameters = "\n".join([*lines, *(f"{name}={value}" for name, value in node.variables.items())])
        level = "-" if node.level is None else str(node.level)
        process = next(spec for spec in graph.processes if node in spec.run_nodes)
        runs = f"{node.package} {node.executable}" + (f", in {process.key}" if process.members else "")
        cells = (node.name, node.namespace or "/", runs, level, parameters)
        table.add_row(*map(Text, cells))
    return Group(
        table, *(Text(f"required before start: {requirement}", style="yellow") for requirement in missing)
    )

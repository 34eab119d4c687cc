"""Shows a running deployment: a live view on a terminal, a line per change elsewhere."""
# MERGED What changed between two snapshots, one line each. Pure.
# MERGED The live view. Pure: a snapshot in, something rich can print out.
# MERGED A graph on paper, for ``--dry-run``.

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


def unreported(alarms: Iterable[str], told: Set[str]) -> list[str]:
    """Alarms without their stamps, each once, that were not told before."""
    return [each for each in dict.fromkeys(_STAMP.sub("", alarm) for alarm in alarms) if each not in told]


def changes(before: GraphSnapshot, after: GraphSnapshot) -> Iterator[str]:
    """Lines for a log: node states, memory, the mission's steps and tool calls."""
    for name, state in after.nodes.items():
        if before.nodes.get(name) != state:
            yield f"{name} is {state}"
    for label in sorted(set(after.remembered) - set(before.remembered)):
        yield f"remembers a {label}"
    yield from _mission_changes(before.mission, after.mission)


def _mission_changes(before: MissionSnapshot, after: MissionSnapshot) -> Iterator[str]:
    told = {call.index: call.status for call in before.calls} if before.id == after.id else {}
    for call in after.calls:
        if told.get(call.index) != call.status and call.status != "pending":
            yield f"{call.tool} {call.arguments} -> {call.status}: {call.message}"
    if (before.id, before.state) != (after.id, after.state):
        yield f"mission {after.goal!r} is {after.state.name.lower()}" + (
            f": {after.reason}" if after.reason else ""
        )


STATE_STYLES = {"active": "green", "inactive": "yellow", "unconfigured": "yellow", "down": "red"}
GOOD = {"FOUND", "REMEMBERED", "SUCCEEDED", "OK"}
SHOWN_CALLS = 12


def view(
    snapshot: GraphSnapshot, restarts: Mapping[str, int], alarms: Iterable[str], elapsed: float
) -> RenderableType:
    """Everything worth seeing of a running graph."""
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
    labels = ", ".join(f"{label} x{n}" if n > 1 else label for label, n in counted.items()) or "nothing yet"
    lines = (
        f"cameras   {rates}",
        f"sim time  {snapshot.sim_time:.1f} s",
        f"remembers {len(snapshot.remembered)}: {labels}",
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
    table.add_column("asked", ratio=3, overflow="ellipsis", no_wrap=True)
    table.add_column("outcome", width=20)
    table.add_column("told", ratio=4, overflow="ellipsis", no_wrap=True, style="dim")
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


REFRESH = 0.25


async def show(supervisor: ProcessSupervisor, observer: MonitorNode, session: MissionRunner) -> None:
    """Refresh until cancelled."""
    console = Console()
    if console.is_terminal:
        await _show_live(console, supervisor, observer, session)
    else:
        await _show_lines(console, supervisor, observer, session)


async def _show_live(
    console: Console, supervisor: ProcessSupervisor, observer: MonitorNode, session: MissionRunner
) -> None:
    with Live(console=console, auto_refresh=False, transient=False) as live:
        while True:
            picture = view(observer.snapshot, supervisor.restarts(), supervisor.logs.alarms, session.elapsed)
            live.update(picture, refresh=True)
            await asyncio.sleep(REFRESH)


async def _show_lines(
    console: Console, supervisor: ProcessSupervisor, observer: MonitorNode, session: MissionRunner
) -> None:
    shown, alarmed, told = GraphSnapshot(), 0, set[str]()
    while True:
        current, logs = observer.snapshot, supervisor.logs
        alarms, alarmed = unreported(logs.alarms_since(alarmed), told), logs.alarmed
        told |= set(alarms)
        for line in (*changes(shown, current), *alarms):
            console.print(f"{session.elapsed:6.1f} s  {line}", markup=False, highlight=False, soft_wrap=True)
        shown = current
        await asyncio.sleep(REFRESH)


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

"""The live view. Pure: a snapshot in, something rich can print out."""

from collections import Counter
from collections.abc import Iterable, Mapping

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from openral_bringup.deploy.snapshots import CallLine, Mission, Snapshot
from openral_core.missions import MissionState

STATE_STYLES = {"active": "green", "inactive": "yellow", "unconfigured": "yellow", "down": "red"}
GOOD = {"FOUND", "REMEMBERED", "SUCCEEDED", "OK"}
SHOWN_CALLS = 12


def view(
    snapshot: Snapshot, restarts: Mapping[str, int], alarms: Iterable[str], elapsed: float
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


def _nodes(snapshot: Snapshot, restarts: Mapping[str, int]) -> RenderableType:
    table = Table(box=None, expand=True, pad_edge=False)
    for column in ("node", "state", "restarts"):
        table.add_column(column, style="dim" if column == "restarts" else "")
    for name, state in snapshot.nodes.items():
        style = "red" if state.startswith("given up") else STATE_STYLES.get(state, "cyan")
        table.add_row(Text(_short(name)), Text(state, style=style), str(restarts.get(_key(name), 0) or ""))
    return Panel(table, title="graph", border_style="dim")


def _memory(snapshot: Snapshot) -> RenderableType:
    rates = ", ".join(f"{camera} {rate:.1f} Hz" for camera, rate in snapshot.rates.items()) or "no camera yet"
    counted = Counter(snapshot.remembered)
    labels = ", ".join(f"{label} x{n}" if n > 1 else label for label, n in counted.items()) or "nothing yet"
    lines = (
        f"cameras   {rates}",
        f"sim time  {snapshot.sim_time:.1f} s",
        f"remembers {len(snapshot.remembered)}: {labels}",
    )
    return Panel(Text("\n".join(lines)), title="world", border_style="dim")


def _mission(mission: Mission, elapsed: float) -> RenderableType:
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

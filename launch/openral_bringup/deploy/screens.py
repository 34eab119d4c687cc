"""Shows a running deployment: a live view on a terminal, a line per change elsewhere."""

import asyncio

from rich.console import Console
from rich.live import Live

from openral_bringup.deploy.lines import changes, untold
from openral_bringup.deploy.observers import Observer
from openral_bringup.deploy.sessions import Session
from openral_bringup.deploy.snapshots import Snapshot
from openral_bringup.deploy.supervisors import Supervisor
from openral_bringup.deploy.views import view

REFRESH = 0.25


async def show(supervisor: Supervisor, observer: Observer, session: Session) -> None:
    """Refresh until cancelled."""
    console = Console()
    if console.is_terminal:
        await _show_live(console, supervisor, observer, session)
    else:
        await _show_lines(console, supervisor, observer, session)


async def _show_live(console: Console, supervisor: Supervisor, observer: Observer, session: Session) -> None:
    with Live(console=console, auto_refresh=False, transient=False) as live:
        while True:
            picture = view(observer.snapshot, supervisor.restarts(), supervisor.logs.alarms, session.elapsed)
            live.update(picture, refresh=True)
            await asyncio.sleep(REFRESH)


async def _show_lines(console: Console, supervisor: Supervisor, observer: Observer, session: Session) -> None:
    shown, alarmed, told = Snapshot(), 0, set[str]()
    while True:
        current, logs = observer.snapshot, supervisor.logs
        alarms, alarmed = untold(logs.alarms_since(alarmed), told), logs.alarmed
        told |= set(alarms)
        for line in (*changes(shown, current), *alarms):
            console.print(f"{session.elapsed:6.1f} s  {line}", markup=False, highlight=False, soft_wrap=True)
        shown = current
        await asyncio.sleep(REFRESH)

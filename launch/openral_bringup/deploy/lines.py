"""What changed between two snapshots, one line each. Pure."""

import re
from collections.abc import Iterable, Iterator, Set

from openral_bringup.deploy.snapshots import Mission, Snapshot

_STAMP = re.compile(r"\[\d+\.\d+\] ")


def untold(alarms: Iterable[str], told: Set[str]) -> list[str]:
    """Alarms without their stamps, each once, that were not told before."""
    return [each for each in dict.fromkeys(_STAMP.sub("", alarm) for alarm in alarms) if each not in told]


def changes(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Lines for a log: node states, memory, the mission's steps and tool calls."""
    for name, state in after.nodes.items():
        if before.nodes.get(name) != state:
            yield f"{name} is {state}"
    for label in sorted(set(after.remembered) - set(before.remembered)):
        yield f"remembers a {label}"
    yield from _mission_changes(before.mission, after.mission)


def _mission_changes(before: Mission, after: Mission) -> Iterator[str]:
    told = {call.index: call.status for call in before.calls} if before.id == after.id else {}
    for call in after.calls:
        if told.get(call.index) != call.status and call.status != "pending":
            yield f"{call.tool} {call.arguments} -> {call.status}: {call.message}"
    if (before.id, before.state) != (after.id, after.state):
        yield f"mission {after.goal!r} is {after.state.name.lower()}" + (
            f": {after.reason}" if after.reason else ""
        )

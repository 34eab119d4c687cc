"""Talk to a running reasoner."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError
from openral_core.local_commands import receipt_line
from openral_core.missions import PromptOutcome
from openral_reasoner_ros.cli.session import CliSession, Namespace, session
from openral_reasoner_ros.cli.stop import heartbeat, release, stop

if TYPE_CHECKING:
    from rclpy.node import Node

    from openral_msgs.msg import MissionStatus, PromptReceipt
    from openral_reasoner_ros.mission_client import MissionMonitor
    from openral_ros.prompt_client import NotAcknowledged


mission = typer.Typer(no_args_is_help=True, help="inspect, answer or cancel the running mission")
Timeout = Annotated[float, typer.Option(help="longest wait for the graph [s]")]
Acknowledged = Annotated[
    float, typer.Option(help="longest time to repeat the prompt until it is acknowledged [s]")
]
ACCEPTED = frozenset(PromptOutcome) - {PromptOutcome.REFUSED}
HISTORY_GAP = 0.3
"""Time without another status after which the kept ones have been received [s]; they come in one burst."""
COMPLETE_STATUS_TIMEOUT = 1.5
"""Longest wait for a status with every call [s]; the reasoner sends one at its next poll."""
PUBLISHER_TIMEOUT = 20.0
"""Absence of the reasoner after which its mission is lost [s]: a restarted one resumes it within 14 s."""


def prompt(
    words: Annotated[str, typer.Argument(help="the goal")],
    requester: Annotated[str, typer.Option(help="scene-graph agent that the goal is for")] = "",
    objects: Annotated[
        list[str] | None, typer.Option("--object", help="id of what 'this' in the goal means (repeatable)")
    ] = None,
    namespace: Namespace = "",
    timeout: Acknowledged = 10.0,
    wait: Annotated[
        bool, typer.Option(help="wait until the mission ends; exit code 0 only on success")
    ] = False,
) -> None:
    """Send the reasoner a goal, repeated until it is acknowledged.

    Exit code: 0 acknowledged, with --wait reached; 1 refused, failed or cancelled; 3 handed over to a human;
    4 not acknowledged, or the reasoner ended before the mission did; 5 claimed without proof.
    """
    from openral_core.missions import MissionState
    from openral_reasoner_ros.mission_client import MissionMonitor

    with session(namespace) as opened:
        monitor = MissionMonitor(opened.scope)
        receipt = _send(opened, timeout, ACCEPTED, text=words, requester=requester, objects=objects or ())
        if not wait or receipt.outcome == PromptOutcome.STOPPED:
            return
        last = wait_for_end(opened, monitor, receipt.mission_id)
        typer.echo(f"{MissionState(last.state).name}: {last.reason}")
        raise typer.Exit(MissionState(last.state).exit_code)


@mission.command()
def status(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Show the state of the mission."""
    from openral_msgs.msg import MissionStatus
    from openral_reasoner_ros.topics import MISSION
    from openral_ros.qos import LATCHED_HISTORY

    with session(namespace) as opened:
        received: list[MissionStatus] = []
        opened.scope.subscription(MissionStatus, MISSION, received.append, LATCHED_HISTORY)
        opened.wait(lambda: bool(received), timeout, "no mission status received")
        _receive_history(opened, received)
        typer.echo(format_status(received[-1]))


def _receive_history(opened: CliSession, received: list[MissionStatus]) -> None:
    """Receive the kept statuses, which come oldest first, and one with every call."""
    from openral_ros.mission_calls import has_all_calls

    count, quiet, end = 0, 0.0, time.monotonic() + COMPLETE_STATUS_TIMEOUT
    while time.monotonic() < end:
        if len(received) > count:
            count, quiet = len(received), time.monotonic() + HISTORY_GAP
        elif time.monotonic() > quiet and has_all_calls(received[-1]):
            return
        opened.spin(0.05)


@mission.command()
def cancel(namespace: Namespace = "", timeout: Acknowledged = 10.0) -> None:
    """Cancel the mission and stop the robot, repeated until it is acknowledged.

    Exit code: 0 stopped, also if nothing was running; 1 not taken as a stop; 4 not acknowledged.
    """
    from openral_core import local_commands

    receipt = local_commands.cancel(namespace, timeout)
    if receipt:
        typer.echo(receipt)
        return
    with session(namespace) as opened:
        _send(opened, timeout, {PromptOutcome.STOPPED}, text="stop")


@mission.command()
def answer(
    handoff: Annotated[str, typer.Argument(help="id of the hand-off")],
    words: Annotated[str, typer.Argument(help="the answer")],
    namespace: Namespace = "",
    timeout: Acknowledged = 10.0,
) -> None:
    """Answer a hand-off; the mission continues with the rest of its budget.

    Exit code: 0 taken as the answer, or as a stop; 1 not taken as either; 4 not acknowledged.
    """
    accepted = {PromptOutcome.ANSWERED, PromptOutcome.STOPPED}
    with session(namespace) as opened:
        _send(opened, timeout, accepted, text=words, in_reply_to=handoff)


def palette(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Show the palette exactly as the model receives it."""
    from std_msgs.msg import String

    from openral_reasoner_ros.topics import PALETTE
    from openral_ros.qos import LATCHED

    with session(namespace) as opened:
        received: list[String] = []
        opened.scope.subscription(String, PALETTE, received.append, LATCHED)
        opened.wait(lambda: bool(received), timeout, "no palette received")
        typer.echo(json.dumps(json.loads(received[-1].data), indent=2))


def wait_for_end(opened: CliSession, monitor: MissionMonitor, mission_id: str) -> MissionStatus:
    """Return the final status of a mission, also of a resumed one; print each question that it waits for.

    Raises:
        MissionLost: If the reasoner that accepted it has ended or fallen silent.
    """
    from openral_core.missions import is_final
    from openral_msgs.msg import MissionStatus
    from openral_reasoner_ros.mission_client import MissionLost

    monitor.expect_status()
    reasoners, printed, last_present = _reasoners(opened.node), "", time.monotonic()
    shown_status: MissionStatus | None = None
    while True:
        last = monitor.status(mission_id)
        if last is not None and is_final(last.state):
            return last
        if (
            last is not None
            and last.state == MissionStatus.STATE_WAITING_FOR_HUMAN
            and last.reason != printed
        ):
            printed = last.reason
            typer.echo(f"waiting for a human: {printed}")
        present = _reasoners(opened.node)
        if present and (
            last is not shown_status or not reasoners
        ):  # its reasoner reports, which may be a restarted one
            shown_status, reasoners = last, present
        if not reasoners or reasoners & present:
            last_present = time.monotonic()
        if time.monotonic() - last_present > PUBLISHER_TIMEOUT:
            raise MissionLost(mission_id, "its reasoner has ended or was deactivated")
        monitor.check_silence(mission_id)
        opened.spin(0.1)


def format_status(message: MissionStatus) -> str:
    """Format a mission status for a terminal."""
    from openral_core.missions import state_name
    from openral_reasoner.budget import cost_words

    lines = [f"{state_name(message.state)}  {message.goal}"]
    lines += [f"  understood: {message.understood}"] if message.understood else []
    lines += [f"  now: {message.step}"]
    lines += [f"  reason: {message.reason}"] if message.reason else []
    lines += [f"  {line.name}: {line.used:g} of {line.limit:g}" for line in message.budget]
    lines += [f"  cost: {cost_words({line.name: line.used for line in message.budget})}"]
    earlier = message.calls[0].index if message.calls else 0
    lines += [f"  {earlier} earlier calls"] if earlier else []
    lines += [
        f"  {call.tool} {call.arguments_json} -> {call.status}{call.message and f': {call.message}'}"
        for call in message.calls
    ]
    lines += [f"  looked at {place}" for place in message.searched]
    lines += [f"  evidence: {fact}" for fact in message.evidence]
    return "\n".join(lines)


def _send(
    opened: CliSession,
    timeout: float,
    accepted: Set[PromptOutcome],
    objects: Sequence[str] = (),
    **fields: str,
) -> PromptReceipt:
    """Deliver a prompt and print its receipt; exit with code 1 unless its outcome is accepted."""
    from openral_ros.prompt_client import NotAcknowledged, PromptClient

    outcomes: list[PromptReceipt | NotAcknowledged] = []
    PromptClient(opened.scope, opened.node, "cli").send(outcomes.append, timeout, objects=objects, **fields)
    while not outcomes:
        opened.spin(1.0)
    receipt = outcomes[0]
    if isinstance(receipt, NotAcknowledged):
        raise receipt
    outcome = PromptOutcome(receipt.outcome)
    typer.echo(receipt_line(outcome.name.lower(), receipt.mission_id, receipt.message))
    if outcome not in accepted:
        raise typer.Exit(1)
    return receipt


def _reasoners(node: Node) -> set[tuple[int, ...]]:
    """Return the ids of the publishers of missions; a restarted reasoner has a new one."""
    from openral_reasoner_ros.topics import MISSION

    return {tuple(publisher.endpoint_gid) for publisher in node.get_publishers_info_by_topic(MISSION)}


app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
app.command()(prompt)
app.command()(stop)
app.command()(release)
app.command()(heartbeat)
app.command()(palette)
app.add_typer(mission, name="mission")


def main() -> None:
    """Run the command line; an `OpenRALError` becomes one line on standard error and its exit code, or 2."""
    try:
        app()
    except OpenRALError as error:
        typer.echo(str(error), err=True)
        sys.exit(getattr(error, "exit_code", 2))

"""Commands `openral prompt`, `openral mission` and `openral palette`."""

import json
from collections.abc import Set
from typing import Annotated

import typer
from std_msgs.msg import String

from openral_core.missions import MissionState, PromptOutcome
from openral_msgs.msg import MissionStatus, PromptReceipt
from openral_reasoner.budget import cost_words
from openral_reasoner_ros.cli.mission_client import CliSession, MissionFollower, deliver, session
from openral_reasoner_ros.topics import MISSION, PALETTE
from openral_ros.qos import LATCHED

mission = typer.Typer(no_args_is_help=True, help="inspect, answer or cancel the running mission")
Namespace = Annotated[str, typer.Option(help="namespace of the robot")]
Timeout = Annotated[float, typer.Option(help="longest wait for the graph [s]")]
Acknowledged = Annotated[
    float, typer.Option(help="longest time to repeat the prompt until it is acknowledged [s]")
]
ACCEPTED = frozenset(PromptOutcome) - {PromptOutcome.REFUSED}


def prompt(
    words: Annotated[str, typer.Argument(help="the goal")],
    requester: Annotated[str, typer.Option(help="scene-graph agent that the goal is for")] = "",
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
    with session(namespace) as opened:
        follower = MissionFollower(opened)
        receipt = _send(opened, timeout, ACCEPTED, text=words, requester=requester)
        if not wait or receipt.outcome == PromptOutcome.STOPPED:
            return
        last = follower.wait_for_end(receipt.mission_id, typer.echo)
        typer.echo(f"{MissionState(last.state).name}: {last.reason}")
        raise typer.Exit(MissionState(last.state).exit_code)


@mission.command()
def status(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Show the state of the mission."""
    with session(namespace) as opened:
        received: list[MissionStatus] = []
        opened.node.create_subscription(MissionStatus, MISSION, received.append, LATCHED)
        opened.wait(lambda: bool(received), timeout, "no mission status received")
        typer.echo(format_status(received[-1]))


@mission.command()
def cancel(namespace: Namespace = "", timeout: Acknowledged = 10.0) -> None:
    """Cancel the mission and stop the robot, repeated until it is acknowledged.

    Exit code: 0 stopped, also if nothing was running; 1 not taken as a stop; 4 not acknowledged.
    """
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
    with session(namespace) as opened:
        received: list[String] = []
        opened.node.create_subscription(String, PALETTE, received.append, LATCHED)
        opened.wait(lambda: bool(received), timeout, "no palette received")
        typer.echo(json.dumps(json.loads(received[-1].data), indent=2))


def format_status(message: MissionStatus) -> str:
    """Format a mission status for a terminal."""
    lines = [f"{MissionState(message.state).name}  {message.goal}", f"  now: {message.step}"]
    lines += [f"  reason: {message.reason}"] if message.reason else []
    lines += [f"  {line.name}: {line.used:g} of {line.limit:g}" for line in message.budget]
    lines += [f"  cost: {cost_words({line.name: line.used for line in message.budget})}"]
    lines += [f"  {call.tool} {call.arguments_json} -> {call.status}" for call in message.calls]
    lines += [f"  looked at {place}" for place in message.searched]
    lines += [f"  evidence: {fact}" for fact in message.evidence]
    return "\n".join(lines)


def _send(opened: CliSession, timeout: float, accepted: Set[PromptOutcome], **fields: str) -> PromptReceipt:
    """Deliver a prompt and print its receipt; exit with code 1 unless its outcome is accepted."""
    receipt = deliver(opened, timeout, **fields)
    outcome = PromptOutcome(receipt.outcome)
    summary = f"{outcome.name.lower()} {receipt.mission_id}".rstrip()
    typer.echo(f"{summary}: {receipt.message}" if receipt.message else summary)
    if outcome not in accepted:
        raise typer.Exit(1)
    return receipt

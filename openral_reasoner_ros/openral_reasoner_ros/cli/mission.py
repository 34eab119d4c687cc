"""`openral prompt`, `openral mission` and `openral palette`."""

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

mission = typer.Typer(no_args_is_help=True, help="the running mission")
Namespace = Annotated[str, typer.Option(help="of the robot")]
Timeout = Annotated[float, typer.Option(help="how long to wait for the graph [s]")]
Acknowledged = Annotated[
    float, typer.Option(help="how long to repeat the words until they are acknowledged [s]")
]
TAKEN = frozenset(PromptOutcome) - {PromptOutcome.REFUSED}


def prompt(
    words: Annotated[str, typer.Argument(help="the goal")],
    requester: Annotated[str, typer.Option(help="agent it is for")] = "",
    namespace: Namespace = "",
    timeout: Acknowledged = 10.0,
    wait: Annotated[bool, typer.Option(help="until the mission ends; exit code 0 only on success")] = False,
) -> None:
    """Give the reasoner a goal, repeated until it is acknowledged.

    Exit code: 0 acknowledged, with --wait reached; 1 refused, failed or cancelled; 3 handed over to a human;
    4 not acknowledged, or the reasoner ended before the mission did; 5 claimed without proof.
    """
    with session(namespace) as opened:
        follower = MissionFollower(opened)
        receipt = _say(opened, timeout, TAKEN, text=words, requester=requester)
        if not wait or receipt.outcome == PromptOutcome.STOPPED:
            return
        last = follower.wait_for_end(receipt.mission_id, typer.echo)
        typer.echo(f"{MissionState(last.state).name}: {last.reason}")
        raise typer.Exit(MissionState(last.state).exit_code)


@mission.command()
def status(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Show how the mission stands."""
    with session(namespace) as opened:
        seen: list[MissionStatus] = []
        opened.node.create_subscription(MissionStatus, MISSION, seen.append, LATCHED)
        opened.wait(lambda: bool(seen), timeout, "no mission status was heard")
        typer.echo(status_words(seen[-1]))


@mission.command()
def cancel(namespace: Namespace = "", timeout: Acknowledged = 10.0) -> None:
    """Stop the mission and whatever moves, repeated until it is acknowledged.

    Exit code: 0 stopped, also when nothing ran; 1 taken for something else; 4 not acknowledged.
    """
    with session(namespace) as opened:
        _say(opened, timeout, {PromptOutcome.STOPPED}, text="stop")


@mission.command()
def answer(
    handoff: Annotated[str, typer.Argument(help="id of the hand-off")],
    words: Annotated[str, typer.Argument(help="the answer")],
    namespace: Namespace = "",
    timeout: Acknowledged = 10.0,
) -> None:
    """Answer a hand-off; the mission goes on with what remains of its budget.

    Exit code: 0 taken as the answer, or a stop; 1 not taken as one; 4 not acknowledged.
    """
    taken = {PromptOutcome.ANSWERED, PromptOutcome.STOPPED}
    with session(namespace) as opened:
        _say(opened, timeout, taken, text=words, in_reply_to=handoff)


def palette(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Show exactly what the model is given."""
    with session(namespace) as opened:
        seen: list[String] = []
        opened.node.create_subscription(String, PALETTE, seen.append, LATCHED)
        opened.wait(lambda: bool(seen), timeout, "no palette was heard")
        typer.echo(json.dumps(json.loads(seen[-1].data), indent=2))


def status_words(message: MissionStatus) -> str:
    """A status for a terminal."""
    lines = [f"{MissionState(message.state).name}  {message.goal}", f"  now: {message.step}"]
    lines += [f"  because: {message.reason}"] if message.reason else []
    lines += [f"  {line.name}: {line.used:g} of {line.limit:g}" for line in message.budget]
    lines += [f"  cost: {cost_words({line.name: line.used for line in message.budget})}"]
    lines += [f"  {call.tool} {call.arguments_json} -> {call.status}" for call in message.calls]
    lines += [f"  looked at {place}" for place in message.searched]
    lines += [f"  evidence: {fact}" for fact in message.evidence]
    return "\n".join(lines)


def _say(opened: CliSession, timeout: float, wanted: Set[PromptOutcome], **fields: str) -> PromptReceipt:
    """Deliver a prompt and print its receipt; exit code 1 unless the outcome is one of those wanted."""
    receipt = deliver(opened, timeout, **fields)
    outcome = PromptOutcome(receipt.outcome)
    words = f"{outcome.name.lower()} {receipt.mission_id}".rstrip()
    typer.echo(f"{words}: {receipt.message}" if receipt.message else words)
    if outcome not in wanted:
        raise typer.Exit(1)
    return receipt

"""`openral prompt`, `openral mission` and `openral palette`."""

import json
import uuid
from typing import Annotated

import typer
from std_msgs.msg import Header, String

from openral_msgs.msg import MissionStatus, PromptStamped
from openral_reasoner.budgets import cost_words
from openral_reasoner_ros.cli.sessions import Session, session
from openral_reasoner_ros.names import MISSION, PALETTE, PROMPT
from openral_ros.qos import LATCHED, RELIABLE

mission = typer.Typer(no_args_is_help=True, help="the running mission")
Namespace = Annotated[str, typer.Option(help="of the robot")]
Timeout = Annotated[float, typer.Option(help="how long to wait for the graph [s]")]
STATES = ("IDLE", "ACTIVE", "WAITING_FOR_HUMAN", "SUCCEEDED", "FAILED", "HANDED_OVER", "CANCELLED")


def prompt(
    words: Annotated[str, typer.Argument(help="the goal")],
    requester: Annotated[str, typer.Option(help="agent it is for")] = "",
    namespace: Namespace = "",
    timeout: Timeout = 5.0,
    wait: Annotated[bool, typer.Option(help="until the mission ends; exit code 0 only on success")] = False,
) -> None:
    """Give the reasoner a goal."""
    with session(namespace) as opened:
        seen: list[MissionStatus] = []
        opened.node.create_subscription(MissionStatus, MISSION, seen.append, RELIABLE)
        _say(opened, timeout, text=words, requester=requester)
        if not wait:
            return
        opened.wait(lambda: any(_ended(s, words) for s in seen), 86400.0, "the mission did not end")
        last = next(s for s in seen if _ended(s, words))
        typer.echo(f"{STATES[last.state]}: {last.reason}")
        if last.state != MissionStatus.STATE_SUCCEEDED:
            raise typer.Exit(1)


@mission.command()
def status(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Show how the mission stands."""
    with session(namespace) as opened:
        seen: list[MissionStatus] = []
        opened.node.create_subscription(MissionStatus, MISSION, seen.append, LATCHED)
        opened.wait(lambda: bool(seen), timeout, "no mission status was heard")
        typer.echo(status_words(seen[-1]))


@mission.command()
def cancel(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Stop the mission and whatever moves."""
    with session(namespace) as opened:
        _say(opened, timeout, text="stop")


@mission.command()
def answer(
    handoff: Annotated[str, typer.Argument(help="id of the hand-off")],
    words: Annotated[str, typer.Argument(help="the answer")],
    namespace: Namespace = "",
    timeout: Timeout = 5.0,
) -> None:
    """Answer a hand-off; the mission goes on with what remains of its budget."""
    with session(namespace) as opened:
        _say(opened, timeout, text=words, in_reply_to=handoff)


def palette(namespace: Namespace = "", timeout: Timeout = 5.0) -> None:
    """Show exactly what the model is given."""
    with session(namespace) as opened:
        seen: list[String] = []
        opened.node.create_subscription(String, PALETTE, seen.append, LATCHED)
        opened.wait(lambda: bool(seen), timeout, "no palette was heard")
        typer.echo(json.dumps(json.loads(seen[-1].data), indent=2))


def status_words(message: MissionStatus) -> str:
    """A status for a terminal."""
    lines = [f"{STATES[message.state]}  {message.goal}", f"  now: {message.step}"]
    lines += [f"  because: {message.reason}"] if message.reason else []
    lines += [f"  {line.name}: {line.used:g} of {line.limit:g}" for line in message.budget]
    lines += [f"  cost: {cost_words({line.name: line.used for line in message.budget})}"]
    lines += [f"  {call.tool} {call.arguments_json} -> {call.status}" for call in message.calls]
    lines += [f"  looked at {place}" for place in message.searched]
    return "\n".join(lines)


def _say(opened: Session, timeout: float, **fields: str) -> None:
    publisher = opened.node.create_publisher(PromptStamped, PROMPT, RELIABLE)
    opened.wait(lambda: publisher.get_subscription_count() > 0, timeout, "nobody listens to prompts")
    stamp = opened.node.get_clock().now().to_msg()
    header = Header(stamp=stamp, frame_id="operator")
    publisher.publish(PromptStamped(header=header, id=f"cli-{uuid.uuid4().hex[:8]}", **fields))
    publisher.wait_for_all_acked()


def _ended(status: MissionStatus, goal: str) -> bool:
    return status.goal == goal and status.state >= MissionStatus.STATE_SUCCEEDED

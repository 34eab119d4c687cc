"""`openral fleet`: have several robots share a list of errands."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError
from openral_fleet import defaults
from openral_reasoner_ros.cli.session import session

if TYPE_CHECKING:
    from diagnostic_msgs.msg import DiagnosticStatus

    from openral_fleet.records import ErrandRecord
    from openral_msgs.msg import PromptReceipt


if TYPE_CHECKING:
    from openral_fleet.ros.node import FleetNode

fleet = typer.Typer(no_args_is_help=True, help="have several robots share a list of errands")
Namespace = Annotated[str, typer.Option(help="namespace of the dispatcher")]
Timeout = Annotated[float, typer.Option(help="longest wait for the dispatcher [s]")]
EXIT_CODES = {"handed_over": 3, "claimed": 5, "cancelled": 1, "failed": 1}
"""By the value of an `ErrandState`."""


class FleetNotStarted(OpenRALError):
    """A dispatcher that could not begin; its log has the reason."""

    exit_code = 2


@fleet.command()
def run(
    errands: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="YAML, or one goal a line")],
    robots: Annotated[str, typer.Option(help="namespaces of the robots, with commas between them")],
    namespace: Namespace = "/fleet",
    journal: Annotated[
        Path | None, typer.Option(help="folder of the journal; default runs/fleet-<list>")
    ] = None,
    presumed_off: Annotated[
        float,
        typer.Option(min=0.0, help="absence after which a robot is presumed off [s]; 0 waits for its lease"),
    ] = defaults.PRESUMED_OFF,
    mission_seconds: Annotated[
        float, typer.Option(min=1.0, help="longest time budget of the robots' missions [s]")
    ] = defaults.MISSION_SECONDS,
    patience: Annotated[
        float, typer.Option(min=1.0, help="longest wait for a robot that can do an errand [s]")
    ] = defaults.PATIENCE,
    answer_timeout: Annotated[
        float, typer.Option(min=0.0, help="longest wait for a person's answer [s]")
    ] = defaults.ANSWER,
) -> None:
    """Allocate a list of errands to robots, and wait for their ends; run it again to go on after a crash.

    Exit code: 0 all done; 1 one failed or was cancelled; 2 the list or an option is not valid; 3 one was
    handed over to a person; 5 one was claimed without proof.
    """
    from openral_fleet.errands import read_errands

    read_errands(errands)
    folder = journal or Path("runs") / f"fleet-{errands.stem}-{_digest(errands)}"
    values: dict[str, object] = {
        "errands": f"'{errands.absolute()}'",
        "robots": f"[{robots}]",
        "journal": f"'{folder.absolute()}'",
        "presumed_off": float(presumed_off),
        "mission_seconds": float(mission_seconds),
        "patience": float(patience),
        "answer_timeout": float(answer_timeout),
    }
    arguments = [part for name, value in values.items() for part in ("-p", f"{name}:={value}")]
    node = _run(["--ros-args", "-r", f"__ns:={namespace}", *arguments])
    if node is None or node.dispatcher is None:
        raise FleetNotStarted("the dispatcher has not begun: see the error above")
    records = node.dispatcher.state.records
    for record in records:
        typer.echo(_line(record.id, record.state.value, record.robot, record.errand.goal, record.reason))
    raise typer.Exit(exit_code(records))


def _run(arguments: list[str]) -> FleetNode | None:
    from openral_fleet.ros.node import FleetNode
    from openral_ros.run_node import run as run_node

    nodes: list[FleetNode] = []

    def make() -> FleetNode:
        nodes.append(FleetNode())
        return nodes[0]

    run_node(make, arguments, is_done=lambda: nodes[0].dispatcher is None or nodes[0].ended)
    return nodes[0] if nodes else None


@fleet.command()
def status(namespace: Namespace = "/fleet", timeout: Timeout = 5.0) -> None:
    """Show the errands of a running dispatcher.

    Exit code: 0 shown; 4 no dispatcher answers.
    """
    from diagnostic_msgs.msg import DiagnosticArray

    from openral_ros.qos import LATCHED

    with session(namespace) as opened:
        received: list[DiagnosticArray] = []
        opened.scope.subscription(DiagnosticArray, "openral/errands", received.append, LATCHED)
        opened.wait(lambda: bool(received), timeout, "no errands received", "dispatcher")
        for each in received[-1].status:
            typer.echo(_status_line(each))


@fleet.command()
def cancel(
    errand: Annotated[str, typer.Argument(help="id of one errand; without it, all are cancelled")] = "",
    namespace: Namespace = "/fleet",
    timeout: Timeout = 10.0,
) -> None:
    """Stop every robot and end every errand, or drop one errand and stop the robot that has it.

    Exit code: 0 done; 1 no such errand; 4 no dispatcher answers.
    """
    _say(namespace, timeout, "drop" if errand else "stop", errand)


@fleet.command()
def answer(
    question: Annotated[str, typer.Argument(help="id of the question")],
    words: Annotated[str, typer.Argument(help="done, again or drop")],
    namespace: Namespace = "/fleet",
    timeout: Timeout = 10.0,
) -> None:
    """Answer the question whether an errand was done.

    Exit code: 0 taken; 1 no such question; 4 no dispatcher answers.
    """
    _say(namespace, timeout, words, question)


@fleet.command()
def lost(
    robot: Annotated[str, typer.Argument(help="namespace of the robot")],
    namespace: Namespace = "/fleet",
    timeout: Timeout = 10.0,
) -> None:
    """Tell that a robot is off and works on nothing, so that another one may take its errand over now.

    Exit code: 0 taken; 1 no such robot; 4 no dispatcher answers.
    """
    _say(namespace, timeout, "lost", f"/{robot.strip('/')}")


def exit_code(records: tuple[ErrandRecord, ...]) -> int:
    """Return the exit code of a list: that of its worst end."""
    from openral_fleet.records import ErrandState

    codes = {0 if each.state is ErrandState.DONE else EXIT_CODES.get(each.state, 1) for each in records}
    return next((code for code in (1, 3, 5) if code in codes), 0)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def _status_line(status: DiagnosticStatus) -> str:
    facts = {each.key: each.value for each in status.values}
    question = f" [answer {facts['question']}]" if "question" in facts else ""
    reason = f"{facts.get('reason', '')}{question}"
    return _line(status.name, status.message, status.hardware_id, facts.get("goal", ""), reason)


def _line(name: str, state: str, robot: str, goal: str, reason: str) -> str:
    return f"{name:<8} {state:<12} {robot or '-':<10} {goal}" + (f"  ({reason})" if reason else "")


def _say(namespace: str, timeout: float, text: str, in_reply_to: str) -> None:
    from openral_core.missions import PromptOutcome
    from openral_ros.prompt_client import NotAcknowledged, PromptClient

    with session(namespace) as opened:
        outcomes: list[PromptReceipt | NotAcknowledged] = []
        client = PromptClient(opened.scope, opened.node, "cli")
        client.send(outcomes.append, timeout, text=text, in_reply_to=in_reply_to)
        while not outcomes:
            opened.spin(1.0)
        receipt = outcomes[0]
        if isinstance(receipt, NotAcknowledged):
            raise receipt
        typer.echo(f"{PromptOutcome(receipt.outcome).name.lower()} {receipt.message}".rstrip())
        if receipt.outcome == PromptOutcome.REFUSED:
            raise typer.Exit(1)


commands = typer.Typer()
commands.add_typer(fleet, name="fleet")

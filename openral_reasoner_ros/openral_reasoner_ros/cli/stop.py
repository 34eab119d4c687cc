"""`openral stop`, `openral release` and `openral heartbeat`: the emergency stop on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from openral_reasoner_ros.cli.session import Namespace, NoResponse, session

if TYPE_CHECKING:
    from std_srvs.srv import Trigger

    from openral_ros.service_client import CallError


SKILL_SERVER = "skill server"
Confirmed = Annotated[float, typer.Option(help="longest wait for the skill server [s]")]


def stop(
    reason: Annotated[str, typer.Argument(help="reason, which refused goals will name")] = "openral stop",
    namespace: Namespace = "",
    timeout: Confirmed = 10.0,
) -> None:
    """Stop the robot at once; nothing moves until `openral release`, whatever is restarted meanwhile.

    The mission and the queued goals end too. To end them alone, use `openral mission cancel`.

    Exit code: 0 stopped; 4 no skill server confirmed it.
    """
    from openral_core import local_commands
    from openral_ros.prompt_client import PromptClient
    from openral_ros.stop_client import StopClient

    latched = local_commands.stop(namespace, reason, timeout)
    if latched:
        typer.echo(f"stopped: {latched}")
        return
    with session(namespace) as opened:
        client = StopClient(opened.scope, opened.node)
        client.stop(reason)
        # Without a skill server, or with a foreign one, the mission can still be ended.
        PromptClient(opened.scope, opened.node, "cli").send(lambda _: None, timeout, text="stop")
        opened.wait(lambda: client.reason, timeout, "no skill server confirmed the stop", SKILL_SERVER)
        typer.echo(f"stopped: {client.reason}")


def release(namespace: Namespace = "", timeout: Confirmed = 10.0) -> None:
    """Allow motion again after an emergency stop.

    Exit code: 0 released, also if the robot was not stopped; 1 refused; 4 no answer.
    """
    from openral_core import local_commands

    local = local_commands.release(namespace, timeout)
    released, words = local if local is not None else _release_over_dds(namespace, timeout)
    typer.echo(words)
    if not released:
        raise typer.Exit(1)


def _release_over_dds(namespace: str, timeout: float) -> tuple[bool, str]:
    from openral_ros.service_client import CallError
    from openral_ros.stop_client import StopClient

    answers: list[Trigger.Response | CallError] = []
    with session(namespace) as opened:
        client = StopClient(opened.scope, opened.node)
        opened.wait(lambda: client.can_release, timeout, "no skill server found", SKILL_SERVER)
        client.release(timeout, answers.append)
        opened.wait(lambda: answers, timeout + 1.0, "no answer", SKILL_SERVER)
    answer = answers[0]
    if isinstance(answer, CallError):
        raise NoResponse(str(answer), timeout, SKILL_SERVER)
    return answer.success, answer.message


def heartbeat(
    namespace: Namespace = "",
    period: Annotated[float, typer.Option(min=0.02, help="time between two heartbeats [s]")] = 0.2,
) -> None:
    """Send the operator's heartbeat until interrupted (Ctrl+C).

    A skill server with the parameter operator_heartbeat stops the robot when it is lost.
    """
    from std_msgs.msg import Empty

    from openral_ros.emergency_stop import ANY_RELIABILITY, HEARTBEAT

    with session(namespace) as opened:
        publisher = opened.scope.publisher(Empty, HEARTBEAT, ANY_RELIABILITY)
        opened.scope.timer(period, lambda: publisher.publish(Empty()))
        typer.echo("sending the operator's heartbeat; Ctrl+C ends it")
        try:
            while True:
                opened.spin(1.0)
        except KeyboardInterrupt:
            typer.echo("ended")

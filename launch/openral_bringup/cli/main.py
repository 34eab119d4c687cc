"""The `openral` command line, assembled from the commands of all installed packages.

A module of commands imports at its top what declares them, and in a command what that command runs: any help
is a fraction of a second away. The three commands that stop or free a robot come first, without typer.
"""

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from openral_core import local_commands
from openral_core.discovery import VARIABLE, Discovery
from openral_core.errors import OpenRALError, check_arguments

if TYPE_CHECKING:
    import typer

GROUP = "openral.commands"
"""Group of entry points; each is a typer app whose commands and groups are added to `openral`."""
Local = Callable[[str, str], tuple[int, str] | None]


def stop(namespace: str, reason: str) -> tuple[int, str] | None:
    """Stop the robot of this machine; return exit code and output, None if it has not confirmed the stop."""
    latched = local_commands.stop(namespace, reason or "openral stop", local_commands.SILENCE)
    return (0, f"stopped: {latched}") if latched else None


def release(namespace: str, reason: str) -> tuple[int, str] | None:
    """Release it; return exit code and output, None without an answer, and for a needless word."""
    answer = None if reason else local_commands.release(namespace, local_commands.SILENCE)
    return None if answer is None else (0 if answer[0] else 1, answer[1])


def cancel(namespace: str, reason: str) -> tuple[int, str] | None:
    """End its mission; return exit code and output, None without a receipt, and for a needless word."""
    receipt = "" if reason else local_commands.cancel(namespace, local_commands.SILENCE)
    return (0, receipt) if receipt else None


LOCAL: dict[tuple[str, ...], Local] = {("stop",): stop, ("release",): release, ("mission", "cancel"): cancel}


def run_locally(words: Sequence[str]) -> tuple[int, str] | None:
    """Run a command over the local socket of a skill server.

    Returns:
        Exit code and output; None for every other command, and if no skill server has carried it out.
    """
    for names, command in LOCAL.items():
        if tuple(words[: len(names)]) == names:
            rest, namespace = list(words[len(names) :]), ""
            if "--namespace" in rest[:-1]:
                place = rest.index("--namespace")
                namespace = rest[place + 1]
                del rest[place : place + 2]
            if len(rest) <= 1 and not any(word.startswith("-") for word in (*rest, namespace)):
                return command(namespace, *(rest or [""]))
    return None


def command_line() -> "typer.Typer":
    """Return the commands of every installed package."""
    from importlib.metadata import entry_points, version

    import typer

    app = typer.Typer(no_args_is_help=True, add_completion=False, help="OpenRAL's command line.")

    def show_version(requested: bool) -> None:
        if requested:
            typer.echo(f"openral {version('openral_bringup')}")
            raise typer.Exit

    @app.callback()
    def settings(
        *,
        _version: Annotated[
            bool, typer.Option("--version", callback=show_version, is_eager=True, help="print the version")
        ] = False,
        discovery: Annotated[
            Discovery | None,
            typer.Option(envvar=VARIABLE, help="find graphs on this machine or its network"),
        ] = None,
    ) -> None:
        if discovery is not None:
            os.environ[VARIABLE] = discovery.value

    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        add_commands(app, entry.load())
    return app


def add_commands(app: "typer.Typer", part: "typer.Typer") -> None:
    """Add commands and groups; commands of a group that another package has added are merged into it."""
    app.registered_commands += part.registered_commands
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    for group in part.registered_groups:
        existing = groups.get(group.name)
        if existing is None or group.typer_instance is None:
            app.registered_groups.append(group)
        else:
            new = group.typer_instance.registered_commands
            existing.registered_commands += [each for each in new if each not in existing.registered_commands]


def main() -> None:
    """Run the command line; an `OpenRALError` becomes one line on standard error and its exit code, or 2."""
    if sys.argv[1:2] == ["stop"]:  # whose reason may be in any encoding
        sys.argv = [word.encode(errors="replace").decode() for word in sys.argv]
    outcome = run_locally(sys.argv[1:])
    if outcome is not None:
        sys.stdout.write(f"{outcome[1]}\n")
        sys.exit(outcome[0])
    try:
        check_arguments(sys.argv[1:])
        command_line()(prog_name="openral")
    except OpenRALError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(getattr(error, "exit_code", 2))

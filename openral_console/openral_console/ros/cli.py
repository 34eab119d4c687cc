"""Command `openral console`."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from openral_console.source import ConsoleSource

RECORDINGS = "openral.recordings"
"""Group of the entry point that makes the source of a recording of its path and that of another run."""
commands = typer.Typer(no_args_is_help=True, add_completion=False, help="Watch robots and recordings.")


class NoRecordingReader(OpenRALError):
    """No installed package reads recordings."""

    def __init__(self) -> None:
        super().__init__("recordings are read by openral_testing, which is not installed here")


def recording_source(run: Path, beside: Path | None) -> ConsoleSource:
    """Return the source of a recording.

    Raises:
        NoRecordingReader: If no installed package reads recordings.
    """
    readers = entry_points(group=RECORDINGS)
    if not readers:
        raise NoRecordingReader
    source: ConsoleSource = next(iter(readers)).load()(run, beside)
    return source


@commands.command()
def console(
    run: Annotated[
        Path | None, typer.Argument(help="run folder or MCAP file; without one, a running robot")
    ] = None,
    beside: Annotated[
        Path | None, typer.Option(help="another run, whose differences are marked in the recording")
    ] = None,
    *,
    host: Annotated[str, typer.Option(help="address; others than loopback need a token")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="port; 0 = 8770, or any if it is taken")] = 0,
    namespace: Annotated[str, typer.Option(help="namespace of the robot")] = "",
    allow_actions: Annotated[
        bool, typer.Option("--allow-actions", help="permit goals, answers, edits of memory, transitions")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="host name by which the console is addressed (repeatable)")
    ] = None,
    token: Annotated[
        str, typer.Option(envvar="OPENRAL_CONSOLE_TOKEN", help="token that pages present; default: generated")
    ] = "",
    robot: Annotated[
        Path | None, typer.Option(help="robot.yaml, with which pages can run `openral robot check`")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="PEM file with a certificate chain: serves over TLS")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="PEM file with its private key; default: in --certificate too")
    ] = None,
) -> None:
    """Show a running robot, or a recording, in the browser until interrupted."""
    from openral_console.checks import standard_checks
    from openral_console.ros.robot import LiveSource
    from openral_console.server import Certificate, address_of, listen, make_access, make_server
    from openral_core.robot import load_robot

    if robot is not None:
        load_robot(robot)
    if key is not None and certificate is None:
        raise typer.BadParameter("--key needs --certificate")
    tls = Certificate(certificate, key or certificate) if certificate else None
    access = make_access(host, allow_actions and run is None, token, allow_host or ())
    checks = None if run else standard_checks(robot)
    with listen(host, port) as listener:
        source = LiveSource(namespace) if run is None else recording_source(run, beside)
        typer.echo(f"console: {address_of(listener, 'https' if tls else 'http')}")
        if access.token and not token:
            typer.echo(f"token (shown once): {access.token}")
        try:
            with suppress(KeyboardInterrupt):  # which the web server raises again after a clean end
                make_server(source, access, tls, checks).run(sockets=[listener])
        finally:
            source.close()

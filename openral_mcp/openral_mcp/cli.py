"""`openral mcp`: serve a running robot to other agents."""

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer(add_completion=False)


@commands.command()
def mcp(
    http: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="port of this machine for streamable HTTP; default: stdio"),
    ] = None,
    allow_missions: Annotated[
        bool, typer.Option("--allow-missions", help="also offer start_mission, answer and stop")
    ] = False,
    namespace: Annotated[str, typer.Option(help="namespace of the robot")] = "",
    runs: Annotated[Path, typer.Option(help="folder of recorded runs")] = Path("runs"),
) -> None:
    """Serve a running robot to other agents by the Model Context Protocol.

    Without --allow-missions clients can only read. HTTP clients need the bearer token of the environment
    variable OPENRAL_MCP_TOKEN; if it is not set, a token is generated and printed to standard error.
    """
    # The SDK takes seconds to import, which no other command of openral should.
    from openral_mcp.server import serve

    serve(http, allow_missions=allow_missions, namespace=namespace, runs=runs)

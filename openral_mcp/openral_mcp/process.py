"""Process of the MCP server: its ROS node, its transport, and its end on a signal."""

import os
import signal
import socket
import sys
from pathlib import Path

import anyio
from mcp.server.mcpserver import MCPServer

from openral_mcp.acting_tools import ActingTools
from openral_mcp.graph_thread import GraphThread
from openral_mcp.missions import MissionClient, MissionMonitor
from openral_mcp.reading_tools import ReadingTools
from openral_mcp.resources import add_resources
from openral_mcp.robot_reader import RobotReader
from openral_mcp.runs import RunFolder
from openral_mcp.server import HOST, TOKEN_VARIABLE, bind, make_server, serve_http, token_from_environment
from openral_ros.tracing import start_tracing


def serve(http: int | None, *, allow_missions: bool, namespace: str, runs: Path) -> None:
    """Serve a robot until the client ends standard input, or a signal comes.

    Args:
        http: Port for streamable HTTP, 0 for a free one; None serves standard input and output.
        allow_missions: Offer tools that ask the robot to act.
        namespace: Namespace of the robot.
        runs: Folder of recorded runs.

    Raises:
        InvalidToken: If the configured token is too short.
        PortUnavailable: If the port is taken.
    """
    token = "" if http is None else token_from_environment()
    listener = None if http is None else bind(http)
    start_tracing("openral_mcp", None)
    thread = GraphThread(namespace)
    robot, monitor = RobotReader(thread), MissionMonitor(thread)
    reading = ReadingTools(robot, monitor, RunFolder(runs))
    acting = ActingTools(MissionClient(thread, monitor), monitor, reading) if allow_missions else None
    server = make_server(reading, acting, token)
    add_resources(server, robot, reading)
    if listener is not None:
        _announce(listener, token)
    with thread:
        anyio.run(_serve, server, listener, acting)


async def _serve(server: MCPServer, listener: socket.socket | None, acting: ActingTools | None) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, acting)
        if listener is None:
            await server.run_stdio_async()
        else:
            await serve_http(server, listener)
        tasks.cancel_scope.cancel()


def _announce(listener: socket.socket, token: str) -> None:
    """Print address and, if it was generated, the token; standard output belongs to the protocol."""
    print(f"MCP server at http://{HOST}:{listener.getsockname()[1]}/mcp", file=sys.stderr)
    if not os.environ.get(TOKEN_VARIABLE):
        print(f"Authorization: Bearer {token}", file=sys.stderr)
    sys.stderr.flush()


async def _end_on_signal(acting: ActingTools | None) -> None:
    """End the process on SIGINT or SIGTERM; a robot that a call waits for is stopped first."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if acting is not None:
                await acting.stop_awaited()
            # A thread that reads standard input cannot be cancelled, and would keep the process alive.
            os._exit(0)

"""`openral mcp` as a process: standard input and output, HTTP, signals."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

Call = Callable[..., Any]
STARTUP = 80.0
"""Longest wait for a new process [s]: the SDK takes seconds of CPU time to import."""
EXAMPLE = Path(__file__).parents[2] / "examples" / "agent_over_mcp.py"
GOAL = {"goal": "go to the dining table"}


@pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.slow), "auto"])
def test_a_process_serves_its_standard_streams(
    graph: Any, make_reasoner: Call, command: Callable[..., StdioServerParameters], call: Call, mode: str
) -> None:
    make_reasoner()

    async def main() -> dict[str, Any]:
        async with Client(command(), mode=mode) as client:
            assert "start_mission" not in {tool.name for tool in (await client.list_tools()).tools}
            return await call(client, "recall_object", query="mug")

    assert anyio.run(main)["status"] == "FOUND"


@pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.slow), "auto"])
def test_a_mission_runs_over_standard_streams(
    graph: Any, make_reasoner: Call, command: Callable[..., StdioServerParameters], mode: str
) -> None:
    make_reasoner()
    told: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async def main() -> Any:
        async with Client(command("--allow-missions"), mode=mode) as client:
            return await client.call_tool(
                "start_mission", {"goal": "find the mug"}, progress_callback=progress
            )

    reply = anyio.run(main).structured_content
    assert reply["status"] == "SUCCEEDED", reply
    assert told


def test_a_cancelled_call_over_standard_streams_stops_the_robot(
    graph: Any,
    spinner: Any,
    make_reasoner: Call,
    command: Callable[..., StdioServerParameters],
    wait_until: Call,
) -> None:
    make_reasoner()
    graph.hold_skills = True

    async def main() -> None:
        async with Client(command("--allow-missions")) as client:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "start_mission", GOAL)
                await anyio.to_thread.run_sync(lambda: wait_until(lambda: bool(graph.goals)))
                tasks.cancel_scope.cancel()
            await anyio.to_thread.run_sync(lambda: wait_until(lambda: graph.cancel_asked))

    anyio.run(main)
    spinner.do(lambda: graph.held.set_result(None))


@pytest.mark.parametrize("end", ["SIGTERM", pytest.param("SIGINT", marks=pytest.mark.slow), "end of input"])
def test_a_server_that_ends_stops_the_mission_that_a_call_waits_for(
    graph: Any, spinner: Any, make_reasoner: Call, wait_until: Call, ros_domain: int, end: str
) -> None:
    make_reasoner()
    graph.hold_skills = True
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "start_mission", "arguments": GOAL}},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "openral_mcp", "--allow-missions"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ),
    ) as process:
        assert process.stdin is not None
        try:
            process.stdin.write(("\n".join(lines) + "\n").encode())
            process.stdin.flush()
            wait_until(lambda: bool(graph.goals), STARTUP)
            if end == "end of input":
                process.stdin.close()
            else:
                process.send_signal(signal.Signals[end])
            wait_until(lambda: graph.cancel_asked)
            assert process.wait(timeout=20.0) == 0
        finally:
            process.kill()
    spinner.do(lambda: graph.held.set_result(None))


def test_http_prints_its_address_and_token(
    graph: Any, ros_domain: int, tmp_path: Path, call: Call, wait_until: Call
) -> None:
    errors = tmp_path / "errors.txt"
    with (
        errors.open("w") as out,
        subprocess.Popen(
            [sys.executable, "-P", "-m", "openral_mcp", "--http", "0"],
            stdin=subprocess.DEVNULL,
            stderr=out,
            env=dict(os.environ),
        ) as process,
    ):
        try:
            wait_until(lambda: "Bearer" in errors.read_text(), STARTUP)
            told = errors.read_text()
            url = re.search(r"http://127\.0\.0\.1:\d+/mcp", told)
            token = re.search(r"Bearer (\S+)", told)
            assert url is not None
            assert token is not None

            async def main() -> dict[str, Any]:
                headers = {"Authorization": f"Bearer {token[1]}"}
                async with (
                    httpx2.AsyncClient(headers=headers, timeout=30.0) as web,
                    Client(streamable_http_client(url[0], http_client=web)) as client,
                ):
                    return await call(client, "recall_object", query="mug")

            assert anyio.run(main)["status"] == "FOUND"
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=20.0) == 0
        finally:
            process.kill()


def test_a_short_token_is_refused_in_one_line(ros_domain: int) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "openral_mcp", "--http", "0"],
        env={**os.environ, "OPENRAL_MCP_TOKEN": "short"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "OPENRAL_MCP_TOKEN is too short" in done.stderr


def test_the_example_agent_finds_an_object(graph: Any, make_reasoner: Call, ros_domain: int) -> None:
    make_reasoner()
    done = subprocess.run(
        [sys.executable, "-P", EXAMPLE, "mug"],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recall_object: FOUND" in done.stdout
    assert "SUCCEEDED" in done.stdout

"""Front doors: every tool and resource of the MCP server, and every HTTP route of the console."""

import inspect
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx2
import rclpy
from dds_ports import domains
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError
from rclpy.parameter import Parameter

from fuzzing.invariants import InvariantBroken
from fuzzing.json_values import ANYTHING, arguments
from fuzzing.message_values import TEXTS
from fuzzing.rig import ROOT, test_support
from fuzzing.rounds import Door
from openral_console.ros import commands
from openral_console.ros.robot import LiveSource
from openral_console.security import Access
from openral_console.server import make_app
from openral_core.token_bucket import TokenBucket
from openral_mcp.acting_tools import ActingTools
from openral_mcp.missions import MissionClient
from openral_mcp.reading_tools import ReadingTools, add_resources
from openral_mcp.robot_reader import RobotReader
from openral_mcp.runs import RunFolder
from openral_mcp.server import make_server
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_reasoner_ros.node import ReasonerNode
from openral_ros.node_thread import NodeThread
from openral_testing.ros.fake_graph import FakeGraph
from openral_testing.ros.robot import PlayedRobot

SHARE = 0.3
"""Share of the cases of a subscription: a request crosses two processes' worth of DDS."""
LONGEST_CALL = 60.0
"""Longest call of a tool [s]; a detection has the longest deadline."""
LONGEST_ANSWER = 250_000
"""Longest answer of a tool [characters]."""
UNLIMITED = 1e9
REFUSALS = (MCPError, UnicodeError, ValueError, RecursionError)
HEADERS: tuple[dict[str, str], ...] = (
    {}, {}, {}, {"upgrade": "websocket", "connection": "upgrade", "sec-websocket-key": "x"},
    {"host": "evil.example"}, {"origin": "http://evil.example"}, {"content-type": "text/plain"},
{"cookie": "openral_session=\x7f; =; ="}, {"authorization": "Bearer "},
)  # fmt: skip


@contextmanager
def mcp_suite(folder: Path) -> Iterator[tuple[Door, ...]]:
    """Yield one door per tool and resource of a server that may start missions."""
    part = test_support("openral_mcp/test/conftest.py")
    domain = next(iter(domains()))
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    with ExitStack() as stack:
        context = rclpy.context.Context()
        rclpy.init(context=context, domain_id=domain)
        stack.callback(rclpy.try_shutdown, context=context)
        spinner = part.Spinner(context)
        stack.callback(spinner.close)
        spinner.add(FakeGraph(context, part.small_home(), part.LOCATOR))
        spinner.add(_reasoner(context))
        thread = NodeThread("openral_mcp")
        robot, monitor = RobotReader(thread), MissionMonitor(thread.scope)
        reading = ReadingTools(robot, monitor, RunFolder(folder / "runs"))
        server = make_server(reading, ActingTools(MissionClient(thread, monitor), monitor, reading))
        add_resources(server, robot, reading)
        stack.enter_context(thread)
        yield tuple(_mcp_doors(server))


def _reasoner(context: Any) -> ReasonerNode:
    given = {"rskill_folders": [str(ROOT / "rskills")], "requester": "ana", "poll_period": 0.1}
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    node = ReasonerNode(context=context, parameter_overrides=overrides)
    node.trigger_configure()
    node.trigger_activate()
    return node


def _mcp_doors(server: Any) -> Iterator[Door]:
    async def listed() -> tuple[Any, Any, Any]:
        async with Client(server) as client:
            tools, resources = await client.list_tools(), await client.list_resources()
            return (
                tools.tools,
                resources.resources,
                (await client.list_resource_templates()).resource_templates,
            )

    tools, resources, templates = anyio.run(listed)
    for tool in tools:
        values = partial(_without_waits, tool.input_schema)
        yield Door(f"mcp tool {tool.name}", values, partial(_call, server, tool.name), SHARE)
    for uri in [*(str(each.uri) for each in resources), *(each.uri_template for each in templates)]:
        yield Door(f"mcp resource {uri}", partial(_uris, uri), partial(_read, server), SHARE)


def _without_waits(schema: Any) -> st.SearchStrategy[Any]:
    """Return arguments of a tool that never ask it to wait for the end of a mission."""
    waits = "wait" in schema.get("properties", {})
    return arguments(schema).map(lambda given: {**given, "wait": 0.0} if waits else given)


def _uris(template: str) -> st.SearchStrategy[str]:
    odd = st.one_of(st.sampled_from(TEXTS), st.text(max_size=20)).map(lambda text: quote(text, safe="/.%"))
    filled = odd.map(lambda text: re.sub(r"\{[^}]*\}", lambda _: text, template))
    return st.one_of(filled, odd.map(lambda text: f"{template.partition('{')[0]}{text}"))


def _call(server: Any, name: str, given: dict[str, Any]) -> None:
    async def main() -> str:
        async with Client(server, cache=None) as client:
            with anyio.fail_after(LONGEST_CALL):
                return str((await client.call_tool(name, given)).model_dump())

    _bounded(main)


def _read(server: Any, uri: str) -> None:
    async def main() -> str:
        async with Client(server, cache=None) as client:
            with anyio.fail_after(LONGEST_CALL):
                return str((await client.read_resource(uri)).model_dump())

    _bounded(main)


def _bounded(main: Any) -> None:
    """Run a request; a refusal, here or by the server, is right.

    Raises:
        InvariantBroken: If the answer is endless.
    """
    try:
        text = anyio.run(main)
    except REFUSALS:
        return
    except BaseExceptionGroup as group:
        if group.split(REFUSALS)[1] is not None:
            raise
        return
    if len(text) > LONGEST_ANSWER:
        raise InvariantBroken(f"an answer of {len(text)} characters: {text[:200]}")


@dataclass(frozen=True)
class Request:
    """One HTTP request."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@contextmanager
def console_suite(folder: Path) -> Iterator[tuple[Door, ...]]:
    """Yield one door per route of a console that permits everything."""
    part = test_support("openral_console/test/conftest.py")
    domain = next(iter(domains()))
    access = Access(allow_actions=True, requests=TokenBucket(UNLIMITED, UNLIMITED))
    with ExitStack() as stack:
        robot = PlayedRobot(domain)
        stack.callback(robot.close)
        source = LiveSource(domain=domain)
        stack.callback(source.close)
        site = part.Site(source, access)
        stack.callback(site.close)
        site.wait(lambda: all(site.section(name) for name in ("mission", "scene", "cameras")))
        client = stack.enter_context(site.client())
        yield tuple(_console_doors(make_app(source, access), client))


def _console_doors(app: Any, client: httpx2.Client) -> Iterator[Door]:
    for route in app._app.routes:
        methods = sorted(getattr(route, "methods", None) or {"GET"})
        dependant = getattr(route, "dependant", None)
        names = [each.name for each in dependant.query_params] if dependant else ["x"]
        values = partial(_requests, route.path or "/", methods, names)
        yield Door(f"console {methods[0]} {route.path or '/'}", values, partial(_send, client), SHARE)


def command_words() -> list[str]:
    """Return the names of the values that commands read, from their source."""
    return sorted(set(re.findall(r'_of\(values, "(\w+)"', inspect.getsource(commands))))


def _requests(path: str, methods: list[str], names: list[str]) -> st.SearchStrategy[Request]:
    text = st.one_of(st.sampled_from(TEXTS), st.text(max_size=20))
    known = st.sampled_from(("head", "prompt", "stop", "recall", "edit", "locate", "detector"))
    part = st.one_of(known, known, text.map(lambda odd: quote(odd, safe="/")))
    paths = part.map(lambda odd: re.sub(r"\{[^}]*\}", lambda _: odd, path))
    words = st.sampled_from(["token", *command_words()])
    plain = st.one_of(text, st.sampled_from(("mug", "mug_1", "rename", "move", "activate")), ANYTHING)
    return st.builds(
        Request,
        st.sampled_from([*methods * 4, "PUT", "OPTIONS", "HEAD"]),
        paths,
        st.dictionaries(st.sampled_from(names or ["x"]), text, max_size=2),
        st.sampled_from(HEADERS),
        st.one_of(st.dictionaries(words, plain, max_size=4), ANYTHING),
    )


def _send(client: httpx2.Client, request: Request) -> None:
    """Send a request and read the head of its answer.

    Raises:
        InvariantBroken: If the console broke over it.
    """
    try:
        content = client.build_request("POST", "/", json=request.body).content
    except (ValueError, RecursionError):
        content = b'{"text": "\\ud800", "x": NaN'
    given = {"content-type": "application/json", **request.headers}
    try:
        with client.stream(
            request.method, request.path, params=request.query, headers=given, content=content
        ) as answer:
            status = answer.status_code
    except (httpx2.InvalidURL, httpx2.LocalProtocolError, httpx2.RemoteProtocolError, httpx2.WriteError):
        return
    if status >= 500 and status not in (503, 504):
        raise InvariantBroken(f"{request.method} {request.path}: status {status}")

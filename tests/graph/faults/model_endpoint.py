"""A model behind an endpoint on this machine that finds objects, and drips while a switch is on."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler

from graph.fault_injection.switches import Switches
from loopback import EVENTS, Api, endpoint

DRIP, PERIOD = "dripping_endpoint", 0.2
"""Switch; and the time between two drops [s]."""
API = Api("openai")
_GOAL = re.compile(r'"find the (\w+)"')
_ID = re.compile(r'"id": ?"(\w+)"')


@contextmanager
def finding_model(switches: Switches) -> Iterator[str]:
    """Provide the address of an endpoint that recalls, drives to and looks for the object of a goal."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if switches.is_on(DRIP):
            _drip(handler, switches)
        else:
            API.answer(decision(script.requests[-1]))(handler)

    with endpoint(answer) as (address, script):
        yield f"{address}/v1"


def decision(request: Mapping[str, list[dict[str, str]]]) -> tuple[str, str]:
    """Return the next call of a mission whose messages are given."""
    messages = request["messages"]
    goal = _GOAL.search(messages[1]["content"])
    name = goal[1] if goal else ""
    replies = [message["content"] for message in messages if message["role"] == "tool"]
    node = _ID.search(replies[0]) if replies else None
    navigate = {"rskill_id": "navigate", "target": node[1] if node else "kitchen_counter"}
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("recall_object", {"query": name}),
        ("execute_rskill", navigate),
        ("locate_in_view", {"query": name}),
        ("done", {"success": True, "message": f"The {name} is there."}),
    )
    tool, arguments = calls[min(len(replies), len(calls) - 1)]
    return tool, json.dumps(arguments)


def _drip(handler: BaseHTTPRequestHandler, switches: Switches) -> None:
    """Keep the connection alive with bytes that say nothing."""
    with suppress(OSError):
        handler.wfile.write(EVENTS)
        while switches.is_on(DRIP):
            handler.wfile.write(b": \n")
            handler.wfile.flush()
            time.sleep(PERIOD)

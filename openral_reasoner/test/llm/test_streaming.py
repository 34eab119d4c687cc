"""Endpoints that break in every way: how the mission ends, and that the next one works at once."""

import json
from typing import Any

import pytest

pytest.importorskip("anthropic")
pytest.importorskip("openai")
from loopback import EVENTS, KEY, Api, Behaviour, dripping, event, raw, status
from missions_by_endpoint import GIVE_UP, GO, HANDED_OVER, PLENTY, SOON, Robot, Says


def chunk(api: Api, **content: Any) -> Behaviour:
    """One event of an unusual kind, then the end."""
    return raw(EVENTS, event({"type": "content_block_delta", **content}, api.named), b"data: [DONE]\n\n")


BROKEN: dict[str, tuple[Says, str, int]] = {
    "500": (lambda api: status(500, "api_error"), "answered 500: no: ***", 9),
    "503": (lambda api: status(503, "x"), "OVERLOADED: http://127.0.0.1:", 9),
    "429 of an hour": (lambda api: status(429, "x", retry_after="3600"), "RATE_LIMITED", 3),
    "429 NaN": (lambda api: status(429, "x", retry_after="nan"), "RATE_LIMITED", 9),
    "429 until 2099": (
        lambda api: status(429, "x", retry_after="Thu, 01 Jan 2099 00:00:00 GMT"),
        "RATE_LIMITED",
        9,
    ),
    "404": (lambda api: status(404, "x", "model x does not exist"), "NO_SUCH_MODEL: http://127.0.0.1:", 1),
    "400": (lambda api: status(400, "x", "tool_choice is not supported"), "tool_choice is not supported", 2),
    "401 with the key": (
        lambda api: status(401, "x", f"Bearer {KEY}"),
        "answered 401: Bearer *** (set ANTHROPIC_API_KEY",
        1,
    ),
    "307": (
        lambda api: raw(b"HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:9/v1\r\n\r\n"),
        "REDIRECTED: the endpoint redirects to 'http://127.0.0.1:9/v1': set base_url",
        1,
    ),
    "HTML": (
        lambda api: raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html></html>"),
        "NOT_A_STREAM: the endpoint answered with 'text/html' instead of an event stream",
        1,
    ),
    "an empty stream": (lambda api: raw(EVENTS), "STREAM_CUT: the answer ended before it was complete", 9),
    "no HTTP": (lambda api: raw(b"220 mail ready\r\n"), "CONNECTION_LOST", 9),
    "hung up": (lambda api: raw(), "CONNECTION_LOST", 9),
    "cut": (lambda api: api.broken(GO), "STREAM_CUT", 9),
    "malformed events": (
        lambda api: raw(EVENTS, b"event: message_start\ndata: {not json\n\n"),
        "MALFORMED_ANSWER: an event of the answer violates the API (JSONDecodeError",
        9,
    ),
    "deep events": (
        lambda api: raw(EVENTS, b"event: message_start\ndata: " + b"[" * 100_000 + b"\n\n"),
        "MALFORMED_ANSWER",
        9,
    ),
    "no UTF-8": (lambda api: raw(EVENTS, b"event: message_start\ndata: \xff\xfe\n\n"), "MALFORMED_ANSWER", 9),
    "choices: null": (lambda api: chunk(api, choices=None, index=0), "", 9),
    "delta: null": (lambda api: chunk(api, choices=[{"index": 0, "delta": None}], delta=None), "", 9),
    "{}": (lambda api: raw(EVENTS, b"event: message_start\ndata: {}\n\ndata: [DONE]\n\n"), "", 9),
    "a list": (lambda api: raw(EVENTS, b"event: message_start\ndata: [1]\n\n"), "", 9),
    "an error in mid stream": (
        lambda api: raw(
            EVENTS, b'event: error\ndata: {"error": {"type": "x", "message": "out of memory"}}\n\n'
        ),
        "out of memory",
        0,
    ),
    "ten megabytes of arguments": (
        lambda api: api.answer(("recall_object", json.dumps({"query": "x" * 10_000_000}))),
        "ANSWER_TOO_LARGE",
        3,
    ),
    "1.1 megabytes in small parts": (
        lambda api: api.answer(*[("recall_object", "x" * 1100)] * 1000),
        "ANSWER_TOO_LARGE: more than 1000000 characters",
        3,
    ),
}


@pytest.mark.parametrize(("says", "reason", "requests"), BROKEN.values(), ids=BROKEN)
def test_a_broken_endpoint_is_named_for_what_it_does(
    says: Says, reason: str, requests: int, robot: Robot
) -> None:
    end = robot.mission(says(robot.api))
    assert end.state is HANDED_OVER
    begin = "the model cannot decide: " if requests in (1, 2) else "the model failed 3 times; last failure: "
    assert end.reason.startswith(begin)
    assert reason in end.reason
    assert "MODEL_ERROR" not in end.reason
    assert requests in (0, len(robot.script.requests))
    robot.works()


PASSING: dict[str, Says] = {
    "500": lambda api: status(500, "api_error"),
    "429": lambda api: status(429, "x", retry_after="1"),
    "cut": lambda api: api.broken(GO),
    "hung up": lambda api: raw(),
    "malformed events": lambda api: raw(EVENTS, b"event: message_start\ndata: {not json\n\n"),
    "choices: null": lambda api: chunk(api, choices=None, index=0),
    "{}": lambda api: raw(EVENTS, b"event: message_start\ndata: {}\n\n"),
}


@pytest.mark.parametrize("says", PASSING.values(), ids=PASSING)
def test_what_passes_is_tried_again_within_the_same_decision(says: Says, robot: Robot) -> None:
    broken = says(robot.api)
    end = robot.mission(broken, broken, robot.api.answer(GO), broken, robot.api.answer(GIVE_UP))
    assert end.reason == "as I was told"
    assert len(robot.script.requests) == 5


HANGING = {
    "one byte a moment": (EVENTS + b"data: ", b"x"),
    "comments": (EVENTS, b": PROCESSING\n\n"),
    "slow headers": (b"HTTP/1.1 200 OK\r\n", b"x-a: b\r\n"),
    "silence after headers": (EVENTS, b""),
    "silence": (b"", b""),
}


@pytest.mark.parametrize(("first", "drop"), HANGING.values(), ids=HANGING)
def test_an_endpoint_that_never_ends_is_left_and_the_next_mission_waits_for_nothing(
    first: bytes, drop: bytes, robot: Robot
) -> None:
    robot.deadline = SOON
    end = robot.mission(dripping(robot.script, first, drop, robot.api.answer(GIVE_UP)))
    assert end.state is HANDED_OVER
    assert end.reason == "the model failed 3 times; last failure: TIMEOUT: no answer in time"
    robot.deadline = PLENTY
    robot.works()


@pytest.mark.parametrize("tokens", [-5, 10**12, 1.5, "many"], ids=str)
def test_a_count_of_tokens_that_is_none_is_not_believed(tokens: Any, robot: Robot) -> None:
    chunks = robot.api.chunks(GO)
    for item in chunks:
        usage = item.get("usage") or {}
        usage.update({name: tokens for name in ("output_tokens", "completion_tokens") if name in usage})
    end = robot.mission(raw(EVENTS, *[event(item, robot.api.named) for item in chunks]))
    assert end.state is HANDED_OVER
    assert "MALFORMED_ANSWER" in end.reason
    robot.works()

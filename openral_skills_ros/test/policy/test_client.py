"""Sessions with policy servers that misbehave: each ends with one typed failure, in time."""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rclpy")

from foreign_joints import CONTRACT
from policy_server import PolicyServer, from_wire, to_wire

from openral_core.rskills import PolicyManifest
from openral_core.skill_errors import SkillFailed
from openral_core.skills import SkillStatus
from openral_skills_ros.backends.policy.client import MAX_MESSAGE, Session, pack, unpack

POLICY = PolicyManifest.model_validate({**CONTRACT, "response_timeout": 0.3, "connect_timeout": 0.5})
ZEROS = np.zeros((2, 3), np.float32)


@pytest.fixture
def server() -> Iterator[PolicyServer]:
    made = PolicyServer(lambda observation: {"actions": ZEROS})
    yield made
    made.stop()


class Asked:
    """A session and what it has told."""

    def __init__(self, address: str) -> None:
        self._events: SimpleQueue[Any] = SimpleQueue()
        self.session = Session(address, POLICY, self._events.put)

    def next(self) -> Any:
        return self._events.get(timeout=10.0)

    def failure(self, status: SkillStatus = SkillStatus.SKILL_ERROR) -> str:
        event = self.next()
        assert isinstance(event, SkillFailed), event
        assert event.status is status
        return str(event)


def asked(server: PolicyServer) -> Asked:
    """Ask once, and drop the metadata."""
    made = Asked(server.address)
    made.session.ask({"state": np.ones(3, np.float32)})
    assert made.next() == {"policy": "test"}
    return made


def test_observations_are_answered_until_the_session_ends(server: PolicyServer) -> None:
    session = asked(server)
    assert session.next()["actions"].tolist() == ZEROS.tolist()
    session.session.ask({"prompt": "again"})
    assert session.next()["actions"].shape == (2, 3)
    assert server.observations[0]["state"].tolist() == [1.0, 1.0, 1.0]
    session.session.end()
    assert server.has_closed.wait(5.0)


def test_an_absent_server_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    message = Asked(f"ws://127.0.0.1:{port}").failure(SkillStatus.INACTIVE)
    assert f"no policy server at ws://127.0.0.1:{port}: ConnectionRefusedError" in message


def test_a_port_that_is_no_websocket_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        message = Asked(f"ws://127.0.0.1:{listener.getsockname()[1]}").failure(SkillStatus.INACTIVE)
    assert "no policy server" in message


@pytest.mark.parametrize(
    ("metadata", "status", "message"),
    [
        ({"policy": "pour"}, SkillStatus.INACTIVE, "its metadata has 'policy' 'pour', expected 'test'"),
        ({}, SkillStatus.INACTIVE, "its metadata has 'policy' (none), expected 'test'"),
        ({"policy": ZEROS}, SkillStatus.INACTIVE, "expected 'test'"),
        ("", SkillStatus.TIMEOUT, "sent no metadata within 0.5 s"),
        (b"\xc1", SkillStatus.SKILL_ERROR, "sent what is no message of its protocol"),
        ("CUDA out of memory", SkillStatus.SKILL_ERROR, "reported an error: 'CUDA out of memory'"),
    ],
)
def test_wrong_metadata_ends_the_session(
    server: PolicyServer, metadata: Any, status: SkillStatus, message: str
) -> None:
    server.announce = metadata
    assert message in Asked(server.address).failure(status)


def abort(_: object) -> None:
    raise ConnectionAbortedError


def array(**changes: Any) -> bytes:
    return bytes(
        msgpack.packb({"actions": {**to_wire(ZEROS), **{k.encode(): v for k, v in changes.items()}}})
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (abort, "closed the connection"),
        (lambda _: "Traceback:\nValueError: bad state\n", "an error: 'ValueError: bad state'"),
        (lambda _: b"", "no message of its protocol"),
        (lambda _: b"<html>not found</html>", "no message of its protocol"),
        (lambda _: msgpack.packb([1, 2]), "expected a mapping, found list"),
        (lambda _: array(dtype="|O"), "an array of '|O' is not accepted"),
        (lambda _: array(dtype="(9999999,9999999)f8"), "is not accepted"),
        (lambda _: array(shape=[3, 3]), "cannot reshape array"),
        (lambda _: array(shape=[-1, 3]), "shape is not a list of lengths"),
        (lambda _: array(data="text"), "an array without bytes or shape"),
        (lambda _: b"\x91" * 100_000, "no message of its protocol"),
        (lambda _: bytes(MAX_MESSAGE + 1), "closed the connection"),
    ],
)
def test_a_wrong_answer_ends_the_session(
    server: PolicyServer, answer: Callable[[Any], Any], message: str
) -> None:
    server.answer = answer
    session = asked(server)
    assert message in session.failure()
    assert server.has_closed.wait(5.0)


def test_a_silent_server_times_out(server: PolicyServer) -> None:
    server.answer = lambda observation: None
    assert "sent no actions within 0.3 s" in asked(server).failure(SkillStatus.TIMEOUT)


def test_messages_are_those_of_openpi() -> None:
    message = {"state": np.arange(6, dtype=np.float32).reshape(2, 3), "step": np.int64(7), "prompt": "go"}
    theirs = msgpack.unpackb(pack(message), object_hook=from_wire)
    assert (theirs["state"] == message["state"]).all()
    assert theirs["step"] == {b"__npgeneric__": True, b"data": 7, b"dtype": "<i8"}
    again = unpack(pack(message))
    assert again["step"] == 7
    assert again["state"].dtype == np.float32


@given(st.binary(max_size=200), st.integers(0, 200), st.binary(max_size=8))
def test_no_bytes_raise_anything_else_than_is_documented(noise: bytes, at: int, change: bytes) -> None:
    valid = pack({"actions": ZEROS, "done": np.True_})
    for data in (noise, valid[:at] + change + valid[at + len(change) :]):
        with suppress(ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException):
            assert isinstance(unpack(data), dict)

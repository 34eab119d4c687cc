"""Addresses of endpoints, and the retries and circuit breaker of their requests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from openral_core.documents import InvalidDocument, parse_document
from openral_perception_ros.engines.errors import EngineError
from openral_perception_ros.engines.remote import (
    CircuitOpen,
    InvalidEndpoint,
    RemoteAddress,
    RemoteCalls,
    RemoteOptions,
    RemoteRefused,
    RemoteTimedOut,
    RemoteUnavailable,
)

SCHEMES = {"grpc": 8001, "grpcs": 443}


def address(endpoint: str, **environment: str) -> RemoteAddress:
    options = RemoteOptions(model="m", endpoint=endpoint, endpoint_variable="OPENRAL_EYES")
    return RemoteAddress.of(options, Path(), SCHEMES, environment)


@pytest.mark.parametrize(
    ("endpoint", "found", "loopback"),
    [
        ("grpc://127.0.0.1", "grpc://127.0.0.1:8001", True),
        ("grpc://localhost:9", "grpc://localhost:9", True),
        ("grpcs://eyes.example", "grpcs://eyes.example:443", False),
        ("grpc://[::1]:5/v", "grpc://[::1]:5/v", True),
    ],
)
def test_an_address_is_read(endpoint: str, found: str, loopback: bool) -> None:
    assert (str(address(endpoint)), address(endpoint).is_loopback) == (found, loopback)


def test_a_variable_that_is_set_outranks_the_manifest() -> None:
    assert address("grpc://one", OPENRAL_EYES="grpc://two").host == "two"
    assert address("grpc://one", OPENRAL_EYES="").host == "one"


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ("", "'OPENRAL_EYES'"),
        ("127.0.0.1:8001", "'grpc://host:port', 'grpcs://host:port'"),
        ("http://eyes", "'grpc://host:port', 'grpcs://host:port'"),
        ("grpc://:8001", "'grpc://host:port'"),
        ("grpc://eyes:many", "'grpc://eyes:many'"),
        ("grpc://[::1", "'grpc://\\[::1'"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(endpoint: str, words: str) -> None:
    with pytest.raises(InvalidEndpoint, match=words):
        address(endpoint)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidEndpoint, match="user or a password") as refused:
        address("grpc://robot:secret@eyes")
    assert "secret" not in str(refused.value)


def test_certificates_that_are_missing_are_named(tmp_path: Path) -> None:
    options = RemoteOptions(model="m", endpoint="grpcs://eyes", ca_file="ca.pem")
    with pytest.raises(InvalidEndpoint, match=str(tmp_path / "ca.pem")):
        RemoteAddress.of(options, tmp_path, SCHEMES)


def test_a_manifest_names_variables_of_this_project_alone() -> None:
    with pytest.raises(InvalidDocument, match="endpoint_variable"):
        parse_document(RemoteOptions, {"model": "m", "endpoint_variable": "AWS_SECRET"}, "rskill.yaml")


class World:
    """A clock that moves only by waiting, and an endpoint whose outcomes are given."""

    def __init__(self, *outcomes: EngineError | str, **options: float) -> None:
        self.now, self.asked, self.outcomes = 0.0, 0, list(outcomes)
        chosen = RemoteOptions.model_validate({"model": "m", "endpoint": "grpc://e", **options})
        self.calls = RemoteCalls(chosen, address("grpc://e"), lambda: self.now, self.wait)

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def once(self, seconds: float) -> str:
        assert seconds > 0.0
        self.asked += 1
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, EngineError):
            raise outcome
        return outcome

    def call(self) -> str:
        try:
            return self.calls.call(self.once)
        except EngineError as error:
            return type(error).__name__


def down() -> RemoteUnavailable:
    return RemoteUnavailable("e", "down")


def test_what_is_unavailable_is_asked_again_with_growing_pauses() -> None:
    world = World(down(), down(), "boxes", retry_delay=0.1)
    assert world.call() == "boxes"
    assert world.asked == 3
    assert 0.5 * 0.3 <= world.now < 1.5 * 0.3


@pytest.mark.parametrize("error", [lambda: RemoteRefused("e", "no"), lambda: RemoteTimedOut("e", 1.0)])
def test_a_refusal_and_a_missed_deadline_are_not_repeated(error: Callable[[], EngineError]) -> None:
    world = World(error())
    assert world.call() == type(error()).__name__
    assert world.asked == 1


def test_no_attempt_begins_after_the_deadline() -> None:
    world = World(*(down() for _ in range(10)), attempts=10, retry_delay=1.0, deadline=2.0)
    assert world.call() == "RemoteUnavailable"
    assert world.now < 2.0
    assert world.asked < 4


def test_an_endpoint_that_keeps_failing_is_left_alone_then_tried_once_and_used_again() -> None:
    outcomes = [down(), down(), down(), "boxes", "boxes"]
    world = World(*outcomes, attempts=1, failures=2, cool_down=10.0)
    assert [world.call(), world.call()] == ["RemoteUnavailable"] * 2
    assert [world.call(), world.asked] == ["CircuitOpen", 2]
    world.now = 11.0
    assert world.call() == "RemoteUnavailable"
    world.now = 22.0
    assert world.call() == "CircuitOpen", "a failed trial doubles the pause"
    world.now = 32.0
    assert [world.call(), world.call()] == ["boxes", "boxes"]


def test_a_trial_is_a_single_request() -> None:
    world = World(*(down() for _ in range(4)), attempts=3, failures=1, cool_down=10.0, retry_delay=0.01)
    assert [world.call(), world.asked] == ["RemoteUnavailable", 3]
    world.now = 20.0
    assert [world.call(), world.asked] == ["RemoteUnavailable", 4]


def test_a_refusal_shows_that_the_endpoint_is_reachable() -> None:
    world = World(down(), RemoteRefused("e", "no"), down(), attempts=1, failures=1, cool_down=10.0)
    assert world.call() == "RemoteUnavailable"
    world.now = 11.0
    assert world.call() == "RemoteRefused"
    assert world.call() == "RemoteUnavailable"


def test_an_open_circuit_tells_the_wait_and_the_last_error() -> None:
    world = World(down(), attempts=1, failures=1, cool_down=10.0)
    world.call()
    with pytest.raises(CircuitOpen, match=r"another 10 s \(last error: e is unavailable: down\)"):
        world.calls.call(world.once)

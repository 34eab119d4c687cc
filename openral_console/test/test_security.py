"""Only this machine, pages of the console itself, and holders of the token get through."""

import asyncio
import itertools
from collections.abc import Callable, MutableMapping
from typing import Any

import pytest

from openral_console.security import (
    MAX_BODY,
    MAX_REQUESTS,
    MAX_SESSIONS,
    SESSION_COOKIE,
    Access,
    Gate,
    Headers,
    is_loopback,
)
from openral_core.token_guesses import TokenGuesses

OWN = "127.0.0.1:8770"
OWNER, STRANGER = "192.168.0.2", "192.168.0.3"
JSON = "application/json"
NAMES = (
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:8770",
    "",
    "localhost@evil",
)
ORIGINS = (
    "http://evil.example",
    "null",
    "https://127.0.0.1",
    "http://127.0.0.1:9999",
    "http://localhost:8770",
    "x",
)
PATHS = (
    "/api/about",
    "/api/events",
    "/api/at",
    "/api/stop",
    "/api/commands/x",
    "/api/cameras/head/frame.jpg",
)
POSTS = ("/api/commands/prompt", "/api/stop", "/api/session", "/api/commands/edit")
FETCHED = ("/api/events", "/api/about", "/api/stop", "/main.js")
TYPES = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx")
LENGTHS = ("", "-1", "1e3", "٣", "abc")


def scope(path: str = "/api/about", method: str = "GET", **headers: str) -> dict[str, object]:
    sent = {"host": OWN, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {
        "type": "http",
        "path": path,
        "method": method,
        "headers": [(n.encode(), v.encode()) for n, v in sent.items()],
    }


def status(access: Access, request: dict[str, object]) -> int:
    async def app(*_: object) -> None: ...

    refusal = Gate(app, access).refusal(request)
    return 200 if refusal is None else refusal.status


def post(**headers: str) -> dict[str, object]:
    return scope("/api/commands/prompt", "POST", **{"content_type": JSON, "content_length": "2", **headers})


def test_the_page_itself_gets_through() -> None:
    assert status(Access(), scope()) == 200
    assert status(Access(), post(origin=f"http://{OWN}", sec_fetch_site="same-origin")) == 200


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8770", "localhost:8770", "LOCALHOST", "[::1]:8770", "[::1]", "192.168.1.4:8770"]
)
def test_addresses_and_localhost_are_known(host: str) -> None:
    assert status(Access(), scope(host=host)) == 200


@pytest.mark.parametrize(
    ("host", "path", "method"), itertools.product(NAMES, ("/", "/api/about", "/api/events"), ("GET", "POST"))
)
def test_a_rebound_name_is_refused(host: str, path: str, method: str) -> None:
    assert status(Access(), scope(path, method, host=host)) == 421


def test_a_name_that_was_allowed_is_known() -> None:
    assert status(Access(hosts={"robot.local"}), scope(host="Robot.local:8770")) == 200


@pytest.mark.parametrize(
    ("origin", "path"),
    itertools.product(ORIGINS, POSTS),
)
def test_a_post_of_another_site_is_refused(origin: str, path: str) -> None:
    request = scope(path, "POST", origin=origin, content_type=JSON, content_length="2")
    assert status(Access(), request) == 403


@pytest.mark.parametrize(
    ("site", "path"),
    itertools.product(("cross-site", "same-site"), FETCHED),
)
def test_a_fetch_of_another_site_is_refused(site: str, path: str) -> None:
    assert (
        status(Access(), scope(path, sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="image"))
        == 403
    )


def test_a_link_from_another_site_opens_the_page() -> None:
    request = scope("/", sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document")
    assert status(Access(), request) == 200


@pytest.mark.parametrize(("kind", "path"), itertools.product(TYPES, POSTS))
def test_a_form_of_another_site_cannot_post(kind: str, path: str) -> None:
    request = scope(path, "POST", content_type=kind, content_length="2")
    assert status(Access(), request) == 415


@pytest.mark.parametrize("length", LENGTHS)
def test_a_body_without_a_length_is_refused(length: str) -> None:
    assert status(Access(), post(content_length=length)) == 411


@pytest.mark.parametrize("length", [MAX_BODY + 1, 10**9, 10**30])
def test_a_large_body_is_refused(length: int) -> None:
    assert status(Access(), post(content_length=str(length))) == 413


def test_a_header_that_comes_twice_counts_as_none() -> None:
    request = scope()
    request["headers"] = [(b"host", b"127.0.0.1"), (b"host", b"evil.example")]
    assert status(Access(), request) == 421


@pytest.mark.parametrize(
    "path",
    ["/api/about", "/api/events", "/api/at", "/api/stop", "/api/commands/x", "/api/cameras/head/frame.jpg"],
)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "Bearer "},
        {"authorization": "Basic secret"},
        {"cookie": f"{SESSION_COOKIE}=guess"},
        {"cookie": "=;=;"},
    ],
)
def test_without_the_token_nothing_is_told(path: str, headers: dict[str, str]) -> None:
    assert status(Access("secret"), scope(path, **headers)) == 401


def test_the_token_opens_and_so_does_its_session() -> None:
    access = Access("secret")
    assert status(access, scope(authorization="Bearer secret")) == 200
    session = access.log_in("secret", OWNER)
    assert status(access, scope(cookie=f"{SESSION_COOKIE}={session}")) == 200


def test_sessions_are_bounded() -> None:
    access = Access("secret")
    sessions = [access.log_in("secret", OWNER) for _ in range(MAX_SESSIONS + 10)]
    admitted = [
        access.admits(Headers(scope(cookie=f"{SESSION_COOKIE}={session}")), OWNER) for session in sessions
    ]
    assert sum(admitted) == MAX_SESSIONS


def test_a_guesser_is_slowed_down_by_header_and_the_owner_is_not() -> None:
    async def guesses() -> None:
        access = Access("secret", guesses=TokenGuesses(hold=3600.0))
        session = access.log_in("secret", OWNER)

        async def get(address: str, **headers: str) -> int:
            answers = []

            async def send(message: MutableMapping[str, Any]) -> None:
                answers.append(message)

            request = {**scope(**headers), "client": (address, 1)}
            await Gate(answer_empty, access)(request, receive_nothing, send)
            return int(answers[0]["status"])

        wrong = [asyncio.ensure_future(get(STRANGER, authorization=f"Bearer {n}")) for n in range(20)]
        await asyncio.sleep(0)
        done = [task.result() for task in wrong if task.done()]
        assert done == [401] * 5 + [429] * 13, "those beyond two that wait are refused unseen"
        assert await get(STRANGER, authorization="Bearer secret") == 429
        assert await get(OWNER, authorization="Bearer secret") == 200
        assert await get(STRANGER, cookie=f"{SESSION_COOKIE}={session}") == 200
        for task in wrong:
            task.cancel()

    asyncio.run(guesses())


async def answer_empty(_: object, __: object, send: Callable[[MutableMapping[str, Any]], Any]) -> None:
    await send({"type": "http.response.start", "status": 200})


async def receive_nothing() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}


def test_wrong_log_ins_take_nothing_from_the_rate_of_commands() -> None:
    access = Access()
    log_in = scope("/api/session", "POST", content_type=JSON, content_length="2")
    assert [status(access, log_in) for _ in range(100)] == [200] * 100
    assert status(access, post()) == 200


def test_as_many_requests_as_there_may_be_leave_a_stop_its_place() -> None:
    async def flood() -> None:
        gate = Gate(answer_never, Access())
        running = [
            asyncio.ensure_future(gate(scope(), receive_nothing, receive_nothing))
            for _ in range(MAX_REQUESTS)
        ]
        await asyncio.sleep(0)
        assert gate.refusal(scope()) is not None
        assert gate.refusal(scope("/api/stop", "POST", content_type=JSON, content_length="2")) is None
        for task in running:
            task.cancel()

    asyncio.run(flood())


async def send_nothing(_: object) -> None: ...


async def answer_never(*_: object) -> None:
    await asyncio.sleep(3600.0)


def test_a_flood_of_commands_is_slowed_down_and_a_stop_is_not() -> None:
    access = Access()
    assert 429 in [status(access, post()) for _ in range(60)]
    stop = scope("/api/stop", "POST", content_type=JSON, content_length="2")
    assert [status(access, stop) for _ in range(60)] == [200] * 60


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.0.2", False),
        ("robot.local", False),
    ],
)
def test_loopback_is_recognised(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected

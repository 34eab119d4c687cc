"""Only this machine, pages of the console itself, and holders of the token get through."""

import itertools

import pytest

from openral_console.security import (
    MAX_BODY,
    MAX_SESSIONS,
    SESSION_COOKIE,
    Access,
    Gate,
    Headers,
    TokenBucket,
    is_loopback,
)

OWN = "127.0.0.1:8770"
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
    session = access.log_in("secret")
    assert status(access, scope(cookie=f"{SESSION_COOKIE}={session}")) == 200


def test_guessing_is_slowed_down_to_one_try_in_five_seconds() -> None:
    now = [0.0]
    access = Access("secret", logins=TokenBucket(0.2, 5.0, lambda: now[0]))
    assert [access.log_in(str(guess)) for guess in range(5)] == [None] * 5
    assert access.log_in("secret") is None, "too many tries"
    now[0] = 5.1
    assert access.log_in("secret") is not None


def test_sessions_are_bounded() -> None:
    access = Access("secret", logins=TokenBucket(1e9, 1e9))
    sessions = [access.log_in("secret") for _ in range(MAX_SESSIONS + 10)]
    admitted = [access.admits(Headers(scope(cookie=f"{SESSION_COOKIE}={session}"))) for session in sessions]
    assert sum(admitted) == MAX_SESSIONS


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

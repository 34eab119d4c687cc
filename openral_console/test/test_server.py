"""The server against a real robot on DDS: it shows, it acts only if allowed, and it survives every page."""

import json
import socket
import ssl
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme

from openral_console.ros import commands
from openral_console.ros.robot import GatedGroup, LiveSource
from openral_console.security import Access
from openral_console.server import (
    MAX_VIEWERS,
    Certificate,
    CertificateUnusable,
    PortTaken,
    address_of,
    listen,
    make_access,
)
from openral_core.token_guesses import TokenTooShort
from openral_testing.ros.robot import HOSTILE, PlayedRobot

JSON = {"content-type": "application/json"}


def test_the_page_and_all_its_files_are_served_with_a_strict_policy(site: Any) -> None:
    with site.client() as client:
        page = client.get("/")
        assert page.status_code == 200
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in page.text.replace("http-equiv", ""), "nothing comes from a network"
        for name in ("main.js", "mission.js", "home.js", "style.css", "icon.svg"):
            assert client.get(f"/{name}").status_code == 200
        assert client.get("/../server.py").status_code == 404
        assert client.get("/%2e%2e/server.py").status_code == 404


def test_a_stream_begins_with_every_section_and_follows_changes(site: Any, robot: PlayedRobot) -> None:
    found: dict[str, Any] = {}
    with site.client() as client, client.stream("GET", "/api/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                section = json.loads(line.removeprefix("data: "))
                found[section["name"]] = section["value"]
            if {"mission", "scene", "robot", "detectors"} <= set(found) and "failures" not in found:
                robot.fail("worker crashed")
            if "failures" in found:
                break
    assert found["mission"]["goal"] == "bring me the baguette"
    assert found["failures"][0]["message"] == "worker crashed"
    assert {node["label"] for node in found["scene"]["nodes"]} >= {"mug", HOSTILE}


def test_a_goal_reaches_the_robot_and_its_receipt_the_page(site: Any, robot: PlayedRobot) -> None:
    with site.client() as client:
        answer = client.post("/api/commands/prompt", json={"text": "find the mug"})
    assert (answer.status_code, answer.json()["outcome"]) == (200, "started")
    assert robot.wait_for_prompt("find the mug").header.frame_id == "operator"


def test_what_the_operator_points_at_reaches_the_robot_by_its_id(site: Any, robot: PlayedRobot) -> None:
    with site.client() as client:
        for wrong in ("mug_1", [1], [""], ["a"] * 9):
            refused = client.post("/api/commands/prompt", json={"text": "bring me this", "objects": wrong})
            assert refused.status_code == 400
            assert "objects" in refused.json()["error"]
        client.post("/api/commands/prompt", json={"text": "bring me this", "objects": ["mug_2"]})
    assert [each.objects for each in robot.prompts] == [["mug_2"]]


def test_a_stop_is_answered_while_the_reasoner_acknowledges_nothing(
    site: Any, robot: PlayedRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot.answers, robot.latches = False, True
    monkeypatch.setattr(commands, "MAX_PENDING", 0)
    with site.client() as client:
        begun = time.monotonic()
        answer = client.post("/api/stop", json={})
        assert answer.json() == {"message": "stopped: stop button of the console"}
        assert time.monotonic() - begun < 1.0


def test_an_answer_names_its_question(site: Any, robot: PlayedRobot) -> None:
    with site.client() as client:
        client.post("/api/commands/prompt", json={"text": "yes", "in_reply_to": "h1"})
    assert robot.wait_for_prompt("yes").in_reply_to == "h1"


def test_a_robot_that_does_not_acknowledge_is_an_error_in_bounded_time(
    site: Any, robot: PlayedRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "RECEIPT_TIMEOUT", 0.5)
    robot.answers = False
    with site.client() as client:
        answer = client.post("/api/commands/prompt", json={"text": "find the mug"})
    assert answer.status_code == 504
    assert "did not answer" in answer.json()["error"]


def test_memory_is_asked_and_corrected(site: Any, robot: PlayedRobot) -> None:
    with site.client() as client:
        recalled = client.post("/api/commands/recall", json={"query": "mug"}).json()
        edited = client.post(
            "/api/commands/edit", json={"operation": "rename", "id": "mug_1", "label": "cup"}
        )
        refused = client.post("/api/commands/edit", json={"operation": "forget", "id": "nothing"})
    assert (recalled["status"], recalled["matches"][0]["id"]) == ("FOUND", "mug_1")
    assert edited.json()["message"] == "mug_1 edited"
    assert (robot.edits[0].label, refused.status_code) == ("cup", 409)
    assert "UNKNOWN_OBJECT" in refused.json()["error"]


def test_a_locator_is_asked(site: Any) -> None:
    with site.client() as client:
        found = client.post("/api/commands/locate", json={"query": "red mug", "detector": "locator"}).json()
    assert found["status"] == "FOUND"
    assert found["detections"]["boxes"][0]["label"] == "mug"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("nothing", {}),
        ("prompt", {}),
        ("prompt", {"text": 3}),
        ("prompt", {"text": "x" * 5000}),
        ("edit", {"operation": "destroy", "id": "mug_1"}),
        ("edit", {"operation": "move", "id": "mug_1", "x": "1", "y": 2, "z": 3}),
        ("locate", {"query": "mug", "detector": "../../sim"}),
        ("locate", {"query": "mug", "detector": "a b"}),
        ("detector", {"detector": "locator", "transition": "shutdown"}),
        ("recall", {"query": ""}),
    ],
)
def test_an_invalid_command_is_refused_with_a_reason(
    site: Any, robot: PlayedRobot, name: str, values: dict[str, object]
) -> None:
    with site.client() as client:
        answer = client.post(f"/api/commands/{name}", json=values)
    assert answer.status_code == 400
    assert len(answer.json()["error"]) > 10
    assert robot.prompts == robot.edits == []


BODIES = {
    "nothing": b"",
    "half": b"{",
    "a list": b"[]",
    "a text": b'"x"',
    "deep": b"[" * 60000,
    "no UTF-8": b"\xff\xfe",
    "a lone surrogate": b'{"query": "\\ud800"}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_malformed_body_is_refused(site: Any, body: bytes) -> None:
    with site.client() as client:
        answer = client.post("/api/commands/recall", content=body, headers=JSON)
        assert 400 <= answer.status_code < 500, answer.text
        assert client.get("/api/about").status_code == 200


def test_a_console_without_actions_shows_and_stops_and_does_nothing_else(
    site: Any, robot: PlayedRobot, ros_domain: int
) -> None:
    site_only = type(site)(site.source, Access(allow_actions=False))
    try:
        with site_only.client() as client:
            assert client.get("/api/about").json() == {"live": True, "actions": False, "checks": []}
            for name in ("prompt", "edit", "detector", "anything"):
                assert client.post(f"/api/commands/{name}", json={"text": "go"}).status_code == 403
            assert client.post("/api/commands/recall", json={"query": "mug"}).status_code == 200
            assert client.post("/api/stop", json={}).json()["outcome"] == "stopped"
    finally:
        site_only.close()
    assert [each.text for each in robot.prompts] == ["stop"]


def test_an_image_is_subscribed_to_only_while_a_page_shows_it(site: Any, robot: PlayedRobot) -> None:
    assert robot.image_subscribers() == 0
    with site.client() as client:
        answer = client.get("/api/cameras/head/frame.jpg")
        assert answer.headers["content-type"] == "image/jpeg"
        assert answer.content.startswith(b"\xff\xd8")
        assert answer.headers["x-frame-id"] == "head_optical"
        again = client.get(f"/api/cameras/head/frame.jpg?after={answer.headers['x-stamp']}")
        assert again.headers["x-stamp"] != answer.headers["x-stamp"]
        assert client.get("/api/cameras/nowhere/frame.jpg").status_code == 400
    assert robot.image_subscribers() == 1
    site.wait(lambda: robot.image_subscribers() == 0)


def test_viewers_are_bounded_and_one_that_never_reads_harms_nobody(site: Any) -> None:
    address = site.url.removeprefix("http://").rstrip("/").split(":")
    silent = []
    try:
        for _ in range(MAX_VIEWERS):
            opened = socket.create_connection((address[0], int(address[1])))
            opened.sendall(f"GET /api/events HTTP/1.1\r\nHost: {':'.join(address)}\r\n\r\n".encode())
            silent.append(opened)
        with site.client() as client:
            site.wait(lambda: client.get("/api/events", headers={"range": "x"}).status_code == 503)
            assert client.get("/api/about").status_code == 200
    finally:
        for opened in silent:
            opened.close()


def test_a_node_that_ends_is_named_and_the_rest_is_shown(site: Any, robot: PlayedRobot) -> None:
    robot.node.destroy_publisher(robot.mission)
    site.wait(lambda: site.section("parts")["reasoner"] is False)
    assert site.section("parts")["world_state"] is True
    assert site.section("mission")["goal"] == "bring me the baguette"


def test_with_no_robot_at_all_the_page_says_so(ros_domain: int, site: Any, robot: PlayedRobot) -> None:
    source = LiveSource(domain=ros_domain, namespace="/elsewhere")
    alone = type(site)(source, Access(allow_actions=True))
    try:
        alone.wait(lambda: alone.section("parts"))
        assert not any(alone.section("parts").values())
        with alone.client() as client:
            assert client.post("/api/commands/recall", json={"query": "mug"}).status_code == 503
    finally:
        alone.close()
        source.close()


def test_loopback_needs_no_token_and_other_addresses_get_one_each() -> None:
    assert make_access("127.0.0.1", allow_actions=False).token == ""
    tokens = {make_access("0.0.0.0", allow_actions=False).token for _ in range(5)}
    assert len(tokens) == 5
    assert min(map(len, tokens)) >= 32


def test_a_token_that_was_given_is_kept() -> None:
    assert make_access("127.0.0.1", allow_actions=False, token="m" * 16).token == "m" * 16
    with pytest.raises(TokenTooShort, match="at least 16"):
        make_access("127.0.0.1", allow_actions=False, token="m" * 15)


def test_a_free_port_is_found_and_named() -> None:
    with listen("127.0.0.1", 0) as opened, listen("127.0.0.1", 0) as another:
        assert opened.getsockname()[1] != another.getsockname()[1]
        assert address_of(opened) == f"http://127.0.0.1:{opened.getsockname()[1]}/"


def test_without_a_page_streams_are_sampled_and_a_page_gets_each_message(
    site: Any, robot: PlayedRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[bool] = []
    original = GatedGroup.can_execute

    def can_execute(self: GatedGroup, entity: object) -> bool:
        may = original(self, entity)
        if getattr(entity, "topic_name", "").endswith("world_state"):
            served.append(may)
        return may

    monkeypatch.setattr(GatedGroup, "can_execute", can_execute)
    site.wait(lambda: site.section("robot") and site.section("diagnostics") is not None)
    site.wait(lambda: len(served) > 3)
    assert not any(served)
    with site.client() as client, client.stream("GET", "/api/events") as stream:
        lines = stream.iter_lines()
        site.wait(lambda: next(lines) is not None and served[-1])


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        with pytest.raises(PortTaken, match="choose another"):
            listen("127.0.0.1", taken.getsockname()[1])


def test_a_port_that_another_server_took_before_it_listened_is_left_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        monkeypatch.setattr("openral_console.server.PORT", port)
        original = socket.socket.bind

        def bind(opened: socket.socket, address: tuple[str, int]) -> None:
            original(opened, address)
            if address[1] == port:
                other.listen(1)

        monkeypatch.setattr(
            "openral_console.server.socket.socket", type("Racing", (socket.socket,), {"bind": bind})
        )
        with listen("127.0.0.1", 0) as opened:
            assert opened.getsockname()[1] != port


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def certificate(authority: trustme.CA, tmp_path: Path) -> Certificate:
    issued = authority.issue_cert("127.0.0.1")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(str(chain))
    issued.private_key_pem.write_to_path(str(key))
    return Certificate(chain, key)


def test_a_page_over_tls_gets_a_session_that_never_travels_unencrypted(
    site_class: Any, ros_domain: int, robot: PlayedRobot, authority: trustme.CA, certificate: Certificate
) -> None:
    source = LiveSource(domain=ros_domain)
    site = site_class(source, Access(token="secret"), certificate)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    origin = {"origin": site.url.rstrip("/")}
    try:
        with httpx2.Client(base_url=site.url, verify=trusting, trust_env=False) as client:
            assert client.get("/api/about").status_code == 401
            answer = client.post("/api/session", json={"token": "secret"}, headers=origin)
            assert "Secure" in answer.headers["set-cookie"]
            assert client.get("/api/about").status_code == 200
        with (
            httpx2.Client(base_url=site.url, trust_env=False) as stranger,
            pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"),
        ):
            stranger.get("/")
    finally:
        site.close()
        source.close()


def test_a_certificate_that_cannot_be_used_is_told_before_anything_listens(
    certificate: Certificate, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().issue_cert("127.0.0.1").private_key_pem.write_to_path(str(other))
    text = tmp_path / "text.pem"
    text.write_text("no certificate")
    for chain, key in (
        (certificate.chain, other),
        (text, certificate.key),
        (tmp_path / "none.pem", certificate.key),
    ):
        with pytest.raises(CertificateUnusable, match="expected an unencrypted pair of PEM files"):
            Certificate(chain, key)

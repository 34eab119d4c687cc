"""A model's endpoint on this machine that behaves as a test says, and the answers of two vendors' APIs."""

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from openral_testing.model_server.answers import Answer, EmittedCall
from openral_testing.model_server.wire_formats import (
    Usage,
    completion_chunks,
    messages_events,
    server_sent_event,
)

KEY = "sk-secret-0123456789"
Chunks = list[dict[str, Any]]
Behaviour = Callable[[BaseHTTPRequestHandler], None]
EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


@dataclass
class Script:
    """Script of the endpoint, one entry per request with the last one repeated, and its requests.

    ``models`` is what it answers when it is asked which models it has; None for an error.
    """

    answers: list[Behaviour]
    models: object = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)

    def play(self, *answers: Behaviour) -> None:
        """Behave like this from now on."""
        self.answers = list(answers)
        self.requests.clear()

    def next(self, body: bytes, headers: dict[str, str]) -> Behaviour:
        """Return the action for one more request; NaN is rejected because it is not JSON."""
        self.requests.append(json.loads(body, parse_constant=pytest.fail))
        self.headers.append(headers)
        return self.answers[min(len(self.requests), len(self.answers)) - 1]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients of these tests hang up."""


@contextmanager
def endpoint(*answers: Behaviour) -> Iterator[tuple[str, Script]]:
    """Address and script of one endpoint."""
    script = Script(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            script.next(body, dict(self.headers))(self)

        def do_GET(self) -> None:
            content = json.dumps(script.models).encode()
            self.send_response(404 if script.models is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            """Silent."""

    server = _Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", script
    script.release.set()
    server.shutdown()
    server.server_close()


def stream(chunks: Chunks, cut: bool = False, named: bool = True) -> Behaviour:
    """Events, and their proper end unless it is cut."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(EVENTS + b"".join(event(chunk, named) for chunk in chunks))
        if not named and not cut:
            handler.wfile.write(b"data: [DONE]\n\n")

    return answer


def event(chunk: dict[str, Any], named: bool) -> bytes:
    """One event of a stream."""
    return server_sent_event(chunk, named=named)


def status(code: int, kind: str, message: str = f"no: {KEY}", **headers: str) -> Behaviour:
    """An error with its body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def raw(*parts: bytes) -> Behaviour:
    """These bytes, then the end of the connection."""
    return lambda handler: handler.wfile.writelines(parts)


def dripping(script: Script, first: bytes, drop: bytes, last: Behaviour, times: int = 600) -> Behaviour:
    """``first``, ``drop`` again and again for half a minute, then an answer for the remaining clients."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            handler.wfile.write(first)
            for _ in range(times):
                handler.wfile.write(drop)
                handler.wfile.flush()
                if script.release.wait(0.05):
                    return
            last(handler)

    return answer


USAGE = Usage(fresh=100, cached=20, written=30)


def messages_api(
    *calls: tuple[str, str], text: str = "", stop: str = "tool_use", model: str = "m-x"
) -> Chunks:
    """An answer of the Anthropic Messages API as its events."""
    return messages_events(said(calls, text, stop), model, USAGE)


def completions_api(
    *calls: tuple[str, str], text: str = "", stop: str = "tool_calls", model: str = "m-x"
) -> Chunks:
    """An answer of chat completions as its chunks."""
    return completion_chunks(said(calls, text, stop), model, USAGE)


def said(calls: Iterable[tuple[str, str]], text: str, stop: str) -> Answer:
    """An answer with these calls that ends so."""
    return Answer(
        tuple(EmittedCall(*c) for c in calls),
        text,
        cut=stop == "length",
        refused=stop in ("refusal", "content_filter"),
    )


@dataclass(frozen=True)
class Api:
    """One of the two APIs, behind one face."""

    name: str

    @property
    def named(self) -> bool:
        """True if its events have names."""
        return self.name == "anthropic"

    def chunks(self, *calls: tuple[str, str], **options: Any) -> Chunks:
        """An answer with these calls, in parts."""
        return (messages_api if self.named else completions_api)(*calls, **options)

    def answer(self, *calls: tuple[str, str], **options: Any) -> Behaviour:
        """Answer with these calls."""
        return stream(self.chunks(*calls, **options), named=self.named)

    def broken(self, *calls: tuple[str, str]) -> Behaviour:
        """Answer with these calls, and break off before the end of their arguments."""
        chunks = self.chunks(*((name, arguments[:-1]) for name, arguments in calls))
        return stream(chunks[:-3] if self.named else chunks[:1], cut=True, named=self.named)


def without_proxies(patch: pytest.MonkeyPatch) -> None:
    """Reach this machine directly, with a key that must appear nowhere."""
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        patch.delenv(variable, raising=False)
        patch.delenv(variable.upper(), raising=False)
    patch.setitem(os.environ, "ANTHROPIC_API_KEY", KEY)
    patch.setitem(os.environ, "OPENAI_API_KEY", KEY)

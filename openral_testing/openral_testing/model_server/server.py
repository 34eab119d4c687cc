"""HTTP server of a local model endpoint on loopback: the Messages API and chat completions side by side."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from openral_testing.model_server.answers import (
    Answer,
    Failure,
    ModelRequest,
    Responder,
    Vendor,
)
from openral_testing.model_server.prompt_cache import VendorPromptCache, tokens
from openral_testing.model_server.requests import RefusedRequest, parse_request
from openral_testing.model_server.wire_formats import (
    Json,
    Usage,
    completion_body,
    completion_chunks,
    error_body,
    messages_body,
    messages_events,
    server_sent_event,
)

HOST = "127.0.0.1"
MAX_BODY = 32_000_000
"""Largest request that is read [bytes]."""
PATHS = {"/v1/messages": Vendor.ANTHROPIC, "/v1/chat/completions": Vendor.OPENAI}


@dataclass
class ModelServer:
    """Endpoint that answers with a responder, and counts tokens as the vendors' prompt caches would.

    ``usages`` and ``requests`` are those of all answered requests, in order.
    """

    responder: Responder
    cache: VendorPromptCache = field(default_factory=VendorPromptCache)
    usages: list[Usage] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def respond(self, vendor: Vendor, body: bytes) -> tuple[ModelRequest | None, Answer | Failure, Usage]:
        """Return the parsed request, its answer and the tokens of both."""
        try:
            request, content = parse_request(vendor, body)
        except RefusedRequest as error:
            return None, Failure(400, "invalid_request_error", str(error)), Usage(0)
        with self.lock:
            answer = self.responder(request)
            if isinstance(answer, Failure):
                return request, answer, Usage(0)
            text = answer.text + "".join(call.tool + call.arguments for call in answer.calls)
            usage = self.cache.usage(vendor, content, tokens(text))
            self.requests.append(request)
            self.usages.append(usage)
        return request, answer, usage


class _Handler(BaseHTTPRequestHandler):
    """One connection; the server has the endpoint."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, LoopbackServer)
        body = self.rfile.read(min(MAX_BODY, int(self.headers.get("content-length", 0))))
        vendor = PATHS.get(self.path)
        if vendor is None:
            missing = Failure(404, "not_found_error", f"unknown path {self.path!r}; valid: {list(PATHS)}")
            self._send(404, error_body(Vendor.OPENAI, missing))
            return
        request, answer, usage = server.endpoint.respond(vendor, body)
        if answer.delay:
            time.sleep(answer.delay)
        if isinstance(answer, Failure) and (answer.status != 200 or request is None):
            self._send(answer.status, error_body(vendor, answer), answer.retry_after)
        elif request is not None and (request.stream or isinstance(answer, Failure)):
            self._stream(request, answer, usage)
        elif isinstance(answer, Answer) and request is not None:
            whole = messages_body if vendor is Vendor.ANTHROPIC else completion_body
            self._send(200, whole(answer, request.model, usage))

    def _send(self, status: int, content: Json, retry_after: float | None = None) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if retry_after is not None:
            self.send_header("retry-after", f"{retry_after:g}")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, request: ModelRequest, answer: Answer | Failure, usage: Usage) -> None:
        named, cut = request.vendor is Vendor.ANTHROPIC, isinstance(answer, Failure)
        reply = Answer(text="...") if isinstance(answer, Failure) else answer
        chunks = (messages_events if named else completion_chunks)(reply, request.model, usage)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for chunk in chunks[:1] if cut else chunks:
            self.wfile.write(server_sent_event(chunk, named=named))
        if not named and not cut:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Log nothing."""


class LoopbackServer(ThreadingHTTPServer):
    """Server on this machine alone."""

    daemon_threads = True

    def __init__(self, endpoint: ModelServer, port: int = 0) -> None:
        self.endpoint = endpoint
        super().__init__((HOST, port), _Handler)

    @property
    def url(self) -> str:
        """Address without a path."""
        return f"http://{HOST}:{self.server_address[1]}"

    def base_url(self, vendor: Vendor) -> str:
        """Address as the SDK of a vendor takes it."""
        return self.url if vendor is Vendor.ANTHROPIC else f"{self.url}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a client that hung up."""


@contextmanager
def serving(responder: Responder, port: int = 0) -> Iterator[tuple[LoopbackServer, ModelServer]]:
    """Serve in a thread; port 0 takes a free one."""
    endpoint = ModelServer(responder)
    server = LoopbackServer(endpoint, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server, endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

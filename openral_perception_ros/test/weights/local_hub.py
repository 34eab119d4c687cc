"""A model hub on this machine: enough of its protocol for the real client, and a line that breaks."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlparse

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "someone/small"


@dataclass
class Hub:
    """``files`` are what it has; while ``breaks_after`` is set, longer files end there;
    ``digests`` are lies about them."""

    files: dict[str, bytes]
    large: tuple[str, ...] = ()
    breaks_after: int = 0
    ranges: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    url: str = ""

    def siblings(self) -> list[dict[str, object]]:
        return [{"rfilename": name, **self._entry(name)} for name in self.files]

    def _entry(self, name: str) -> dict[str, object]:
        size = len(self.files[name])
        if name not in self.large:
            return {"size": size, "blobId": self.digests.get(name) or git_blob(self.files[name])}
        digest = self.digests.get(name) or sha256(self.files[name])
        lfs = {"sha256": digest, "oid": digest, "size": size, "pointerSize": 130}
        return {"size": size, "lfs": lfs}


def git_blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> Hub:
        return self.server.hub

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, *arguments: object) -> None:
        pass

    def _answer(self, body: bool) -> None:
        path = urlparse(self.path).path
        if path.startswith(f"/api/models/{REPOSITORY}"):
            content = {"id": REPOSITORY, "sha": COMMIT, "siblings": self.hub.siblings()}
            self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json"}, body)
        elif path.startswith(f"/{REPOSITORY}/resolve/{COMMIT}/") and path.rsplit("/", 1)[1] in self.hub.files:
            self._send_file(self.hub.files[path.rsplit("/", 1)[1]], body)
        else:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"}, body)

    def _send_file(self, data: bytes, body: bool) -> None:
        headers = {"ETag": f'"{sha256(data)}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        asked = self.headers.get("Range", "")
        if not asked.startswith("bytes="):
            self._send(200, data, headers, body)
            return
        self.hub.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").split("-")[0])
        headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        self._send(206, data[start:], headers, body)

    def _send(self, status: int, data: bytes, headers: dict[str, str], body: bool) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if body and self.hub.breaks_after and len(data) > self.hub.breaks_after:
            self.wfile.write(data[: self.hub.breaks_after])
            self.close_connection = True
        elif body:
            self.wfile.write(data)


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.hub = hub
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()

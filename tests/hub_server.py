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
    """Files of one repository, and of others by name.

    While ``breaks_after`` is set, longer files end there; ``digests`` are lies about them.
    """

    files: dict[str, bytes]
    large: tuple[str, ...] = ()
    breaks_after: int = 0
    ranges: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    url: str = ""
    others: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @property
    def repositories(self) -> dict[str, dict[str, bytes]]:
        """Files of every repository."""
        return {REPOSITORY: self.files, **self.others}

    def siblings(self, repository: str) -> list[dict[str, object]]:
        """Return the entries of a repository's files, as the hub lists them."""
        return [
            {"rfilename": name, **self._entry(name, data)}
            for name, data in self.repositories[repository].items()
        ]

    def _entry(self, name: str, data: bytes) -> dict[str, object]:
        size = len(data)
        if name not in self.large:
            return {"size": size, "blobId": self.digests.get(name) or git_blob(data)}
        digest = self.digests.get(name) or sha256(data)
        lfs = {"sha256": digest, "oid": digest, "size": size, "pointerSize": 130}
        return {"size": size, "lfs": lfs}


def git_blob(data: bytes) -> str:
    """Return git's blob id of a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def sha256(data: bytes) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(data).hexdigest()


class HubHandler(BaseHTTPRequestHandler):
    """Answer the requests of the hub's client, and those of a plain file server."""

    protocol_version = "HTTP/1.1"

    server: "HubServer"

    @property
    def hub(self) -> Hub:
        """The hub that is served."""
        return self.server.hub

    def do_HEAD(self) -> None:
        """Answer without the body."""
        self._answer(body=False)

    def do_GET(self) -> None:
        """Answer with the body."""
        self._answer(body=True)

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""

    def _answer(self, body: bool) -> None:
        path = urlparse(self.path).path
        for repository, files in self.hub.repositories.items():
            if f"{path}/".startswith(f"/api/models/{repository}/"):
                content = {"id": repository, "sha": COMMIT, "siblings": self.hub.siblings(repository)}
                self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json"}, body)
                return
            prefix = f"/{repository}/resolve/{COMMIT}/"
            if path.startswith(prefix) and path.removeprefix(prefix) in files:
                self._send_file(files[path.removeprefix(prefix)], body)
                return
        self._send(404, b"", {"X-Error-Code": "EntryNotFound"}, body)

    def _send_file(self, data: bytes, body: bool) -> None:
        headers = {"ETag": f'"{sha256(data)}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        requested = self.headers.get("Range", "")
        if not requested.startswith("bytes="):
            self._send(200, data, headers, body)
            return
        self.hub.ranges.append(requested)
        start = int(requested.removeprefix("bytes=").split("-")[0])
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


class HubServer(ThreadingHTTPServer):
    """The server of one hub."""

    hub: Hub


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve a hub on loopback; its address is in ``url``."""
    server = HubServer(("127.0.0.1", 0), HubHandler)
    server.hub = hub
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

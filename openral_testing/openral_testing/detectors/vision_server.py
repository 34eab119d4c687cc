"""Small OpenAI-compatible vision endpoint that marks the bright part of an image, or fails on purpose.

``python -m openral_testing.detectors.vision_server`` prints its port. It marks every phrase in quotes of
the question. The model named in a request decides about the answer; see `ANSWERS`.
"""

import base64
import json
import re
import sys
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np

BRIGHT = 200
"""Level above which a pixel belongs to the object [of 255]."""
_QUOTED = re.compile(r'"([^"]+)"')
Size = tuple[int, int]


def bright_box(url: str) -> tuple[list[int], Size]:
    """Return x_min, y_min, x_max, y_max of what is bright in the image of a data URL, and its size [px]."""
    data = np.frombuffer(base64.b64decode(url.partition(",")[2]), np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
    assert image is not None
    rows, columns = np.nonzero(image > BRIGHT)
    size = (image.shape[1], image.shape[0])
    if rows.size == 0:
        return [], size
    return [int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1], size


def marked(question: str, url: str, thousandths: bool = True) -> str:
    """Answer with the bright box for each phrase in quotes, in a code fence as Qwen does."""
    box, (width, height) = bright_box(url)
    scale = (width, height, width, height)
    corners = [round(1000 * side / length) for side, length in zip(box, scale, strict=False)]
    phrases = [phrase for phrase in _QUOTED.findall(question) if phrase not in ("bbox_2d", "label")]
    items = [{"bbox_2d": corners if thousandths else box, "label": phrase} for phrase in phrases if box]
    return f"```json\n{json.dumps(items)}\n```"


Answer = Callable[[str, str], str]
ANSWERS: Mapping[str, Answer] = {
    "marks": marked,
    "pixels": lambda question, url: marked(question, url, thousandths=False),
    "chats": lambda question, url: "I see a lovely kitchen.",
    "silent": lambda question, url: "",
    "cut": marked,
    "outside": lambda question, url: '[{"bbox_2d": [0, 0, 4000, 10], "label": "mug"}]',
    "endless": lambda question, url: "x" * 5_000_000,
}
ENDS: Mapping[str, str] = {"cut": "length"}
"""The ``finish_reason`` of models that do not stop by themselves."""
STATUSES: Mapping[str, HTTPStatus] = {
    "busy": HTTPStatus.TOO_MANY_REQUESTS,
    "broken": HTTPStatus.INTERNAL_SERVER_ERROR,
    "strict": HTTPStatus.BAD_REQUEST,
    "locked": HTTPStatus.UNAUTHORIZED,
    "moved": HTTPStatus.TEMPORARY_REDIRECT,
}


class Handler(BaseHTTPRequestHandler):
    """Serves chat completions; requests are kept in ``server.requests``."""

    server: "VisionServer"

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append((body["model"], self.headers.get("authorization", "")))
        model, content = body["model"], body["messages"][0]["content"]
        if model == "slow":
            self._drip()
        elif model == "flaky" and sum(name == "flaky" for name, _ in self.server.requests) < 3:
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, b"{}")
        elif model in STATUSES:
            self._send(STATUSES[model], b'{"error": {"message": "fails on purpose"}}')
        elif model == "garbage":
            self._send(HTTPStatus.OK, b"<html>\xff")
        else:
            question, url = content[1]["text"], content[0]["image_url"]["url"]
            message = self.server.messages.get(model) or {
                "role": "assistant",
                "content": ANSWERS.get(model, marked)(question, url),
            }
            body = completion(message, ENDS.get(model, "stop"))
            self._send(HTTPStatus.OK, json.dumps(body).encode())

    def _send(self, status: HTTPStatus, body: bytes) -> None:
        self.send_response(status)
        if status is HTTPStatus.TEMPORARY_REDIRECT:
            self.send_header("location", f"http://localhost:{self.server.server_port}/v1/elsewhere")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self) -> None:
        """Send a byte now and then, which resets timeouts of reading."""
        self.send_response(HTTPStatus.OK)
        self.end_headers()
        try:
            for _ in range(600):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


Message = Mapping[str, object]


def completion(message: Message, end: str) -> dict[str, object]:
    """Build the body of a chat completion that ended for the reason ``end``."""
    choice = {"index": 0, "finish_reason": end, "message": message}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


class VisionServer(ThreadingHTTPServer):
    """The endpoint on a free port of the loopback interface; ``messages`` are answers of further models."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str]] = []
        self.messages: dict[str, Message] = {}

    @property
    def url(self) -> str:
        """Address for clients."""
        return f"http://127.0.0.1:{self.server_port}/v1"


if __name__ == "__main__":
    server = VisionServer()
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    server.serve_forever()

"""A model's endpoint is asked before the graph starts."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("openai")
from openral_bringup.deploy.main import brain_notice
from openral_bringup.graph.description import GraphDescription, build_graph
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_core.errors import OpenRALError
from openral_reasoner_ros.brains import Brain

CHUNK = {
    "id": "1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "small",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "a"}, "finish_reason": "length"}],
    "usage": {"prompt_tokens": 1234, "completion_tokens": 1, "total_tokens": 1235},
}


@contextmanager
def answering(status: int, body: str) -> Iterator[str]:
    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("content-type", "text/event-stream" if status == 200 else "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def graph_with(base_url: str, run: tuple[str, ...] = ()) -> GraphDescription:
    options = DeploymentOptions(
        scene=scene_path("home"), brain=Brain.OPENAI, model="small", base_url=base_url, run=run
    )
    return build_graph(options, rskill_folders())


def test_an_endpoint_that_answers_is_named_with_its_speed() -> None:
    with answering(200, f"data: {json.dumps(CHUNK)}\n\ndata: [DONE]\n\n") as address:
        (line,) = brain_notice(graph_with(address))
    assert line.startswith(f"model 'small' at {address} read 1234 tokens in ")


def test_an_endpoint_without_the_model_starts_nothing() -> None:
    words = json.dumps({"error": {"message": "model 'small' not found, try pulling it first"}})
    with (
        answering(404, words) as address,
        pytest.raises(OpenRALError, match=r"cannot decide: .*try pulling it first.*openral brain check"),
    ):
        list(brain_notice(graph_with(address)))


def test_an_address_without_a_server_starts_nothing() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(OpenRALError, match=f"(?s)cannot decide: NO_ROUTE.*{address.split('//')[1]}"):
            list(brain_notice(graph_with(address)))


def test_a_host_without_the_reasoner_asks_no_endpoint() -> None:
    assert list(brain_notice(graph_with("http://127.0.0.1:9/v1", ("world_state",)))) == []


def test_the_scripted_planner_has_no_endpoint() -> None:
    graph = build_graph(DeploymentOptions(scene=scene_path("home")), rskill_folders())
    assert list(brain_notice(graph)) == []

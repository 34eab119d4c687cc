"""A model's endpoint is asked before the graph starts."""

import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("openai")
from openral_bringup.deploy.main import with_bearable_prompt
from openral_bringup.graph.description import GraphDescription, build_graph
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_core.errors import OpenRALError
from openral_reasoner_ros.brains import Brain, PromptForm


def counted(tokens: int) -> str:
    """An answer of one token to a prompt of so many."""
    choice = {"index": 0, "delta": {"role": "assistant", "content": "a"}, "finish_reason": "length"}
    chunk = {"choices": [choice], "usage": {"prompt_tokens": tokens, "completion_tokens": 1}}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"


@contextmanager
def answering(status: int, answer: Callable[[bytes], str]) -> Iterator[str]:
    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = answer(self.rfile.read(int(self.headers["Content-Length"])))
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


def prompt_of(graph: GraphDescription) -> object:
    return next(node.parameters["prompt"] for node in graph.nodes if node.name == "reasoner")


def graph_with(
    base_url: str, run: tuple[str, ...] = (), prompt: PromptForm = PromptForm.AUTO
) -> GraphDescription:
    options = DeploymentOptions(
        scene=scene_path("home"), brain=Brain.OPENAI, model="small", base_url=base_url, run=run, prompt=prompt
    )
    return build_graph(options, rskill_folders())


def test_an_endpoint_that_answers_is_named_with_its_speed() -> None:
    with answering(200, lambda body: counted(len(body) // 4)) as address:
        graph, (line,) = with_bearable_prompt(graph_with(address))
    assert re.fullmatch(rf"model 'small' at {address} read \d{{4}} tokens in \d\.\d s", line)
    assert prompt_of(graph) == "auto"


@pytest.mark.parametrize("prompt", PromptForm)
def test_an_endpoint_that_loses_past_calls_gets_the_compact_prompt(prompt: PromptForm) -> None:
    with answering(200, lambda body: counted(1900)) as address:
        graph, (line,) = with_bearable_prompt(graph_with(address, prompt=prompt))
    assert "of a call and its reply 0 of 720 tokens reach the prompt" in line
    assert ("--prompt full" in line) == (prompt is PromptForm.AUTO)
    assert prompt_of(graph) == ("full" if prompt is PromptForm.FULL else "compact")


def test_an_endpoint_with_too_small_a_context_gets_the_compact_prompt() -> None:
    words = json.dumps({"error": {"message": "the request exceeds the available context size"}})
    with answering(400, lambda body: words) as address:
        graph, (line,) = with_bearable_prompt(graph_with(address))
    assert "CONTEXT_TOO_SMALL" in line
    assert prompt_of(graph) == "compact"


def test_an_endpoint_without_the_model_starts_nothing() -> None:
    words = json.dumps({"error": {"message": "model 'small' not found, try pulling it first"}})
    with (
        answering(404, lambda body: words) as address,
        pytest.raises(OpenRALError, match=r"cannot decide: .*try pulling it first.*openral brain check"),
    ):
        with_bearable_prompt(graph_with(address))


def test_an_address_without_a_server_starts_nothing() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(OpenRALError, match=f"(?s)cannot decide: NO_ROUTE.*{address.split('//')[1]}"):
            with_bearable_prompt(graph_with(address))


def test_a_host_without_the_reasoner_asks_no_endpoint() -> None:
    graph = graph_with("http://127.0.0.1:9/v1", ("world_state",))
    assert with_bearable_prompt(graph) == (graph, ())


def test_the_scripted_planner_has_no_endpoint() -> None:
    graph = build_graph(DeploymentOptions(scene=scene_path("home")), rskill_folders())
    assert with_bearable_prompt(graph) == (graph, ())


def test_a_local_model_that_cannot_be_loaded_starts_nothing(tmp_path: Path) -> None:
    """Also where the optional package that runs it is not built."""
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(b"GGUF")
    options = DeploymentOptions(scene=scene_path("home"), brain=Brain.LOCAL, model=str(cut))
    with pytest.raises(OpenRALError, match=r"brain 'local' (cannot start: .*cut\.gguf|needs the package)"):
        with_bearable_prompt(build_graph(options, rskill_folders()))

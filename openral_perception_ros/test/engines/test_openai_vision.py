"""A vision-language model behind an OpenAI-compatible endpoint: what it finds, and its faults."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from openral_core.detectors import Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineError, EngineFrame, FailureKind, LoadOptions, engine_loader
from openral_perception_ros.engines.remote import InvalidEndpoint
from openral_testing.detectors.vision_server import VisionServer

TERMS = ("red mug", "lemon")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[VisionServer]:
    server = VisionServer()
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def frame(width: int = 240) -> EngineFrame:
    """An image twice as wide as high; a third of it, in the middle, is bright."""
    pixels = np.zeros((width // 2, width, 3), np.uint8)
    pixels[width // 8 : width // 4, width // 2 : width * 3 // 4] = 255
    return EngineFrame({"rgb": pixels}, "head", 0)


def look(url: str, model: str, width: int = 240, **options: object) -> list[Detection]:
    content = {
        "kind": "detector",
        "id": "served",
        "description": "d",
        "engine": "openai_vision",
        "mode": "on_demand",
        "vocabulary": {"kind": "open"},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
        "options": {"endpoint": url, "model": model, "deadline": 20.0, "retry_delay": 0.01, **options},
    }
    manifest = DetectorManifest.model_validate(content)
    engine = engine_loader("openai_vision")(manifest, Path(), LoadOptions())
    return engine.detect(frame(width), TERMS)


@pytest.mark.parametrize(
    ("model", "width", "options"),
    [
        ("marks", 240, {}),
        ("marks", 1600, {"long_edge": 200}),
        ("pixels", 1600, {"long_edge": 200, "answer_format": "json_pixels"}),
        ("flaky", 240, {}),
    ],
)
def test_its_boxes_are_in_pixels_of_the_image(
    endpoint: VisionServer, model: str, width: int, options: dict[str, object]
) -> None:
    found = look(endpoint.url, model, width, **options)
    assert [item.label for item in found] == list(TERMS)
    box = found[0].box
    expected = (width / 2, width / 8, width * 3 / 4, width / 4)
    assert (box.x_min, box.y_min, box.x_max, box.y_max) == pytest.approx(expected, abs=width / 100)


LIST = '[{"bbox_2d": [100, 100, 200, 200], "label": "red mug"}]'


@pytest.mark.parametrize(
    ("message", "boxes"),
    [
        ({"content": LIST, "reasoning_content": "Nothing, so [] it is.", "refusal": None}, 1),
        ({"content": "[]", "reasoning": LIST, "tool_calls": []}, 0),
        ({"content": f"<think>[]</think>{LIST}"}, 1),
        ({"content": [{"type": "thinking", "thinking": "[]"}, {"type": "text", "text": LIST}]}, 1),
    ],
)
def test_a_thought_is_no_part_of_the_answer(endpoint: VisionServer, message: dict, boxes: int) -> None:
    endpoint.messages["thinks"] = {"role": "assistant", **message}
    assert len(look(endpoint.url, "thinks")) == boxes


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"content": f"I think of [], then of {LIST}"}, "as a whole is not JSON"),
        ({"content": f"<think>Perhaps {LIST}"}, "as a whole is not JSON"),
        ({"content": None, "reasoning_content": LIST}, "no text"),
        ({"content": [{"type": "thinking", "text": LIST}]}, "no text"),
        ({"content": "[]", "refusal": "I cannot help. " * 1000}, "has refusal: 'I cannot help"),
        ({"content": "[]", "tool_calls": [{"id": "1", "function": {"name": "zoom"}}]}, "has tool_calls"),
    ],
)
def test_what_is_not_the_whole_answer_is_no_empty_view(
    endpoint: VisionServer, message: dict, words: str
) -> None:
    endpoint.messages["odd"] = {"role": "assistant", **message}
    with pytest.raises(EngineError, match=words) as failed:
        look(endpoint.url, "odd")
    assert len(str(failed.value)) < 400


@pytest.mark.parametrize(
    ("model", "kind", "name", "words"),
    [
        ("busy", FailureKind.ENGINE_ERROR, "RemoteUnavailable", "RateLimitError"),
        ("broken", FailureKind.ENGINE_ERROR, "RemoteUnavailable", "InternalServerError"),
        ("strict", FailureKind.ENGINE_ERROR, "RemoteRefused", "fails on purpose"),
        ("locked", FailureKind.ENGINE_ERROR, "RemoteRefused", "AuthenticationError"),
        ("moved", FailureKind.ENGINE_ERROR, "RemoteRefused", "307"),
        ("garbage", FailureKind.ENGINE_ERROR, "RemoteRefused", "UnicodeDecodeError"),
        ("cut", FailureKind.ENGINE_ERROR, "UnreadableAnswer", "finish_reason: 'length'"),
        ("chats", FailureKind.ENGINE_ERROR, "UnreadableAnswer", "as a whole is not JSON"),
        ("silent", FailureKind.ENGINE_ERROR, "UnreadableAnswer", "no text"),
        ("outside", FailureKind.ENGINE_ERROR, "UnreadableAnswer", "lies outside"),
        ("endless", FailureKind.ENGINE_ERROR, "BodyTooLarge", "larger than 4000000 bytes"),
    ],
)
def test_a_fault_of_the_endpoint_has_a_type_and_a_reason(
    endpoint: VisionServer, model: str, kind: FailureKind, name: str, words: str
) -> None:
    with pytest.raises(EngineError, match=words) as failed:
        look(endpoint.url, model)
    assert failed.value.kind is kind
    assert name in type(failed.value).__name__


def test_a_redirect_is_not_followed(endpoint: VisionServer) -> None:
    before = len(endpoint.requests)
    with pytest.raises(EngineError):
        look(endpoint.url, "moved")
    assert len(endpoint.requests) == before + 1


def test_an_answer_that_drips_ends_at_the_deadline(endpoint: VisionServer) -> None:
    with pytest.raises(EngineError, match=r"did not answer within 0\.3 s") as late:
        look(endpoint.url, "slow", deadline=0.3)
    assert late.value.kind is FailureKind.TIMEOUT


def test_an_endpoint_that_is_down_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(EngineError, match="is unavailable"):
        look(f"http://127.0.0.1:{port}/v1", "marks", attempts=1)


def test_the_key_comes_from_its_variable_and_is_never_told(
    endpoint: VisionServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENRAL_EYES_KEY", "sesame-12345")
    monkeypatch.setenv("OPENAI_API_KEY", "of-another-service")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    look(endpoint.url, "marks", key_variable="OPENRAL_EYES_KEY")
    assert endpoint.requests[-1][1] == "Bearer sesame-12345"
    look(endpoint.url, "marks")
    assert endpoint.requests[-1][1] == "Bearer none"
    with pytest.raises(InvalidEndpoint, match="KEY would be sent unencrypted: use https") as told:
        look("http://eyes.example/v1", "marks", key_variable="OPENRAL_EYES_KEY")
    assert "sesame" not in str(told.value)

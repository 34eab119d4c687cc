"""A detector behind the KServe v2 protocol: what it finds, and what is told of every fault of its server."""

import json
from pathlib import Path
from typing import Any

import pytest
from torch_environments import DETECTION, in_environment, needs

pytestmark = [needs(DETECTION), pytest.mark.xdist_group("kserve")]
CASES = Path(__file__).with_name("kserve_cases.py")
BOX = [150.0, 30.0, 210.0, 60.0]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Any]:
    return dict(json.loads(in_environment(str(CASES))))


@pytest.mark.parametrize(
    ("case", "label", "score"),
    [
        ("detr", "jar", 0.982),
        ("final", "jar", 0.9),
        ("phrases", "lemon", 0.982),
        ("flaky", "jar", 0.982),
        ("some classes", "jar", 0.982),
        ("some of the boxes", "jar", 0.9),
    ],
)
def test_the_box_of_the_server_is_in_pixels_of_the_image(
    outcomes: dict[str, Any], case: str, label: str, score: float
) -> None:
    """Letterboxed and stretched, two layouts and types, two forms of answers, and after two busy replies."""
    assert outcomes[case] == [[label, score, *BOX]]


@pytest.mark.parametrize(
    ("case", "kind", "name", "words"),
    [
        ("busy", "engine_error", "RemoteUnavailable", "busy fails on purpose"),
        ("strict", "engine_error", "RemoteRefused", "INVALID_ARGUMENT"),
        ("unknown", "engine_error", "RemoteRefused", "unknown model 'absent'"),
        ("slow", "timeout", "RemoteTimedOut", "did not answer within 0.3 s"),
        ("down", "engine_error", "RemoteUnavailable", "Connection refused"),
        ("garbage", "engine_error", "RemoteUnavailable", "is unavailable"),
        ("not-finite", "bad_detections", "BadDetections", "not finite"),
        (
            "other-classes",
            "bad_detections",
            "UnexpectedTensor",
            "(3, 2), the endpoint has shape (1, 3, 5)",
        ),
        ("other-type", "bad_detections", "UnexpectedTensor", "type 'FP32', 'FP16', the endpoint has FP64"),
        ("one-output", "bad_detections", "UnexpectedTensor", "output 'logits'"),
        ("cut", "bad_detections", "UnexpectedTensor", "data of another size"),
        ("unknown-class", "bad_detections", "UnexpectedTensor", "classes 0 to 1, the endpoint has [7]"),
        (
            "too few classes",
            "bad_detections",
            "UnexpectedTensor",
            "expects [5], the endpoint has classes 0",
        ),
        ("inverted", "bad_detections", "BadDetections", "end before they begin"),
        ("image type", "bad_detections", "UnexpectedTensor", "type 'UINT8', the endpoint has FP32"),
        ("image shape", "bad_detections", "UnexpectedTensor", "(1, 48, 64, 3), the endpoint has (-1, 3, 48"),
        ("output name", "bad_detections", "UnexpectedTensor", "the endpoint has 'logits', 'pred_boxes'"),
        ("more inputs", "bad_detections", "UnexpectedTensor", "also ['phrases']"),
    ],
)
def test_a_fault_of_the_server_has_a_type_and_a_reason(
    outcomes: dict[str, Any], case: str, kind: str, name: str, words: str
) -> None:
    found = outcomes[case]
    assert (found["kind"], found["type"]) == (kind, name)
    assert words in found["message"]


def test_a_server_that_dies_is_left_alone_for_a_while_and_used_again_when_it_is_back(
    outcomes: dict[str, Any],
) -> None:
    restart = outcomes["restart"]
    assert (restart["before"], restart["after"]) == (1, 1)
    failed = [item["type"] for item in restart["failed"]]
    assert failed == ["RemoteUnavailable", "RemoteUnavailable", "CircuitOpen"]

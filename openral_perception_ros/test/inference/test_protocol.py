import msgpack
import pytest
from pydantic import ValidationError

from openral_core.detectors import Box, Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import FailureKind, LoadOptions
from openral_perception_ros.inference.protocol import (
    Detect,
    Detected,
    Failed,
    Load,
    Ready,
    Reply,
    Request,
    pack_reply,
    pack_request,
    unpack_reply,
    unpack_request,
)
from openral_perception_ros.inference.shared_memory import ArraySpec

REQUESTS = [
    Detect(
        (ArraySpec("rgb", "|u1", (4, 5, 3), 0),),
        "head",
        7_000_000_001,
        {3: "red mug"},
        ("mug", "tasse à café"),
    ),
    Detect((), "wrist", 0),
]
REPLIES = [
    Ready(("mug", "bread"), 0.01, 512.0),
    Detected((Detection(Box(1, 2, 3.5, 4), "mug", 0.25, "t1"),), 0.002),
    Detected((), 0.0),
    Failed(FailureKind.OUT_OF_MEMORY, "no memory"),
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_requests_arrive_as_sent(request_: Request) -> None:
    assert unpack_request(pack_request(request_)) == request_


def test_a_manifest_arrives_as_sent(manifest: DetectorManifest) -> None:
    load = Load(manifest, "/rskills/x", LoadOptions(7, "cuda:1", "/weights"))
    assert unpack_request(pack_request(load)) == load


@pytest.mark.parametrize("reply", REPLIES)
def test_replies_arrive_as_sent(reply: Reply) -> None:
    assert unpack_reply(pack_reply(reply)) == reply


@pytest.mark.parametrize("content", [{}, {"type": "loud"}, {"type": "detected", "detections": 5}, []])
def test_what_is_no_reply_is_refused(content: object) -> None:
    with pytest.raises(ValidationError):
        unpack_reply(msgpack.packb(content))

"""Run the engine `kserve` against servers that work, fail and die; print the outcome of each case as JSON.

It runs in the environment that has tritonclient, which is not that of the tests.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import numpy as np

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import Engine, EngineError, EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.remote import CircuitOpen

SERVER = (sys.executable, "-m", "openral_testing.detectors.kserve_server")
VARIABLE = "OPENRAL_TEST_ENDPOINT"
FINAL = {"heads": "boxes", "image_layout": "nhwc", "image_type": "UINT8"}
PATIENCE = 30.0


def frame() -> EngineFrame:
    """An image twice as wide as high with one bright part."""
    pixels = np.zeros((120, 240, 3), np.uint8)
    pixels[30:60, 150:210] = 255
    return EngineFrame({"rgb": pixels}, "head", 0)


def load(**options: object) -> Engine:
    named = options.pop("labels", ["cup", "jar"])
    labels = {"kind": "open"} if "phrases_input" in options else {"kind": "closed", "labels": named}
    content = {
        "kind": "detector",
        "id": "served",
        "description": "d",
        "engine": "kserve",
        "mode": "on_demand",
        "vocabulary": labels,
        "input_size": [64, 48],
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
        "options": {"endpoint_variable": VARIABLE, "retry_delay": 0.01, "deadline": 10.0, **options},
    }
    return engine_loader("kserve")(DetectorManifest.model_validate(content), Path(), LoadOptions())


def outcome(run: Callable[[], object]) -> object:
    try:
        return run()
    except EngineError as error:
        return {"kind": error.kind, "type": type(error).__name__, "message": str(error)}


def look(**options: object) -> object:
    def run() -> object:
        terms = ("red mug", "lemon") if "phrases_input" in options else None
        found = load(**options).detect(frame(), terms)
        return [(item.label, round(item.score, 3), *vars_of(item.box)) for item in found]

    return outcome(run)


def vars_of(box: object) -> tuple[float, ...]:
    return tuple(round(getattr(box, side), 2) for side in ("x_min", "y_min", "x_max", "y_max"))


def start(port: int = 0) -> tuple[subprocess.Popen[str], int]:
    server = subprocess.Popen([*SERVER, str(port)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    return server, int(server.stdout.readline())


def killed_and_restarted(port: int, server: subprocess.Popen[str]) -> dict[str, object]:
    """Requests before, after the death of the server, until the circuit opens, and after its return."""
    engine = load(model="detr", failures=2, cool_down=2.0, attempts=2)
    before = len(engine.detect(frame(), None))
    server.kill()
    server.wait()
    failed = [outcome(lambda: engine.detect(frame(), None)) for _ in range(3)]
    again, _ = start(port)
    end, after = time.monotonic() + PATIENCE, -1
    while after < 0 and time.monotonic() < end:
        try:
            after = len(engine.detect(frame(), None))
        except CircuitOpen:
            time.sleep(0.05)
        except EngineError:
            pass
    again.kill()
    again.wait()
    return {"before": before, "failed": failed, "after": after}


def garbage() -> int:
    """Listen on a port whose answers are not HTTP/2."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            peer, _ = listener.accept()
            peer.sendall(b"\x00garbage\xff" * 100)

    Thread(target=answer, daemon=True).start()
    return int(listener.getsockname()[1])


def closed() -> socket.socket:
    """A socket that owns a port and does not listen: every connection to it is refused."""
    owner = socket.socket()
    owner.bind(("127.0.0.1", 0))
    return owner


def main() -> None:
    server, port = start()
    os.environ[VARIABLE] = f"grpc://127.0.0.1:{port}"
    faulty = ("flaky", "busy", "strict", "not-finite", "other-classes", "other-type", "one-output", "cut")
    found: dict[str, object] = {name: look(model=name) for name in faulty}
    found["detr"] = look(model="detr", fit="letterbox")
    found["final"] = look(model="final", **FINAL)
    found["some classes"] = look(model="other-classes", labels={1: "cup", 4: "jar"})
    found["some of the boxes"] = look(model="unknown-class", heads="boxes", labels={7: "jar"})
    found["too few classes"] = look(model="detr", labels={1: "cup", 5: "jar"})
    found["phrases"] = look(model="phrases", phrases_input="phrases")
    found["slow"] = look(model="slow", deadline=0.3)
    found["unknown"] = look(model="absent")
    found["unknown-class"] = look(model="unknown-class", heads="boxes")
    found["inverted"] = look(model="inverted", heads="boxes")
    found["image type"] = look(model="detr", image_type="UINT8")
    found["image shape"] = look(model="detr", image_layout="nhwc")
    found["output name"] = look(model="detr", logits_output="scores")
    found["more inputs"] = look(model="phrases")
    found["restart"] = killed_and_restarted(port, server)
    with closed() as owner:
        os.environ[VARIABLE] = f"grpc://127.0.0.1:{owner.getsockname()[1]}"
        found["down"] = look(model="detr", attempts=1)
    os.environ[VARIABLE] = f"grpc://127.0.0.1:{garbage()}"
    found["garbage"] = look(model="detr")
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()

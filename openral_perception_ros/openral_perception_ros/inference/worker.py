"""Entry point and request loop of a worker process; it never outlives its node."""

import argparse
import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from openral_core.detectors import InvalidDetection
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import (
    DescribedEngine,
    Engine,
    EngineError,
    EngineFrame,
    EngineLoader,
    FailureKind,
    blank_frame,
    clip_detections,
    engine_loader,
)
from openral_perception_ros.inference.grounding import PhraseGrounding
from openral_perception_ros.inference.ipc import (
    Detect,
    Detected,
    EngineFailed,
    Load,
    Ready,
    Reply,
    Request,
    SharedFrameBuffer,
    pack_reply,
    unpack_request,
)

DEFAULT_SIZE = (640, 480)
"""Width and height of the warm-up frame if the manifest names none [px]: VGA."""


class RequestServer:
    """Serve requests with one engine."""

    def __init__(self, buffer: SharedFrameBuffer, loader: Callable[[str], EngineLoader]) -> None:
        self._buffer = buffer
        self._loader = loader
        self._engine: Engine | None = None
        self._grounding: PhraseGrounding | None = None

    def handle(self, request: Request) -> Reply:
        """Return the reply to one request; every failure is typed."""
        try:
            return self._load(request) if isinstance(request, Load) else self._detect(request)
        except EngineError as error:
            return EngineFailed(error.kind, str(error))
        except InvalidDetection as error:
            return EngineFailed(FailureKind.BAD_DETECTIONS, str(error))
        except OpenRALError as error:
            return EngineFailed(FailureKind.ENGINE_ERROR, str(error))
        except MemoryError as error:
            return EngineFailed(FailureKind.OUT_OF_MEMORY, f"out of memory: {error}")
        except Exception as error:  # third-party model code: every failure becomes a reply
            traceback.print_exc(file=sys.stderr)
            return EngineFailed(FailureKind.ENGINE_ERROR, f"{type(error).__name__}: {error}")

    def _load(self, load: Load) -> Ready:
        manifest = load.manifest
        engine = self._loader(manifest.engine)(manifest, Path(load.folder), load.options)
        warm_up = timed_warm_up(engine, manifest)
        self._engine = engine
        self._grounding = PhraseGrounding(engine, manifest) if manifest.vocabulary.colours else None
        summary = engine.summary if isinstance(engine, DescribedEngine) else ""
        return Ready(engine.labels, warm_up, engine.device_memory_mb(), summary)

    def _detect(self, detect: Detect) -> Detected:
        if self._engine is None:
            raise EngineError("detection requested before a model was loaded")
        frame = EngineFrame(
            self._buffer.read(detect.planes), detect.camera, detect.stamp, detect.instance_names
        )
        started = time.perf_counter()
        if self._grounding is None or detect.terms is None:
            detections = self._engine.detect(frame, detect.terms)
        else:
            detections = self._grounding.detect(frame, detect.terms)
        clipped = clip_detections(detections, frame.size)
        return Detected(clipped, time.perf_counter() - started)


def serve_requests(connection: Connection, server: RequestServer) -> None:
    """Serve until the node closes the connection."""
    while True:
        try:
            request = unpack_request(connection.recv_bytes())
            connection.send_bytes(pack_reply(server.handle(request)))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def timed_warm_up(engine: Engine, manifest: DetectorManifest) -> float:
    """Measure the second of two inferences [s]; the first includes lazy initialisation."""
    terms = None if engine.labels else ("object",)
    frame = blank_frame(manifest.sensors, *(manifest.input_size or DEFAULT_SIZE))
    engine.detect(frame, terms)
    started = time.perf_counter()
    engine.detect(frame, terms)
    return time.perf_counter() - started


PR_SET_PDEATHSIG = 1
"""Operation number of prctl(2), from linux/prctl.h."""


def set_parent_death_signal(parent: int) -> None:
    """Let the kernel kill this process when the thread that started it ends.

    Source: prctl(2). The signal is bound to the parent's *thread*, which must outlive the worker.
    """
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent died while this process was starting
        os._exit(1)


def parse_arguments() -> argparse.Namespace:
    """Parse the inherited descriptors and the node's process id."""
    parser = argparse.ArgumentParser(description="Run one detector engine for one node.")
    parser.add_argument("--socket", type=int, required=True)
    parser.add_argument("--arena", type=int, required=True)
    parser.add_argument("--parent", type=int, required=True)
    return parser.parse_args()


def run_worker(loader: Callable[[str], EngineLoader]) -> None:
    """Serve the node that started this process, with engines from ``loader``."""
    arguments = parse_arguments()
    set_parent_death_signal(arguments.parent)
    serve_requests(Connection(arguments.socket), RequestServer(SharedFrameBuffer(arguments.arena), loader))


if __name__ == "__main__":
    run_worker(engine_loader)

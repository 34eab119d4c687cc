"""A worker's loop: one request, one reply, until the node hangs up."""

import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from openral_core.detections import InvalidDetection
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import (
    Engine,
    EngineError,
    EngineLoader,
    FailureKind,
    Frame,
    blank_frame,
    clipped,
)
from openral_perception_ros.workers.arena import Arena
from openral_perception_ros.workers.messages import (
    Detect,
    Detected,
    Failed,
    Load,
    Ready,
    Reply,
    Request,
    pack_reply,
    unpack_request,
)

DEFAULT_SIZE = (640, 480)


class Servant:
    """Answers requests with one engine."""

    def __init__(self, arena: Arena, loader: Callable[[str], EngineLoader]) -> None:
        self._arena = arena
        self._loader = loader
        self._engine: Engine | None = None

    def answer(self, request: Request) -> Reply:
        """The reply to one request; every failure is a typed one."""
        try:
            return self._load(request) if isinstance(request, Load) else self._detect(request)
        except EngineError as error:
            return Failed(error.kind, str(error))
        except InvalidDetection as error:
            return Failed(FailureKind.BAD_DETECTIONS, str(error))
        except OpenRALError as error:
            return Failed(FailureKind.ENGINE_ERROR, str(error))
        except MemoryError as error:
            return Failed(FailureKind.OUT_OF_MEMORY, f"out of memory: {error}")
        except Exception as error:  # the model's own code: any failure there is an answer here
            traceback.print_exc(file=sys.stderr)
            return Failed(FailureKind.ENGINE_ERROR, f"{type(error).__name__}: {error}")

    def _load(self, load: Load) -> Ready:
        manifest = load.manifest
        engine = self._loader(manifest.engine)(manifest, Path(load.folder), load.options)
        warm_up = _timed_warm_up(engine, manifest)
        self._engine = engine
        return Ready(engine.labels, warm_up, engine.device_memory_mb())

    def _detect(self, detect: Detect) -> Detected:
        if self._engine is None:
            raise EngineError("asked to detect before a model was loaded")
        frame = Frame(self._arena.read(detect.planes), detect.camera, detect.stamp, detect.labels)
        started = time.perf_counter()
        found = clipped(self._engine.detect(frame, detect.terms), frame.size)
        return Detected(found, time.perf_counter() - started)


def serve(connection: Connection, servant: Servant) -> None:
    """Answer until the other side hangs up."""
    while True:
        try:
            request = unpack_request(connection.recv_bytes())
            connection.send_bytes(pack_reply(servant.answer(request)))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _timed_warm_up(engine: Engine, manifest: DetectorManifest) -> float:
    """Time of the second of two inferences [s]: the first one pays for lazy set-up."""
    terms = None if engine.labels else ("object",)
    frame = blank_frame(manifest.sensors, *(manifest.input_size or DEFAULT_SIZE))
    engine.detect(frame, terms)
    started = time.perf_counter()
    engine.detect(frame, terms)
    return time.perf_counter() - started

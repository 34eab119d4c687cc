"""A detector's worker without its node: load as the node does, detect, measure, end."""

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from openral_core.arrays import Image
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_perception_ros.inference.errors import ModelNotLoaded, UnexpectedReply, WorkerTimedOut
from openral_perception_ros.inference.ipc import Detected, EngineFailed, Load, Ready, Reply
from openral_perception_ros.inference.worker_command import worker_command
from openral_perception_ros.inference.worker_supervisor import InferenceWorkerProcess
from openral_perception_ros.publishers import process_memory_mb
from openral_ros.gpu import gpu_used_mb


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """Detector with the folders and options that its worker needs; ``deadline`` bounds each reply [s]."""

    manifest: DetectorManifest
    folder: Path
    options: LoadOptions
    environments: Path
    deadline: float = 300.0


@dataclass(frozen=True, slots=True)
class LoadedDetector:
    """A worker that has loaded its model; ``load_time`` [s] includes the start of its process."""

    setup: WorkerSetup
    worker: InferenceWorkerProcess
    ready: Ready
    load_time: float

    @classmethod
    @contextmanager
    def load(cls, setup: WorkerSetup) -> Iterator[Self]:
        """Start the worker and load the model; afterwards its process has ended.

        Raises:
            MissingEnvironment, WorkerError: If the worker cannot be started, crashes or does not answer.
            ModelNotLoaded: If the engine reports that it cannot load the model.
        """
        command = worker_command(setup.manifest, setup.environments)
        started = time.monotonic()
        worker = InferenceWorkerProcess(command.line, command.variables)
        try:
            worker.load(Load(setup.manifest, str(setup.folder), setup.options))
            reply = reply_of(worker, "the load request", setup.deadline)
            if isinstance(reply, EngineFailed):
                raise ModelNotLoaded(setup.manifest.id, reply)
            if not isinstance(reply, Ready):
                raise UnexpectedReply(reply.type, "loading")
            yield cls(setup, worker, reply, time.monotonic() - started)
        finally:
            worker.close()

    def detect(self, rgb: Image, terms: tuple[str, ...] | None = None) -> Detected:
        """Detect in one image (H, W, 3); errors as in `load`, `ModelNotLoaded` if the engine fails."""
        frame = EngineFrame({Sensor.RGB.value: rgb}, camera="", stamp=0)
        self.worker.detect(frame, terms)
        reply = reply_of(self.worker, "a detection request", self.setup.deadline)
        if isinstance(reply, EngineFailed):
            raise ModelNotLoaded(self.setup.manifest.id, reply)
        if not isinstance(reply, Detected):
            raise UnexpectedReply(reply.type, "detecting")
        return reply

    @property
    def memory_mb(self) -> float:
        """Memory of the worker and its children, host and GPU [MB]."""
        return process_memory_mb(self.worker.pid, self.ready.device_memory_mb)

    @property
    def device_mb(self) -> float:
        """Memory on the device of the model [MB]: that of the GPU, or of the host without one."""
        on_gpu = gpu_used_mb([self.worker.pid]) or self.ready.device_memory_mb
        return self.memory_mb if self.setup.options.device == "cpu" else on_gpu


def reply_of(worker: InferenceWorkerProcess, during: str, deadline: float) -> Reply:
    """Wait for a reply.

    Raises:
        WorkerTimedOut: If none arrives within ``deadline`` [s]; the worker is killed.
        WorkerCrashed, InvalidReply: See `InferenceWorkerProcess.receive`.
    """
    end = time.monotonic() + deadline
    while (remaining := end - time.monotonic()) > 0.0:
        select.select([worker.connection], [], [], remaining)
        reply = worker.receive()
        if reply is not None:
            return reply
    worker.close()
    raise WorkerTimedOut(during, deadline)

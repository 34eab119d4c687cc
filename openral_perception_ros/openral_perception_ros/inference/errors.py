"""Errors of a worker: leaves of `WorkerError` lose its process, the others its start or its supervision."""

import signal
from collections.abc import Sequence

from openral_core.errors import OpenRALError
from openral_perception_ros.inference.ipc import EngineFailed


class WorkerError(OpenRALError):
    """Base of the errors that lose a worker."""


class WorkerNotStarted(WorkerError):
    """The worker's interpreter could not be run."""

    def __init__(self, command: Sequence[str], reason: str) -> None:
        super().__init__(f"the worker could not be started with {command[0]!r}: {reason}")


class WorkerCrashed(WorkerError):
    """The worker exited unexpectedly."""

    def __init__(self, exit_code: int | None) -> None:
        how = f"exit code {exit_code}"
        if exit_code is not None and exit_code < 0:
            how = f"killed by {signal.Signals(-exit_code).name}"
        super().__init__(f"the worker process exited unexpectedly ({how})")


class InvalidReply(WorkerError):
    """The worker sent an invalid reply and was killed."""

    def __init__(self, reason: Exception) -> None:
        first = f"{type(reason).__name__}: {reason}".splitlines()[0][:200]
        super().__init__(f"the worker sent an invalid reply ({first}) and was killed")


class WorkerTimedOut(WorkerError):
    """The worker did not reply in time and was killed."""

    def __init__(self, during: str, limit: float) -> None:
        super().__init__(f"the worker did not answer {during} within {limit:g} s and was killed")


class ModelNotLoaded(OpenRALError):
    """The worker reported that it could not load the model."""

    def __init__(self, rskill_id: str, failed: EngineFailed) -> None:
        self.kind = failed.kind
        super().__init__(f"{rskill_id!r} could not be loaded: {failed.message}")


class LoadingAbandoned(OpenRALError):
    """The node stopped the worker while it was loading."""

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"{rskill_id!r} could not be loaded: the node stopped the worker")


class UnexpectedReply(OpenRALError):
    """The worker sent a reply that matches no pending request."""

    def __init__(self, reply: str, phase: str) -> None:
        super().__init__(f"the worker sent an unexpected {reply!r} reply while {phase} and was killed")


class SupervisionFailed(OpenRALError):
    """A defect in the supervising thread; the worker is dropped."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"worker supervision failed ({type(error).__name__}: {error})"[:500])

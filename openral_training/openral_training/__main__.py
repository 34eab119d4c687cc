"""Run one job: ``python -m openral_training detector | evaluate | export | teach <options as JSON>``.

Exit code: 0 done; 2 refused, with the reason; 130 a training that was interrupted and can be resumed.
"""

import signal
import sys
import threading
from collections.abc import Callable, Mapping

from openral_core.errors import OpenRALError
from openral_training.detector.jobs import evaluate_run, export_run, train
from openral_training.detector.options import (
    EvaluationOptions,
    ExportOptions,
    TeachingOptions,
    TrainingOptions,
)
from openral_training.teach.job import teach

INTERRUPTED, REFUSED = 130, 2
"""Exit codes: after SIGINT, as shells report it; of an `OpenRALError`, as of the other commands."""


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def detector(options: str) -> int:
    """Train until the end, or until SIGINT or SIGTERM."""
    return 0 if train(TrainingOptions.model_validate_json(options), say, _until_signalled()) else INTERRUPTED


def lesson(options: str) -> int:
    """Learn a lesson until the end, or until SIGINT or SIGTERM."""
    return 0 if teach(TeachingOptions.model_validate_json(options), say, _until_signalled()) else INTERRUPTED


def _until_signalled() -> Callable[[], bool]:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop.is_set


def evaluate(options: str) -> int:
    """Evaluate a run."""
    evaluate_run(EvaluationOptions.model_validate_json(options), say)
    return 0


def export(options: str) -> int:
    """Export a run."""
    export_run(ExportOptions.model_validate_json(options), say)
    return 0


JOBS: Mapping[str, Callable[[str], int]] = {
    "detector": detector,
    "evaluate": evaluate,
    "export": export,
    "teach": lesson,
}


def main() -> int:
    """Run the job that the arguments name."""
    job, options = sys.argv[-2:]
    try:
        return JOBS[job](options)
    except OpenRALError as error:
        sys.stderr.write(f"{error}\n")
        return REFUSED


if __name__ == "__main__":
    sys.exit(main())

"""Trial records with a few fields of interest."""

from collections.abc import Callable

import pytest

from openral_eval.suites.tasks import TrialRecord


@pytest.fixture
def record() -> Callable[..., TrialRecord]:
    def make(task: str, trial: int, failure: str = "", **changes: object) -> TrialRecord:
        values = {
            "key": f"household/{task}/{trial}",
            "suite": "household",
            "task": task,
            "trial": trial,
            "category": "fetch",
            "goal": "bring me the mug",
            "failure": failure,
            "score": float(not failure),
            "steps": 4,
            "decisions": 3,
            "malformed": 1,
            "refused": 0,
            "tokens_in": 100,
            "tokens_out": 10,
            "tokens_cached": 40,
            "tokens_stored": 0,
            "cost": 0.5,
            "latencies": (0.1, 0.2, 0.9),
            "wall": 1.0,
        }
        return TrialRecord.model_validate(values | changes)

    return make

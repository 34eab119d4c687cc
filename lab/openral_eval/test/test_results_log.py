"""Log of a run: synced, resumable, and of one run alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from openral_core.documents import InvalidDocument
from openral_eval.fingerprint import Fingerprint
from openral_eval.results_log import TRIALS, OtherRun, ResultsLog, RunDescription, TrialsExist
from openral_eval.suites.tasks import TrialRecord

Record = Callable[..., TrialRecord]

PRINT = Fingerprint(code="c", tasks="t", seeds="s", prompts="p")
RUN = RunDescription(brain="scripted", suites=("household",), trials=2, seed=0, limit=0, fingerprint=PRINT)


def test_a_second_log_of_the_same_run_knows_the_first_ones_trials(record: Record, tmp_path: Path) -> None:
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        log.add(record("a", 0))
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        assert log.has("household/a/0")
        assert not log.has("household/a/1")
        assert log.records == (record("a", 0),)


def test_a_torn_last_line_costs_one_trial(record: Record, tmp_path: Path) -> None:
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        log.add(record("a", 0))
        log.add(record("a", 1))
    file = tmp_path / TRIALS
    file.write_bytes(file.read_bytes()[:-20])
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        assert [each.key for each in log.records] == ["household/a/0"]
        log.add(record("a", 1))
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        assert [each.key for each in log.records] == ["household/a/0", "household/a/1"]


def test_trials_of_another_run_are_refused_with_the_difference(record: Record, tmp_path: Path) -> None:
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        log.add(record("a", 0))
    other = RUN.model_copy(update={"seed": 5, "fingerprint": PRINT.model_copy(update={"code": "x"})})
    with pytest.raises(OtherRun, match="fingerprint, seed"):
        ResultsLog(tmp_path, other, resume=True)


def test_a_new_run_does_not_continue_an_old_one_by_accident(record: Record, tmp_path: Path) -> None:
    with ResultsLog(tmp_path, RUN, resume=False) as log:
        log.add(record("a", 0))
    with pytest.raises(TrialsExist, match="1 trials: add --resume"):
        ResultsLog(tmp_path, RUN, resume=False)


@pytest.mark.parametrize("line", [b"{", b"[]", b"\xff", b'{"key": 1}'])
def test_a_line_that_is_no_trial_is_named(tmp_path: Path, line: bytes) -> None:
    (tmp_path / TRIALS).write_bytes(line + b"\n")
    with pytest.raises(InvalidDocument, match=rf"{TRIALS}:1"):
        ResultsLog(tmp_path, RUN, resume=True)

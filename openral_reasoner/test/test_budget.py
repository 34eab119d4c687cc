"""A budget only ever shrinks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.budget import BudgetExhausted, BudgetLedger, SearchBudget

LINES = st.sampled_from(["candidates", "recalls", "locates", "skills"])


@given(st.lists(LINES, max_size=60), st.integers(0, 8))
def test_never_more_is_spent_than_allowed(spent: list[str], limit: int) -> None:
    ledger = BudgetLedger(SearchBudget(candidates=limit, recalls=limit, locates=limit, skills=limit))
    for line in spent:
        before = ledger.left(line)
        if before == 0:
            with pytest.raises(BudgetExhausted, match=line):
                ledger.spend(line)
        else:
            ledger = ledger.spend(line)
            assert ledger.left(line) == before - 1
    assert all(line.used <= line.limit for line in ledger.lines())


@given(st.lists(st.floats(0.0, 100.0), min_size=2, max_size=12))
def test_only_running_time_counts(times: list[float]) -> None:
    ledger, spent, now = BudgetLedger(SearchBudget(seconds=86400.0)), 0.0, 0.0
    for index, step in enumerate(times):
        ledger = ledger.resumed(now) if index % 2 == 0 else ledger.paused(now)
        now += step
        spent += step if index % 2 == 0 else 0.0
    assert ledger.left("seconds", now) == pytest.approx(86400.0 - spent)


@pytest.mark.parametrize("line", SearchBudget.model_fields)
def test_a_line_is_in_the_words_once_it_runs_low(line: str) -> None:
    ledger = BudgetLedger(SearchBudget())
    limit = ledger.limit(line)
    assert ledger.words(0.0) == ledger.charge(line, 0.79 * limit).words(0.0) == ""
    assert ledger.charge(line, 0.81 * limit).words(0.0).endswith(f" {line}")
    assert line in ledger.charge(line, limit).words(0.0)

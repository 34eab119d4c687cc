"""Outcomes as Markdown."""

from openral_household_benchmark.results import EpisodeResult, household_table
from openral_household_benchmark.task import TaskType


def outcome(archetype: TaskType, seed: int, why: str = "") -> EpisodeResult:
    return EpisodeResult(
        key=f"{archetype}-{seed}",
        archetype=archetype,
        seed=seed,
        scene="home",
        brain="scripted",
        goal="find the mug",
        success=not why,
        state="SUCCEEDED",
        why=why,
        words="a | b",
        wall=10.0,
        simulated=40.0,
        tool_calls=4,
        looks=2,
        containers_opened=1,
        metres=6.5,
    )


def test_counts_by_archetype_and_over_all() -> None:
    table = household_table([outcome(TaskType.FIND, 0), outcome(TaskType.VIEW, 0, "look-at: BLOCKED")])
    assert "| find | 1 | 1/1 (100%) | 0 | 10.0 | 40.0 | 4.0 |" in table
    assert "| all | 2 | 1/2 (50%) | 0 |" in table


def test_explains_every_failure_and_nothing_else() -> None:
    table = household_table([outcome(TaskType.FIND, 3), outcome(TaskType.VIEW, 7, "look-at: BLOCKED")])
    assert "| view | home | 7 | find the mug | look-at: BLOCKED | a / b |" in table
    assert "| find | home | 3 |" not in table


def test_counts_claims_apart_from_successes() -> None:
    claimed = outcome(TaskType.FETCH, 0, "mission: CLAIMED").model_copy(update={"state": "CLAIMED"})
    assert "| fetch | 2 | 1/2 (50%) | 1 |" in household_table([outcome(TaskType.FETCH, 1), claimed])


def test_tells_nothing_of_failures_when_there_is_none() -> None:
    assert "in words" not in household_table([outcome(TaskType.FIND, 0)])

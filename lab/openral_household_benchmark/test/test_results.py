"""Tests of results: the store on disk, reasons of failures, Markdown tables."""

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.missions import MissionState
from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.results import (
    FILE,
    EpisodeResult,
    Job,
    ResultStore,
    fingerprint,
    household_page,
    household_table,
    pass_hat_k,
    reason,
)
from openral_reasoner.commands import CallRecord, MissionReport


def outcome_of(job: Job, *, why: str = "") -> EpisodeResult:
    return EpisodeResult(
        key=job.key,
        archetype=job.archetype,
        seed=job.seed,
        scene=job.scene,
        brain=job.brain,
        goal="find the mug",
        success=not why,
        state="SUCCEEDED",
        why=why,
        wall=10.0,
        simulated=40.0,
        tool_calls=4,
        looks=2,
        containers_opened=1,
        metres=6.5,
    )


JOBS = tuple(Job(TaskType.FIND, seed, "home") for seed in range(3))


def test_goes_on_where_a_run_broke_off(tmp_path: Path) -> None:
    ResultStore(tmp_path).add(outcome_of(JOBS[1]))
    assert ResultStore(tmp_path).left(JOBS) == (JOBS[0], JOBS[2])


def test_does_a_job_again_whose_line_was_cut_off(tmp_path: Path) -> None:
    ledger = ResultStore(tmp_path)
    ledger.add(outcome_of(JOBS[0]))
    ledger.add(outcome_of(JOBS[1]))
    file = tmp_path / FILE
    file.write_text(file.read_text(encoding="utf-8")[:-10], encoding="utf-8")
    assert ResultStore(tmp_path).left(JOBS) == JOBS[1:]


def test_another_brain_is_another_job(tmp_path: Path) -> None:
    ledger = ResultStore(tmp_path)
    ledger.add(outcome_of(JOBS[0]))
    other = Job(TaskType.FIND, 0, "home", "anthropic")
    assert ledger.left([other]) == (other,)


def call(index: int, tool: str, status: str, message: str = "") -> CallRecord:
    arguments = '{"rskill": "grasp", "step": "GRASP mug"}' if tool == "execute_rskill" else "{}"
    return CallRecord(index=index, tool=tool, arguments=arguments, status=status, message=message)


GRASP = call(0, "execute_rskill", "NOT_REACHABLE", "too far")
LOOK = call(1, "locate_in_view", "NOT_IN_VIEW")
ASKED = call(2, "ask_human", "HANDED_OVER")


@pytest.mark.parametrize(
    ("state", "calls", "wrong", "why"),
    [
        (MissionState.SUCCEEDED, (GRASP,), "", ""),
        (MissionState.SUCCEEDED, (), "no mug in the hand", "mission: FALSE_SUCCESS"),
        (MissionState.HANDED_OVER, (GRASP, ASKED), "no mug", "grasp: NOT_REACHABLE"),
        (MissionState.HANDED_OVER, (GRASP, LOOK, ASKED), "no mug", "search: NOT_FOUND"),
        (MissionState.FAILED, (), "no mug", "mission: FAILED"),
        (MissionState.CLAIMED, (GRASP, ASKED), "", "mission: CLAIMED"),
    ],
)
def test_names_what_a_mission_ended_over(
    state: MissionState, calls: tuple[CallRecord, ...], wrong: str, why: str
) -> None:
    assert reason(MissionReport(state=state, calls=calls, reason="because"), wrong)[0] == why


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
    assert "| find | 1 | 1/1 (100%) | -, - | 1/1 | 0 | 10.0 | 40.0 | 4.0 |" in table
    assert "| all | 2 | 1/2 (50%) | -, - | 1/2 | 0 |" in table


def test_explains_every_failure_and_nothing_else() -> None:
    table = household_table([outcome(TaskType.FIND, 3), outcome(TaskType.VIEW, 7, "look-at: BLOCKED")])
    assert "| view | home | 7 | find the mug | - | look-at: BLOCKED | a / b |" in table
    assert "| find | home | 3 |" not in table


def test_counts_claims_apart_from_successes() -> None:
    claimed = outcome(TaskType.FETCH, 0, "mission: CLAIMED").model_copy(update={"state": "CLAIMED"})
    assert "| fetch | 2 | 1/2 (50%) | -, - | 1/2 | 1 |" in household_table(
        [outcome(TaskType.FETCH, 1), claimed]
    )


def test_tells_nothing_of_failures_when_there_is_none() -> None:
    assert "in words" not in household_table([outcome(TaskType.FIND, 0)])


def test_parts_that_are_done_are_counted_though_the_task_failed() -> None:
    half = outcome(TaskType.SWAP, 0, "grasp: NOT_REACHABLE").model_copy(update={"parts": 2, "parts_done": 1})
    assert "| swap | 1 | 0/1 (0%) | -, - | 1/2 |" in household_table([half])


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.data())
def test_pass_hat_k_is_the_share_of_samples_of_k_trials_that_all_succeed(
    done: list[bool], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(done)))
    samples = list(combinations(done, k))
    assert pass_hat_k(sum(done), len(done), k) == pytest.approx(sum(map(all, samples)) / len(samples))


def test_the_table_has_pass_k_over_the_seeds_of_a_kind() -> None:
    ends = [outcome(TaskType.FIND, seed, "mission: FAILED" if seed == 3 else "") for seed in range(8)]
    assert f"| find | 8 | 7/8 (88%) | {pass_hat_k(7, 8, 4):.2f}, 0.00 |" in household_table(ends)


def test_the_page_shows_what_a_failed_task_saw(tmp_path: Path) -> None:
    failed = outcome(TaskType.VIEW, 7, "look-at: BLOCKED").model_copy(
        update={"sheet": str(tmp_path / "view-home-7" / "sheet.jpg")}
    )
    page = household_page([outcome(TaskType.FIND, 3), failed], "code 1, scenes 2, tasks 3", tmp_path)
    assert "![images of the head camera](view-home-7/sheet.jpg)" in page
    assert "code 1, scenes 2, tasks 3" in page
    assert page.count("###") == 1


def test_other_scenes_tasks_and_detectors_have_another_fingerprint(tmp_path: Path) -> None:
    scene = tmp_path / "home.yaml"
    scene.write_text("name: home\n")
    first = fingerprint(JOBS, [scene], ("home-tiny",))
    assert first == fingerprint(JOBS, [scene], ("home-tiny",))
    others = {
        fingerprint(JOBS[1:], [scene], ("home-tiny",)),
        fingerprint(JOBS, [scene], ("sim-groundtruth",)),
    }
    scene.write_text("name: house\n")
    assert first not in {*others, fingerprint(JOBS, [scene], ("home-tiny",))}

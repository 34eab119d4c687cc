"""Splits of a data set."""

from pathlib import Path

import pytest

from openral_core.documents import InvalidDocument
from openral_training.data.splits import load_plan


def test_homes_of_the_shipped_splits_are_disjoint_and_held_out_kinds_are_only_taught() -> None:
    plan = load_plan()
    seeds = [seed for split in plan.splits.values() for seed in (split.seeds.start, split.seeds.stop - 1)]
    assert len(set(seeds)) == len(seeds)
    assert {name for name in plan.splits if not plan.without(name)} == {"teach"}
    assert 6 <= len(plan.without("train")) <= 8


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("held_out: [dragon]\nsplits: {}\n", "dragon"),
        (
            (
                "held_out: []\nsplits:\n  a: {first_seed: 0, homes: 3, images: 1}\n"
                "  b: {first_seed: 2, homes: 1, images: 1}"
            ),
            "'a' and 'b' share homes",
        ),
        ("held_out: []\nsplits: {../a: {first_seed: 0, homes: 3, images: 1}}", "'../a'"),
        ("held_out: []\nsplits: {a: {first_seed: 0, homes: 0, images: 1}}", "homes"),
    ],
)
def test_an_invalid_plan_is_refused_with_its_problem(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(content)
    with pytest.raises(InvalidDocument, match=problem):
        load_plan(path)


def test_more_homes_than_the_distance_of_two_splits_are_refused() -> None:
    with pytest.raises(InvalidDocument, match="homes"):
        load_plan().resized(2_000_000, None)

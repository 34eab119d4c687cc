"""A search episode is bounded and has one name."""

import pytest

from openral_reasoner.search.progress import (
    BLIND,
    MAX_VISITS,
    SEEN_NOT_PLACED,
    SearchProgress,
    normalize_term,
    same_term,
)


@pytest.mark.parametrize("term", ["the mug", "Mug", " a  mug!", "please the mug"])
def test_one_object_has_one_episode_however_it_is_written(term: str) -> None:
    assert normalize_term(term) == "mug"
    assert same_term(term, "my mug")


@pytest.mark.parametrize("outcome", sorted(BLIND))
def test_a_place_without_an_image_is_visited_again_but_not_for_ever(outcome: str) -> None:
    progress = SearchProgress("mug")
    for _ in range(MAX_VISITS):
        assert "table_1" not in progress.visited
        progress = progress.after_visit("table_1", outcome)
    assert "table_1" in progress.visited


def test_a_place_where_it_was_seen_unplaced_is_remembered() -> None:
    progress = (
        SearchProgress("mug").after_visit("table_1", "NOT_IN_VIEW").after_visit("sink_1", SEEN_NOT_PLACED)
    )
    assert progress.sighted == "sink_1"
    assert progress.visited == {"table_1", "sink_1"}


def test_earlier_hints_come_first() -> None:
    progress = SearchProgress("mug").hinted(("a",), ("table",)).hinted(("b", "a"), ("shelf", "table"))
    assert (progress.near_misses, progress.priors) == (("a", "b"), ("table", "shelf"))


def test_a_refuted_object_reopens_its_episode_without_asking_the_locator_again() -> None:
    reopened = SearchProgress("mug").after_finding("mug_1").reopened()
    assert (reopened.found, reopened.escalated) == ("", True)

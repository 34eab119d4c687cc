"""Terms of a search, and the likely places that name a place."""

import pytest

from openral_reasoner.terms import normalize_term, rank_of, same_term


@pytest.mark.parametrize("term", ["the mug", "Mug", " a  mug!", "please the mug"])
def test_one_object_has_one_episode_however_it_is_written(term: str) -> None:
    assert normalize_term(term) == "mug"
    assert same_term(term, "my mug")


@pytest.mark.parametrize(
    ("likely", "rank"),
    [
        (("kitchen counter",), 0),
        (("Counter", "table"), 0),
        (("table", "the counter"), 1),
        (("table", "kitchen"), 1),
        (("counter_1",), 0),
        (("bathroom counter",), 1),
        ((), 0),
    ],
)
def test_likely_places_name_a_place_by_id_label_kind_or_room(likely: tuple[str, ...], rank: int) -> None:
    assert rank_of(("counter_1", "long counter"), "kitchen", likely) == rank

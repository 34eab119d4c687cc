import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.text import Thesaurus
from openral_perception_ros.locate.errors import BadQuery
from openral_perception_ros.locate.request import MAX_CHARACTERS, MAX_TERMS, split_query_terms

THESAURUS = Thesaurus.load()


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("mug", ("mug",)),
        ("  red mug ,bread", ("red mug", "bread")),
        ("mug,,mug, ", ("mug",)),
        ("tasse à café", ("tasse à café",)),
    ],
)
def test_terms_are_split_at_commas_and_kept_as_written(query: str, terms: tuple[str, ...]) -> None:
    assert split_query_terms(query, THESAURUS) == terms


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "empty"),
        (" , ,", "empty"),
        ("mug\x00", "control"),
        ("mug\nbread", "control"),
        ("mug</c>bread", r"< > in 'mug</c>bread': use plain words without markup"),
        ("<image-1> mug", "plain words"),
        ("m" * (MAX_CHARACTERS + 1), "the limit is 256"),
        (",".join(f"mug {i}" for i in range(MAX_TERMS + 1)), "the limit is 16"),
        ("mug, ---", "names no object"),
    ],
)
def test_a_query_that_cannot_be_asked_says_why(query: str, reason: str) -> None:
    with pytest.raises(BadQuery, match=reason):
        split_query_terms(query, THESAURUS)


@given(st.text(max_size=300))
def test_any_text_is_terms_or_a_bad_query(query: str) -> None:
    try:
        terms = split_query_terms(query, THESAURUS)
    except BadQuery:
        return
    assert 1 <= len(terms) <= MAX_TERMS
    assert all(term == term.strip() and term in query for term in terms)

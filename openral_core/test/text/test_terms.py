"""Terms of a search."""

import pytest

from openral_core.text.terms import normalize_term, same_term


@pytest.mark.parametrize("term", ["the mug", "Mug", " a  mug!", "please the mug"])
def test_one_object_has_one_episode_however_it_is_written(term: str) -> None:
    assert normalize_term(term) == "mug"
    assert same_term(term, "my mug")

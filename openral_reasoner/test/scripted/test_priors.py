"""Commonsense priors: usual places and vessels."""

from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.scripted.priors import load_priors


@given(st.text(max_size=40))
def test_every_object_has_likely_places(words: str) -> None:
    places = load_priors().likely_places(words)
    assert 0 < len(places) <= 12


def test_the_head_noun_decides_where_to_look() -> None:
    assert load_priors().likely_places("cold wine")[0] == "fridge"
    assert load_priors().likely_places("wine glass")[0] == "cabinet"


def test_wine_is_served_in_a_glass_and_milk_in_what_was_named() -> None:
    assert load_priors().vessel_for("cup", "red wine") == "wine glass"
    assert load_priors().vessel_for("mug", "milk") == "mug"

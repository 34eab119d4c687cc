import pytest

from openral_core.object_states import (
    STATES,
    ObjectState,
    StateSource,
    UnknownState,
    age_in_words,
    believed,
)


def test_a_value_has_its_dimension_and_holds_for_its_time() -> None:
    on = ObjectState.known("on", StateSource.SEEN, 100.0)
    assert on.name == "power"
    assert on.is_believed(100.0 + 3600.0)
    assert not on.is_believed(101.0 + 3600.0)
    dirty = ObjectState.known("dirty", StateSource.TOLD, 100.0)
    assert dirty.until is None
    assert dirty.is_believed(1e9)


def test_a_word_that_is_no_state_is_refused_naming_the_states() -> None:
    with pytest.raises(UnknownState, match="'broken' is no state: expected one of 'on', 'off'"):
        ObjectState.known("broken", StateSource.TOLD, 0.0)


def test_no_value_belongs_to_two_dimensions() -> None:
    values = [value for state in STATES.values() for value in state.values]
    assert len(values) == len(set(values))


def test_only_what_still_holds_is_believed() -> None:
    full = ObjectState.known("full", StateSource.REPORTED, 0.0)
    clean = ObjectState.known("clean", StateSource.TOLD, 0.0)
    assert believed([full, clean], 10.0) == (clean, full)
    assert believed([full, clean], 1e5) == (clean,)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0 s"),
        (-3.0, "0 s"),
        (20.4, "20 s"),
        (119.0, "119 s"),
        (120.0, "2 min"),
        (7300.0, "2 h"),
        (2e5, "2 d"),
    ],
)
def test_ages_are_told_in_the_unit_of_which_there_are_two(seconds: float, words: str) -> None:
    assert age_in_words(seconds) == words


def test_a_state_is_told_with_its_source_and_age() -> None:
    assert ObjectState.known("on", StateSource.SEEN, 5.0).in_words(25.0) == "on (seen 20 s ago)"

"""Self-descriptions of detectors are cut to what a prompt can hold."""

import pytest

from openral_reasoner.palette.bounds import (
    CAMERAS,
    LABEL,
    LABELS_LENGTH_OF_ALL,
    cut,
    first_cameras,
    first_labels,
    number,
)


def test_a_long_text_states_how_much_was_left_out() -> None:
    assert cut("abcdef", 4) == "abcd... (2 characters left out)"
    assert cut("abcd", 4) == "abcd"


@pytest.mark.parametrize("sharing", [1, 3, 24])
def test_detectors_that_share_the_bound_stay_within_it_together(sharing: int) -> None:
    labels = tuple(f"label number {n}" for n in range(5000))
    shown = first_labels(labels, sharing)
    assert shown == labels[: len(shown)]
    assert 0 < sharing * sum(map(len, shown)) <= LABELS_LENGTH_OF_ALL


def test_names_that_are_too_long_are_skipped() -> None:
    assert first_labels(("x" * (LABEL + 1), "mug"), 1) == ("mug",)
    assert first_cameras(["c" * (LABEL + 1), *(f"c{n}" for n in range(99))]) == tuple(
        f"c{n}" for n in range(CAMERAS)
    )


@pytest.mark.parametrize(
    ("reported", "known"), [(2.5, 2.5), (-1.0, 0.0), (float("nan"), 0.0), (float("inf"), 0.0)]
)
def test_a_number_that_is_no_measure_is_unknown(reported: float, known: float) -> None:
    assert number(reported) == known

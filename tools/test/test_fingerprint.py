"""Tests of content digests."""

from hypothesis import given
from hypothesis import strategies as st

from workspace.fingerprint import digest


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_two_lists_share_a_digest_only_if_they_are_equal(some: list[str], others: list[str]) -> None:
    assert (digest(some) == digest(others)) == (some == others)

"""Interned values are read back as they were written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.value_interning import Interner, Outliner, UnknownMark


def test_a_number_that_nobody_has_defined_is_refused() -> None:
    with pytest.raises(UnknownMark, match="7"):
        Outliner().value({"@": 7})


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just("ab" * 200),
    lambda inner: (
        st.lists(inner, max_size=80)
        | st.dictionaries(st.sampled_from(["@", "=", "~", "+", "a", "b" * 100]), inner)
    ),
    max_leaves=60,
)


@given(st.lists(plain, max_size=4))
def test_any_values_are_read_as_they_were_written(values: list[object]) -> None:
    writer, reader = Interner(), Outliner()
    for value in (*values, *values):
        assert reader.value(json.loads(writer.text(value))) == value

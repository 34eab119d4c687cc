"""Inconsistent hierarchies are rejected."""

import pytest

from openral_core.text import InvalidThesaurus, Thesaurus
from openral_core.text.taxonomy import ThesaurusDocument, ThesaurusEntry


@pytest.mark.parametrize(
    ("things", "problem"),
    [
        ({"mug": ThesaurusEntry(kinds=("cupp",))}, "kinds without an entry: 'cupp'"),
        ({"a": ThesaurusEntry(kinds=("b",)), "b": ThesaurusEntry(kinds=("a",))}, "kinds of themselves"),
    ],
)
def test_refuses_a_broken_hierarchy(things: dict[str, ThesaurusEntry], problem: str) -> None:
    with pytest.raises(InvalidThesaurus, match=problem):
        Thesaurus(ThesaurusDocument(version=1, things=things))

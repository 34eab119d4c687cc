"""rSkill names, aliases and slugs."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.names import ID_PATTERN, InvalidName, Name, UnknownId, find_named, slug

NAMES = (Name("omdet-turbo-locator", ("omdet",)), Name("sim-groundtruth"))


@given(st.text())
def test_every_slug_is_a_legal_ros_name_of_the_same_length(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9_]*", slug(text))


@given(st.from_regex(ID_PATTERN, fullmatch=True))
def test_a_slug_of_a_slug_is_itself(rskill_id: str) -> None:
    rskill_id = rskill_id.rstrip("\n")
    assert slug(slug(rskill_id)) == slug(rskill_id)


@pytest.mark.parametrize("asked", ["omdet-turbo-locator", "omdet_turbo_locator", "omdet"])
def test_id_slug_and_alias_find_the_same_thing(asked: str) -> None:
    assert find_named("detector", asked, NAMES) is NAMES[0]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        UnknownId, match=r"unknown detector 'yolo': expected one of .*'omdet'.*'sim-groundtruth'"
    ):
        find_named("detector", "yolo", NAMES)


@pytest.mark.parametrize("bad", ["", "Ab", "-x", "a b", "x" * 65, "abc\n"])
def test_an_id_that_cannot_be_used_is_refused(bad: str) -> None:
    with pytest.raises(InvalidName, match=re.escape(repr(bad))):
        Name(bad)

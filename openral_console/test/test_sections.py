"""Sections hand out their newest version, and a slow reader skips the ones between."""

import json
import time

import pytest

from openral_console.sections import LARGE, READING, Sections, finite, pause_after


def test_a_reader_gets_each_new_version_once() -> None:
    sections = Sections()
    sections.put("a", {"x": 1})
    found = sections.newer({}, {})
    assert [(name, json.loads(text)) for name, _, text in found] == [("a", {"x": 1})]
    assert sections.newer({name: version for name, version, _ in found}, {}) == []


def test_an_equal_value_is_no_new_version() -> None:
    sections = Sections()
    assert sections.put("a", [1, 2])
    assert not sections.put("a", [1, 2])


def test_a_slow_reader_gets_only_the_newest() -> None:
    sections = Sections()
    for number in range(1000):
        sections.put("a", number)
    assert [text for _, _, text in sections.newer({}, {})] == ["999"]


def test_a_section_rests_until_its_time() -> None:
    sections = Sections()
    sections.put("a", 1)
    assert sections.newer({}, {"a": time.monotonic() + 60.0}) == []


def test_sections_are_read_from_the_first_look_until_looks_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    sections = Sections()
    assert not sections.is_read
    sections.newer({}, {})
    assert sections.is_read
    now += READING + 0.1
    assert not sections.is_read


def test_a_large_section_is_sent_less_often() -> None:
    assert pause_after("x" * (LARGE + 1)) > pause_after("x") == 0.0


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_has_not_is_none(number: float) -> None:
    assert finite(number) is None


def test_all_sections_are_one_object() -> None:
    sections = Sections()
    sections.put("a", 1)
    sections.put('b"', "</script>")
    assert json.loads(sections.as_json()) == {"a": 1, 'b"': "</script>"}

"""Texts from outside: what is small is read, what would unfold is refused before it does."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.consent.policy import InvalidPolicy, parse_policy
from openral_core.documents import Document, InvalidDocument, parse_document, read_json, read_yaml
from openral_core.errors import MAX_MESSAGE, OpenRALError, format_choices, quoted, shortened
from openral_core.parsing import MAX_DEPTH, InvalidText, parse_json, parse_yaml


def chained(levels: int, width: int) -> str:
    """Return aliases of aliases: ``levels`` lists, each of ``width`` times the list before."""
    lists = ["&a0 [" + ",".join(["x"] * width) + "]"]
    lists += [f"&a{n} [" + ",".join([f"*a{n - 1}"] * width) + "]" for n in range(1, levels)]
    return "[" + ", ".join(lists) + "]"


def merged(levels: int) -> str:
    """Return mappings that merge the mapping before ten times."""
    lines = ["- &m0 {k: v}"]
    lines += [f"- &m{n} {{<<: [" + ",".join([f"*m{n - 1}"] * 10) + f"], k{n}: v}}" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (chained(8, 10), "aliases .* repeat too much"),
        (chained(8, 10).replace("x,x", f"{'y' * 5000},x"), "aliases .* repeat too much"),
        (merged(9), "aliases .* repeat too much"),
        (f"a: &a {'z' * 100_000}\nb: [" + "*a," * 100 + "]", "aliases .* repeat too much"),
        (chained(MAX_DEPTH + 1, 1), "nested too deeply"),
        ("a: &a [*a]", "refers to what contains it"),
        ("&a {b: {c: *a}}", "refers to what contains it"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ("- " * 100_000, "nested too deeply"),
        ("a: " + "9" * 30, "an integer of 30 characters"),
        ("a: !!timestamp x", "groupdict"),
        ("a: !!int ''", "index out of range"),
        ("a: !!bool x", "x"),
        ("a: !!python/object/apply:os.system [id]", "could not determine a constructor"),
        ('a: "\\ud800"', "invalid Unicode"),
        ("a: " + "x" * 5_000_000, "longer than"),
    ],
)
def test_yaml_that_would_unfold_or_break_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidText, match=problem) as refused:
        parse_yaml(text)
    assert len(str(refused.value).encode()) <= MAX_MESSAGE


def test_aliases_and_merges_that_repeat_little_are_read() -> None:
    text = "base: &base {height: 1, tags: [a, b]}\nshelf: {<<: *base, height: 2}\nother: *base"
    assert parse_yaml(text) == {
        "base": {"height": 1, "tags": ["a", "b"]},
        "shelf": {"height": 2, "tags": ["a", "b"]},
        "other": {"height": 1, "tags": ["a", "b"]},
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("9" * 30, "an integer of 30 characters"),
        ("1e999", "too large"),
        ("NaN", "not a JSON number"),
        ("-Infinity", "not a JSON number"),
        ('{"a": "\\ud800"}', "half a surrogate"),
        ('{"\\uDFFF": 1}', "half a surrogate"),
        (b'"\xff"', "can't decode"),
        ("{", "Expecting"),
        (b"", "Expecting"),
    ],
)
def test_json_that_would_break_where_it_is_used_is_refused(text: str | bytes, problem: str) -> None:
    with pytest.raises(InvalidText, match=problem):
        parse_json(text)


def test_brackets_in_texts_are_no_levels() -> None:
    content = {"a": "[{" * 500, 'b\\"': ['"[[[' * 200]}
    assert parse_json(json.dumps(content)) == content


plain = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
contents = st.recursive(
    plain.filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(contents)
def test_what_json_writes_is_read_back(content: object) -> None:
    assert parse_json(json.dumps(content)) == content
    assert parse_json(b"\xef\xbb\xbf" + json.dumps(content, ensure_ascii=False).encode()) == content


class Shelf(Document):
    """A document with one list of texts and one number."""

    names: tuple[str, ...] = ()
    height: float = 1.0


@pytest.mark.parametrize(
    "content",
    [
        {"names": [["x" * 5000] * 100]},
        {"names": [{"y" * 100_000: 1}]},
        {"k" * 100_000: 1},
        {f"key{n}": n for n in range(10_000)},
        {"names": list(range(50_000))},
        {"height": 10**5000},
        {"height": "\ud800" * 5000},
    ],
)
def test_the_message_of_a_wrong_document_is_short_whatever_it_holds(content: dict[str, object]) -> None:
    with pytest.raises(InvalidDocument) as refused:
        parse_document(Shelf, content, "shelf.yaml")
    assert len(str(refused.value).encode()) <= MAX_MESSAGE
    assert str(refused.value).startswith("shelf.yaml: ")


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf", "1.0e+400"])
def test_a_number_of_a_document_is_finite(tmp_path: Path, number: str) -> None:
    (tmp_path / "shelf.yaml").write_text(f"height: {number}")
    with pytest.raises(InvalidDocument, match="height: Input should be a finite number"):
        parse_document(Shelf, read_yaml(tmp_path / "shelf.yaml"), "shelf.yaml")


def test_a_policy_that_unfolds_is_refused_in_few_words() -> None:
    with pytest.raises(InvalidPolicy) as refused:
        parse_policy("default: " + chained(8, 10))
    assert len(str(refused.value).encode()) <= MAX_MESSAGE


@pytest.mark.parametrize("read", [read_yaml, read_json])
def test_a_device_or_a_pipe_is_no_document(tmp_path: Path, read: object) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path):
        with pytest.raises(InvalidDocument, match="no regular file"):
            read(path)  # type: ignore[operator]


@given(st.text(st.characters(codec=None), max_size=5000), st.integers(50, 3000))
def test_a_shortened_message_is_bounded_in_bytes_and_keeps_both_ends(text: str, most: int) -> None:
    kept = shortened(text, most).encode()
    assert len(kept) <= most
    whole = text.encode(errors="backslashreplace")
    assert kept == whole or (b" [...] " in kept and whole.startswith(kept.split(b" [...] ")[0][:20]))


def test_any_error_of_the_project_has_a_bounded_message() -> None:
    assert len(str(OpenRALError("é" * 100_000 + " do this")).encode()) <= MAX_MESSAGE
    assert str(OpenRALError("é" * 100_000 + " do this")).endswith("do this")


def test_choices_and_quotations_are_bounded() -> None:
    assert len(format_choices(range(100_000))) < 1_200
    assert format_choices(["a", "b"]) == "'a', 'b'"
    shared: object = ["x"] * 10
    for _ in range(60):
        shared = [shared] * 10
    assert len(quoted(shared)) < 2_000
    assert quoted(10**5000) == "<integer of 16610 bits>"

"""YAML documents: content is read unchanged; an error names the file, the key and the valid keys."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from openral_core.documents import Document, InvalidDocument, load_document, parse_document, read_yaml


class Shelf(Document):
    """A part of the test document."""

    height: float = Field(gt=0.0)


class Cupboard(Document):
    """A document with a part, and with a list of parts."""

    name: str
    shelf: Shelf = Shelf(height=1.0)
    others: tuple[Shelf, ...] = ()


class InvalidCupboard(InvalidDocument):
    """An error type of one kind of document."""


printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1)
values = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | printable


@given(st.dictionaries(printable, values | st.lists(values)))
def test_what_yaml_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, object]
) -> None:
    file = tmp_path_factory.mktemp("documents") / "content.yaml"
    file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    assert read_yaml(file) == content


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"- a\n- b", "expected a mapping of keys, found list"),
        (b"", "expected a mapping of keys, found NoneType"),
        (b"a: [1, 2", "expected ',' or ']'"),
        (b"a: \xff", "can't decode byte 0xff"),
    ],
)
def test_a_file_that_holds_no_mapping_is_refused_by_name(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    file = tmp_path / "broken.yaml"
    file.write_bytes(content)
    with pytest.raises(InvalidDocument) as refused:
        read_yaml(file)
    assert refused.value.path == file
    assert problem in str(refused.value)
    assert str(refused.value).startswith(f"{file}: ")


def test_a_missing_file_is_an_invalid_document(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="No such file") as refused:
        load_document(Cupboard, tmp_path / "nowhere.yaml")
    assert isinstance(refused.value.__cause__, FileNotFoundError)


def test_a_document_is_read_with_its_parts(tmp_path: Path) -> None:
    file = tmp_path / "cupboard.yaml"
    file.write_text("name: pantry\nshelf: {height: 2}\nothers: [{height: 0.5}]")
    read = load_document(Cupboard, file)
    assert read == Cupboard(name="pantry", shelf=Shelf(height=2.0), others=(Shelf(height=0.5),))


def test_a_document_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Cupboard(name="pantry").name = "larder"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "missing key 'name'"),
        ({"name": "a", "shelf": {}}, "missing key 'shelf.height'"),
        ({"name": "a", "colour": 1}, "unknown key 'colour': valid here are 'name', 'others', 'shelf'"),
        (
            {"name": "a", "shelf": {"height": 1, "width": 1}},
            "unknown key 'shelf.width': valid here are 'height'",
        ),
        (
            {"name": "a", "others": [{"height": 1, "width": 1}]},
            "unknown key 'others.0.width': valid here are 'height'",
        ),
        (
            {"name": "a", "shelf": {"height": -1}},
            "shelf.height: Input should be greater than 0, found -1",
        ),
    ],
)
def test_a_problem_names_its_key_and_what_is_valid_there(content: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidDocument) as refused:
        parse_document(Cupboard, content, "cupboard.yaml")
    assert refused.value.problems == (problem,)


def test_every_problem_is_reported_at_once() -> None:
    with pytest.raises(InvalidDocument) as refused:
        parse_document(Cupboard, {"shelf": {"height": 0}, "colour": 1}, "cupboard.yaml")
    assert len(refused.value.problems) == 3


def test_a_caller_chooses_the_type_of_the_error() -> None:
    with pytest.raises(InvalidCupboard):
        parse_document(Cupboard, {}, "cupboard.yaml", InvalidCupboard)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: " + "[" * 5_000, "it is nested too deeply"),
        ("[" * 200_000, "it is nested too deeply"),
        ("- " * 200_000 + "a", "it is nested too deeply"),
        ('{"a": ' * 100_000, "it is nested too deeply"),
        ("\n".join(" " * n + "a:" for n in range(2_000)), "it is nested too deeply"),
        ("name: 2024-13-45", "month must be in"),
        ("name: " + "9" * 5000, "an integer of 5000 characters"),
        ("name: \x00", "characters are not allowed"),
    ],
)
def test_a_file_that_yaml_cannot_hold_is_an_invalid_document(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "cupboard.yaml"
    path.write_text(text)
    with pytest.raises(InvalidDocument, match=problem):
        load_document(Cupboard, path)

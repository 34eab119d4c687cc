"""YAML documents checked by pydantic; errors name the file, the key, its value and the valid values."""

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from openral_core.errors import OpenRALError, format_choices, quoted, shortened
from openral_core.files import read_bytes
from openral_core.parsing import MAX_JSON, MAX_YAML, parse_json, parse_yaml


class Document(BaseModel):
    """Base of everything read from YAML: frozen, without unknown keys, its numbers finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


AnyDocument = TypeVar("AnyDocument", bound=BaseModel)


class InvalidDocument(OpenRALError):
    """A file whose content does not match its schema."""

    def __init__(self, path: Path | str, problems: list[str]) -> None:
        self.path = Path(path)
        self.problems = tuple(problems[:MAX_PROBLEMS])
        more = len(problems) - MAX_PROBLEMS
        if more > 0:
            self.problems = (*self.problems, f"and {more} more problems")
        super().__init__(f"{path}: " + "; ".join(self.problems))


MAX_KEY, MAX_WORDS = 200, 400
"""Longest key, and longest reason, in the description of a problem [bytes]."""
MAX_PROBLEMS = 10
"""Problems of one document that are named; the others are counted."""


def read_yaml(path: Path) -> Mapping[str, object]:
    """Read the mapping in a YAML file.

    Raises:
        InvalidDocument: If the file cannot be read, is not YAML or is not a mapping.
    """
    return _mapping(path, lambda: parse_yaml(read_bytes(path, MAX_YAML).decode()))


def read_json(path: Path, most: int = MAX_JSON) -> Mapping[str, object]:
    """Read the object in a JSON file of at most ``most`` bytes.

    Raises:
        InvalidDocument: If the file cannot be read, is not JSON or is not an object.
    """
    return _mapping(path, lambda: parse_json(read_bytes(path, most), most))


def _mapping(path: Path, read: Callable[[], object]) -> Mapping[str, object]:
    try:
        content = read()
    except (OSError, ValueError) as error:
        raise InvalidDocument(path, [str(error)]) from error
    if not isinstance(content, dict):
        raise InvalidDocument(path, [f"expected a mapping of keys, found {type(content).__name__}"])
    return content


def shipped_document(model: type[AnyDocument], package: str, name: str) -> AnyDocument:
    """Validate a YAML file that a package ships.

    Raises:
        InvalidDocument: If the shipped file is not valid.
    """
    return parse_document(model, parse_yaml(files(package).joinpath(name).read_text(encoding="utf-8")), name)


def parse_document(
    model: type[AnyDocument],
    content: object,
    path: Path | str,
    error_type: type[InvalidDocument] = InvalidDocument,
) -> AnyDocument:
    """Validate ``content`` as a ``model``.

    Raises:
        InvalidDocument: (or ``error_type``) naming every wrong key and the valid ones.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise error_type(path, problems_of(model, error)) from error


def load_document(
    model: type[AnyDocument],
    path: Path,
    error_type: type[InvalidDocument] = InvalidDocument,
) -> AnyDocument:
    """Read and validate one YAML file; raises as `parse_document` does."""
    return parse_document(model, read_yaml(path), path, error_type)


def problems_of(model: type[BaseModel], error: ValidationError) -> list[str]:
    """Describe every error of pydantic; those that `InvalidDocument` would only count are left empty."""
    details = error.errors(include_url=False, include_context=False)
    named = [describe_problem(model, detail) for detail in details[:MAX_PROBLEMS]]
    return named + [""] * (len(details) - len(named))


def describe_problem(model: type[BaseModel], error: ErrorDetails) -> str:
    """Describe one error of pydantic by key, found value and, for an unknown key, the valid ones."""
    where = shortened(".".join(str(part) for part in error["loc"]), MAX_KEY) or "(document)"
    if error["type"] == "extra_forbidden":
        return f"unknown key {where!r}: valid here are {format_choices(valid_keys(model, error['loc'][:-1]))}"
    if error["type"] == "missing":
        return f"missing key {where!r}"
    return f"{where}: {shortened(error['msg'], MAX_WORDS)}, found {quoted(error['input'])}"


def valid_keys(model: type[BaseModel], where: tuple[int | str, ...]) -> list[str]:
    """List the keys of the model at ``where``; unions and lists are not followed."""
    current = model
    for part in where:
        field = current.model_fields.get(str(part))
        if field is None:
            continue
        inner = model_in(field.annotation)
        if inner is None:
            break
        current = inner
    return sorted(current.model_fields)


def model_in(annotation: object) -> type[BaseModel] | None:
    """Return the model that an annotation contains, as in ``tuple[Model, ...]``; None if there is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        inner = model_in(argument)
        if inner is not None:
            return inner
    return None


def yaml_of(document: Document) -> str:
    """Write a document without its defaults, as `yaml_text` does."""
    return yaml_text(document.model_dump(mode="json", exclude_defaults=True))


def yaml_text(content: Mapping[str, object]) -> str:
    """Write YAML with every entry of a top-level key on one line."""
    return "\n".join(_lines(content)) + "\n"


def _lines(content: Mapping[str, object]) -> Iterator[str]:
    for key, value in content.items():
        if isinstance(value, list) and value:
            yield f"\n{key}:"
            yield from (f"  - {_flow(entry)}" for entry in value)
        elif isinstance(value, dict) and any(isinstance(entry, dict) for entry in value.values()):
            yield f"\n{key}:"
            yield from (f"  {name}: {_flow(entry)}" for name, entry in value.items())
        else:
            yield f"{key}: {_flow(value)}"


def _flow(value: object) -> str:
    """Format a value as YAML on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=float("inf"), sort_keys=False)
    return text.removesuffix("\n...\n").strip()
